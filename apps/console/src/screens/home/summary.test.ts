import { expect, test } from '@jest/globals';
import { pointsOf, summaryOf } from './summary.js';

const counts = (calls: number, p99: number | null, errors = {}) => ({
  calls,
  errors,
  system_errors: 0,
  p50_ms: p99,
  p95_ms: p99,
  p99_ms: p99,
});
const bucket = (at: string, calls: number, errors = {}) => ({
  at,
  ...counts(calls, 12, errors),
  by_tool: { a: counts(calls, 12, errors) },
});
const none = bucket('2026-11-22T10:00:00.000Z', 0);
const empty = { minutes: [], sums: { seconds: none, minutes: none }, queues: [], own_queues: [] };

test('seconds in which nothing ended are drawn as zero calls without a latency', () => {
  const seconds = [bucket('2026-11-22T10:00:00.000Z', 3), bucket('2026-11-22T10:00:02.000Z', 1)];
  const points = pointsOf({ now: '2026-11-22T10:00:03.000Z', seconds, ...empty }, 'seconds');
  expect(points).toHaveLength(300);
  expect(points.slice(-4).map(({ calls, p99 }) => [calls, p99])).toEqual([
    [3, 12],
    [0, null],
    [1, 12],
    [0, null],
  ]);
});

test('a summary has the quantiles of the whole range, the most frequent codes first, and knows whose fault they are', () => {
  const whole = {
    ...bucket('2026-11-22T10:00:00.000Z', 10, { TIMEOUT: 2, CONFLICT: 3, RATE_LIMITED: 1 }),
    system_errors: 2,
    p50_ms: 15,
    p95_ms: 90,
    p99_ms: 7_360,
  };
  expect(summaryOf(whole)).toEqual({
    calls: 10,
    errors: 6,
    faults: 2,
    p50: 15,
    p95: 90,
    p99: 7_360,
    byCode: [
      ['CONFLICT', 3],
      ['TIMEOUT', 2],
      ['RATE_LIMITED', 1],
    ],
    byTool: [{ tool: 'a', calls: 10, errors: 6, p50: 12, p99: 12 }],
  });
});
