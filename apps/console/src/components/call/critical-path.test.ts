import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { criticalPath } from './critical-path.js';

const row = (span_id: string, depth: number, offset_ms: number, duration_ms: number) => ({
  depth,
  span: { name: span_id, span_id, offset_ms, duration_ms, attributes: {} },
});
const path = (...rows: readonly ReturnType<typeof row>[]) => Object.fromEntries(criticalPath(rows));

test('a span without others is waited for all its time', () => expect(path(row('a', 0, 0, 10))).toEqual({ a: 10 }));

test('of two side by side the one that ends last is waited for', () => {
  expect(path(row('a', 0, 0, 10), row('short', 1, 1, 3), row('long', 1, 1, 8))).toEqual({ a: 2, long: 8 });
});

test('what comes one after the other is all waited for, and the time between them is of their cause', () => {
  expect(path(row('a', 0, 0, 10), row('one', 1, 1, 3), row('two', 1, 6, 4))).toEqual({ a: 3, one: 3, two: 4 });
});

test('what goes on after its cause has ended is waited for', () => {
  expect(path(row('request', 0, 0, 2), row('attempt', 1, 5, 10))).toEqual({ request: 5, attempt: 10 });
});

test('a part of what overlaps is waited for', () => {
  expect(path(row('a', 0, 0, 10), row('one', 1, 0, 7), row('two', 1, 5, 5))).toEqual({ a: 0, one: 5, two: 5 });
});

test('the times add up to that of the trace', () => {
  const spans = fc.array(fc.tuple(fc.nat(3), fc.nat(100), fc.nat(100)), { maxLength: 30 });
  fc.assert(
    fc.property(spans, (given) => {
      let depth = -1;
      const rows = given.map(([deeper, offset, duration], at) => row(String(at), (depth = Math.min(deeper, depth + 1)), offset, duration));
      const [root, ...rest] = [row('root', 0, 0, 200), ...rows.map((one) => ({ ...one, depth: one.depth + 1 }))];
      const total = [...criticalPath([root ?? row('root', 0, 0, 200), ...rest]).values()].reduce((sum, ms) => sum + ms, 0);
      expect(total).toBe(200);
    }),
  );
});
