import type { SpanRow } from './span-tree.js';

/** A span with all that it caused. */
interface Node {
  readonly id: string;
  readonly start: number;
  /** Of the last span below it: what a call caused may go on after its answer. */
  end: number;
  readonly children: Node[];
}

/**
 * The spans that a trace waited for, each with the time for which nothing below it was waited for, in ms. From the end back: what ended last
 * was waited for, then what ended last before that began. The times add up to that of the trace.
 */
export function criticalPath(rows: readonly SpanRow[]): ReadonlyMap<string, number> {
  const top: Node[] = [];
  const open: Node[] = [];
  for (const { span, depth } of rows) {
    const node = { id: span.span_id, start: span.offset_ms, end: span.offset_ms + span.duration_ms, children: [] };
    open.length = depth;
    (open.at(-1)?.children ?? top).push(node);
    open.push(node);
    for (const cause of open) cause.end = Math.max(cause.end, node.end);
  }
  const waited = new Map<string, number>();
  /** Follows what was waited for up to a time, and gives the time before which nothing of these was. */
  const follow = (nodes: readonly Node[], until: number, idle: (ms: number) => void): number => {
    let at = until;
    for (const node of nodes.toSorted((a, b) => b.end - a.end)) {
      if (node.start >= at) continue;
      const end = Math.min(node.end, at);
      idle(at - end);
      const add = (ms: number) => waited.set(node.id, (waited.get(node.id) ?? 0) + ms);
      add(0);
      const began = follow(node.children, end, add);
      add(Math.max(0, began - node.start));
      at = Math.min(began, node.start);
    }
    return at;
  };
  follow(top, Infinity, () => undefined);
  return waited;
}
