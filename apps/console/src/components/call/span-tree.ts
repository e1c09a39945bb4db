import type { Trace } from '#lib/client';

type Span = Trace['spans'][number];

export interface SpanRow {
  readonly span: Span;
  /** 0 for one without a known cause. */
  readonly depth: number;
}

/** Spans in the order of a tree, causes first. A span whose cause is missing stands at the top; a circle of causes ends. */
export function spanTree(spans: readonly Span[]): readonly SpanRow[] {
  const known = new Set(spans.map(({ span_id }) => span_id));
  const children = Map.groupBy(spans, ({ parent_span_id }) => (parent_span_id && known.has(parent_span_id) ? parent_span_id : ''));
  const rows: SpanRow[] = [];
  const seen = new Set<string>();
  const add = (span: Span, depth: number) => {
    if (seen.has(span.span_id)) return;
    seen.add(span.span_id);
    rows.push({ span, depth });
    for (const child of children.get(span.span_id) ?? []) add(child, depth + 1);
  };
  for (const span of children.get('') ?? []) add(span, 0);
  for (const span of spans) add(span, 0);
  return rows;
}
