import { expect, test } from '@jest/globals';
import { bucketOf, fieldsOf } from './activity-fields.js';

const call = (own: Partial<Parameters<typeof fieldsOf>[0]> = {}) => ({
  tool_name: 'a',
  error_code: null,
  job_id: 'j',
  duration_ms: 10,
  http_status: 200,
  attempts: 1,
  ...own,
});

function counted(calls: readonly Parameters<typeof fieldsOf>[0][]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const field of calls.flatMap(fieldsOf)) fields[field] = String(Number(fields[field] ?? 0) + 1);
  return fields;
}

test('calls and errors are counted together and by tool', () => {
  const fields = counted([call(), call(), call({ tool_name: 'b', error_code: 'TIMEOUT', http_status: 504 })]);
  expect(bucketOf(0, fields)).toMatchObject({
    at: '1970-01-01T00:00:00.000Z',
    calls: 3,
    errors: { TIMEOUT: 1 },
    system_errors: 1,
    by_tool: { a: { calls: 2, errors: {}, system_errors: 0 }, b: { calls: 1, errors: { TIMEOUT: 1 }, system_errors: 1 } },
  });
});

test.each([
  ['what was asked for', { error_code: 'INVALID_PARAMS', http_status: 400 }, 0],
  ["a caller's limit", { error_code: 'RATE_LIMITED', http_status: 429, attempts: 0 }, 0],
  ['the limit of an upstream', { error_code: 'RATE_LIMITED', http_status: 429, attempts: 3 }, 1],
  ['a failed tool', { error_code: 'EXECUTION_ERROR', http_status: 500 }, 1],
])('%s is a fault of the system, or is not', (_name, end, system_errors) => {
  expect(bucketOf(0, counted([call(end)]))).toMatchObject({ errors: { [end.error_code]: 1 }, system_errors });
});

test('percentiles are those of calls that ran, within a tenth', () => {
  const ran = Array.from({ length: 1_000 }, (_, n) => call({ duration_ms: n + 1 }));
  const { p50_ms, p95_ms, p99_ms } = bucketOf(0, counted([...ran, call({ job_id: null, duration_ms: 100_000 })]));
  for (const [found, right] of [
    [p50_ms, 500],
    [p95_ms, 950],
    [p99_ms, 990],
  ] as const)
    expect(Math.abs((found ?? 0) / right - 1)).toBeLessThan(0.1);
});

test('without a call that ran there are no percentiles', () => {
  expect(bucketOf(0, counted([call({ job_id: null })]))).toMatchObject({ calls: 1, p50_ms: null, p99_ms: null });
  expect(bucketOf(0, {})).toMatchObject({ calls: 0, errors: {}, by_tool: {} });
});

test.each([0, 0.2, -5, 1e12])('a latency of %s ms has a class', (duration_ms) => {
  expect(bucketOf(0, counted([call({ duration_ms })])).p50_ms).toBeGreaterThanOrEqual(1);
});
