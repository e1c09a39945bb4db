import { expect, test } from '@jest/globals';
import type { CallSum } from '#lib/client';
import { lastDays, nameOf, sorted, totalOf } from './sums.js';

const row = (change: Partial<CallSum>): CallSum => ({
  calls: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  attempts: 0,
  execution_ms: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost_micros: 0,
  ...change,
});

test('the days end with today, by UTC', () => {
  expect(lastDays(3, Date.parse('2026-03-01T00:30:00Z'))).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
});

test('rows are summed, tokens of both directions together', () => {
  const rows = [
    row({ calls: 2, completed: 1, failed: 1, input_tokens: 3, output_tokens: 4, cost_micros: 5 }),
    row({ calls: 1, cancelled: 1 }),
  ];
  expect(totalOf(rows)).toEqual({ calls: 3, completed: 1, failed: 1, cancelled: 1, tokens: 7, executionMs: 0, micros: 5 });
});

test('the dearest come first, then those with most calls; days from the newest', () => {
  const rows = [row({ tool_name: 'a', calls: 9 }), row({ tool_name: 'b', cost_micros: 1 }), row({ tool_name: 'c', calls: 10 })];
  expect(sorted(rows, 'tool').map((one) => nameOf(one, 'tool'))).toEqual(['b', 'c', 'a']);
  expect(sorted([row({ day: '2026-01-01' }), row({ day: '2026-01-02' })], 'day').map(({ day }) => day)).toEqual([
    '2026-01-02',
    '2026-01-01',
  ]);
});

test("a tenant's own calls have no user", () => expect(nameOf(row({ user_id: null }), 'user')).toBe(''));
