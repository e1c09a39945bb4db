import { expect, test } from '@jest/globals';
import { spanTree } from './span-tree.js';

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
