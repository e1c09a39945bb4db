import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { Metrics } from '../metrics.js';
import { CallReports } from './call-reports.js';
import type { CountedErrors } from './error-store.js';
import { ErrorWriter } from './error-writer.js';

const log = pino({ level: 'silent' });
const call = {
  trace_id: 'trace',
  request_id: null,
  tool_name: 'quote',
  tenant_id: 'demo',
  user_id: 'ann',
  caller_id: 'demo/ann',
  job_id: null,
  params: null,
  started_at: 0,
  duration_ms: 1,
  execution_time_ms: 0,
  attempts: 0,
  success: false,
  error_code: 'INVALID_PARAMS',
  native_code: null,
  http_status: 400,
  cache_hit: false,
};

function given() {
  const stored: CountedErrors[] = [];
  let isAway = false;
  const store = {
    add: async (counted: readonly CountedErrors[]) => {
      if (isAway) throw new Error('away');
      stored.push(...counted);
    },
  };
  const reports = new CallReports(log, Date.now, new Metrics());
  const writer = new ErrorWriter(store, reports, log);
  writer.start();
  const refuse = (message: string, own: Partial<typeof call> = {}) =>
    reports.record({ ...call, ...own }, { outcome: { ok: false, error: { code: 'INVALID_PARAMS', family: 'INVALID_PARAMS', message } } });
  return { writer, reports, stored, refuse, away: (is: boolean) => (isAway = is) };
}

test('errors are counted by what they have in common; a success is none', async () => {
  const { writer, reports, stored, refuse } = given();
  for (const n of [1, 2, 3, 4, 5]) refuse(`Parameter 'height' must be at most 250, not ${n}`, { trace_id: `t${n}` });
  refuse("Parameter 'weight' is missing");
  reports.record({ ...call, success: true, error_code: null, http_status: 200 }, { outcome: { ok: true, data: {} } });
  await writer.stop();
  expect(stored).toMatchObject([
    { count: 5, kind: { message: "Parameter 'height' must be at most #, not #", cause: 'caller' } },
    { count: 1, kind: { message: "Parameter 'weight' is missing" } },
  ]);
  expect(stored[0]?.samples.map(({ trace_id, message }) => [trace_id, message?.slice(-1)])).toEqual([
    ['t3', '3'],
    ['t4', '4'],
    ['t5', '5'],
  ]);
});

test('messages without end are held as one, also while Redis is away, and each call is counted once', async () => {
  const { writer, stored, refuse, away } = given();
  away(true);
  for (let n = 0; n < 5_000; n++) refuse(`Parameter '${'x'.repeat(n % 64)}' is ${'y'.repeat(Math.floor(n / 64))}`);
  await writer.flush();
  for (let n = 0; n < 3_000; n++) refuse(`another ${'z'.repeat(n % 250)}${String.fromCodePoint(0x4e00 + n)}`);
  await writer.flush();
  away(false);
  await writer.stop();
  expect(stored.length).toBeLessThan(2_100);
  expect(stored.reduce((sum, { count }) => sum + count, 0)).toBe(8_000);
});

test('what a tool threw tells errors apart where it is shown', async () => {
  const { writer, reports, stored } = given();
  const error = { code: 'EXECUTION_ERROR', family: 'EXECUTION_ERROR', message: 'The tool failed' } as const;
  for (const thrown of ['Error: no route to 10.0.0.1', 'Error: disk full', undefined])
    reports.record({ ...call, job_id: 'j', attempts: 1, http_status: 500 }, { outcome: { ok: false, error }, thrown });
  await writer.stop();
  expect(stored.map(({ kind }) => [kind.message, kind.cause])).toEqual([
    ['Error: no route to #.#.#.#', 'system'],
    ['Error: disk full', 'system'],
    ['The tool failed', 'system'],
  ]);
});
