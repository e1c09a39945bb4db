import { expect, test } from '@jest/globals';
import { pointsOf, summaryOf } from './summary.js';

const counts = (calls: number, p99: number | null, errors = {}) => ({ calls, errors, p50_ms: p99, p95_ms: p99, p99_ms: p99 });
const bucket = (at: string, calls: number, errors = {}) => ({
  at,
  ...counts(calls, 12, errors),
  by_tool: { a: counts(calls, 12, errors) },
});

test('seconds in which nothing ended are drawn as zero calls without a latency', () => {
  const seconds = [bucket('2026-11-22T10:00:00.000Z', 3), bucket('2026-11-22T10:00:02.000Z', 1)];
  const points = pointsOf({ now: '2026-11-22T10:00:03.000Z', seconds, minutes: [], queues: [], own_queues: [] }, 'seconds');
  expect(points).toHaveLength(300);
  expect(points.slice(-4).map(({ calls, p99 }) => [calls, p99])).toEqual([
    [3, 12],
    [0, null],
    [1, 12],
    [0, null],
  ]);
});

test('codes and tools of all buckets are added, the most frequent first', () => {
  const summary = summaryOf([
    bucket('2026-11-22T10:00:00.000Z', 3, { TIMEOUT: 1 }),
    bucket('2026-11-22T10:00:01.000Z', 2, { TIMEOUT: 1, CONFLICT: 3 }),
  ]);
  expect(summary).toMatchObject({ calls: 5, errors: 5, byTool: [{ tool: 'a', calls: 5, errors: 5 }] });
  expect(summary.byCode).toEqual([
    ['CONFLICT', 3],
    ['TIMEOUT', 2],
  ]);
});
