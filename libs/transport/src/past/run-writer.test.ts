import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Ending } from '../record/codec.js';
import type { ListedRun } from './listed-run.js';
import { runSink, type RunRecord } from './run-sink.js';
import { RunWriter } from './run-writer.js';

const ending = { state: 'completed', outcome: { ok: true, data: {} }, startedAt: 1, finishedAt: 2, attempts: 1 } as Ending;
const head = { tool: 't', version: '1.0.0', caller: { tenantId: 'a', userId: 'u' }, traceId: 'trace_x', createdAt: 0, maxAttempts: 1 };
const begun = (jobId: string) => ({ jobId, head, state: 'waiting', startedAt: null, runs: 0, ending: null }) as RunRecord;
const ended = (jobId: string) => ({ jobId, head, state: 'completed', startedAt: 1, runs: 1, ending }) as RunRecord;

let written: (readonly ListedRun[])[] = [];
let isAway = false;
const seen = () => written.map((runs) => runs.map(({ run }) => `${run.job_id} ${run.state}`));
const index = {
  write: async (runs: readonly ListedRun[]) => {
    if (isAway) throw new Error('away');
    written.push(runs);
  },
};
let writer: RunWriter;

beforeEach(() => {
  [written, isAway] = [[], false];
  writer = new RunWriter(index, { warn: () => undefined });
  writer.start();
});
afterEach(async () => writer.stop());

test('A run that ends here before its beginning was written is written once', async () => {
  runSink.push(begun('a'));
  runSink.push(begun('b'));
  runSink.push(ended('a'));
  await writer.flush();
  expect(seen()).toEqual([['a completed', 'b waiting']]);
});

test('A run that ended elsewhere is left to whoever ended it, and one that ended here is not', async () => {
  runSink.push(begun('a'));
  runSink.push(ended('b'));
  for (const jobId of ['a', 'b', 'unknown']) runSink.push({ jobId, state: 'ended elsewhere' });
  await writer.flush();
  expect(seen()).toEqual([['b completed']]);
});

test('What could not be written is written later, as it stands then', async () => {
  isAway = true;
  runSink.push(begun('a'));
  runSink.push(begun('b'));
  await writer.flush();
  isAway = false;
  runSink.push(ended('a'));
  await writer.flush();
  expect(seen()).toEqual([['a completed', 'b waiting']]);
});

test('At most 10,000 runs are held, the newest', async () => {
  isAway = true;
  for (let n = 0; n < 10_001; n++) runSink.push(begun(String(n)));
  await writer.flush();
  isAway = false;
  await writer.flush();
  expect([seen().flat().length, seen()[0]?.[0]]).toEqual([10_000, '1 waiting']);
});
