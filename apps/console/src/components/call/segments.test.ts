import { expect, test } from '@jest/globals';
import type { StreamEvent } from '#lib/client';
import { segmentsOf } from './segments.js';

const begin = Date.parse('2026-11-22T10:00:00.000Z');
const iso = (ms: number) => new Date(begin + ms).toISOString();
const metadata = (ms: number) => ({ timestamp: iso(ms) });
const retrying = (ms: number, delay_ms: number): StreamEvent => ({
  event: 'tool_retrying',
  id: String(ms),
  data: { retry_count: 1, max_retries: 3, delay_ms, error: { code: 'NETWORK_ERROR', message: 'away' }, metadata: metadata(ms) },
});
const resting = (ms: number): StreamEvent => ({
  event: 'tool_resting',
  id: String(ms),
  data: { reason: 'approval', until: iso(10_000), metadata: metadata(ms) },
});
const resumed = (ms: number): StreamEvent => ({
  event: 'tool_resumed',
  id: String(ms),
  data: { reason: 'approval', metadata: metadata(ms) },
});
const call = (started: number | null, finished: number | null) => ({
  job_id: 'j',
  state: finished === null ? ('active' as const) : ('failed' as const),
  created_at: iso(0),
  started_at: started === null ? null : iso(started),
  finished_at: finished === null ? null : iso(finished),
});
const span = (from: number, to: number, code?: string) => ({
  name: 'attempt',
  span_id: String(from),
  offset_ms: from,
  duration_ms: to - from,
  attributes: { 'invoq.job_id': 'j', 'invoq.attempt': 1, ...(code !== undefined && { 'invoq.code': code }) },
});

const shown = (segments: ReturnType<typeof segmentsOf>) =>
  segments.map(({ kind, from, to, code }) => [kind, from - begin, to - begin, ...(code ? [code] : [])]);

test('attempts, delays and waits add up to the whole, with a trace and without', () => {
  const events = [retrying(110, 300), retrying(520, 600)];
  const spans = [span(10, 110, 'NETWORK_ERROR'), span(420, 520, 'NETWORK_ERROR'), span(1_130, 1_190)];
  const traced = segmentsOf({ call: call(10, 1_200), events, trace: { started_at: iso(0), spans } }, 0);
  expect(shown(traced)).toEqual([
    ['queue', 0, 10],
    ['attempt', 10, 110, 'NETWORK_ERROR'],
    ['delay', 110, 410],
    ['queue', 410, 420],
    ['attempt', 420, 520, 'NETWORK_ERROR'],
    ['delay', 520, 1_120],
    ['queue', 1_120, 1_130],
    ['attempt', 1_130, 1_200],
  ]);
  const told = segmentsOf({ call: call(10, 1_200), events, trace: undefined }, 0);
  for (const segments of [traced, told]) {
    expect(segments.reduce((sum, { from, to }) => sum + to - from, 0)).toBe(1_200);
    expect(segments.filter(({ kind }) => kind === 'attempt')).toHaveLength(3);
  }
});

test('a rest is told apart, and a call that was cancelled in it has no attempt', () => {
  expect(shown(segmentsOf({ call: call(null, 900), events: [resting(5)], trace: undefined }, 0))).toEqual([
    ['queue', 0, 5],
    ['rest', 5, 900],
  ]);
  expect(shown(segmentsOf({ call: call(720, null), events: [resting(5), resumed(700)], trace: undefined }, begin + 800))).toEqual([
    ['queue', 0, 5],
    ['rest', 5, 700],
    ['queue', 700, 720],
    ['attempt', 720, 800],
  ]);
});

test('clocks of two machines that differ make nothing negative', () => {
  const trace = { started_at: iso(-50), spans: [span(0, 30)] };
  expect(shown(segmentsOf({ call: call(10, 20), events: [], trace }, 0))).toEqual([['attempt', 0, 20]]);
});
