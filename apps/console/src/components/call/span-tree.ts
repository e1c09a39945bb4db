import type { Trace } from '#lib/client';

type Span = Trace['spans'][number];

export interface SpanRow {
  readonly span: Span;
  /** 0 for one without a known cause. */
  readonly depth: number;
}

/** Rows without those below folded spans; with words only those whose names or services have all of them, and the causes of these. */
export function shownRows(rows: readonly SpanRow[], { folded, search }: { readonly folded: ReadonlySet<string>; readonly search: string }) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length > 0) return found(rows, words);
  const shown: SpanRow[] = [];
  let below = Infinity;
  for (const row of rows) {
    if (row.depth > below) continue;
    below = folded.has(row.span.span_id) ? row.depth : Infinity;
    shown.push(row);
  }
  return shown;
}

function found(rows: readonly SpanRow[], words: readonly string[]): readonly SpanRow[] {
  const shown: SpanRow[] = [];
  // From the end: the causes of what was found come after it then.
  let wanted = -1;
  for (const row of rows.toReversed()) {
    const text = `${row.span.name} ${row.span.service ?? ''}`.toLowerCase();
    if (row.depth !== wanted && !words.every((word) => text.includes(word))) continue;
    shown.unshift(row);
    wanted = row.depth - 1;
  }
  return shown;
}

/** Whether a row has others below it. */
export function parentsIn(rows: readonly SpanRow[]): ReadonlySet<string> {
  return new Set(rows.flatMap(({ span, depth }, index) => ((rows[index + 1]?.depth ?? 0) > depth ? [span.span_id] : [])));
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
