import { describe, expect, test } from '@jest/globals';
import { parentsIn, shownRows, spanTree } from './span-tree.js';

const span = (span_id: string, parent_span_id: string | null) => ({
  name: span_id,
  span_id,
  parent_span_id,
  offset_ms: 0,
  duration_ms: 1,
  attributes: {},
});
const shown = (spans: readonly ReturnType<typeof span>[]) => spanTree(spans).map((row) => `${'.'.repeat(row.depth)}${row.span.name}`);

test('a span stands below its cause', () => {
  expect(shown([span('a', null), span('b', 'a'), span('c', 'b'), span('d', 'a')])).toEqual(['a', '.b', '..c', '.d']);
});
test('a span whose cause is missing stands at the top', () => expect(shown([span('b', 'gone')])).toEqual(['b']));
test('spans in a circle are all shown, once', () => expect(shown([span('a', 'b'), span('b', 'a')])).toEqual(['a', '.b']));

describe('Rows that are shown', () => {
  const row = (name: string, depth: number) => ({ depth, span: { ...span(name, null), name } });
  const rows = [row('root', 0), row('a', 1), row('a1', 2), row('b', 1), row('b1', 2), row('b2', 2)];
  const names = (folded: readonly string[], search = '') =>
    shownRows(rows, { folded: new Set(folded), search }).map(({ span: { name } }) => name);

  test('are all, without those below a folded one', () => {
    expect(names([])).toEqual(['root', 'a', 'a1', 'b', 'b1', 'b2']);
    expect(names(['a'])).toEqual(['root', 'a', 'b', 'b1', 'b2']);
    expect(names(['root', 'a'])).toEqual(['root']);
  });

  test('are those that were looked for, with what caused them, also where it is folded', () => {
    expect(names(['b'], 'B2')).toEqual(['root', 'b', 'b2']);
    expect(names([], 'a1')).toEqual(['root', 'a', 'a1']);
    expect(names([], 'none')).toEqual([]);
  });

  test('some have others below them', () => expect([...parentsIn(rows)]).toEqual(['root', 'a', 'b']));
});
