import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Ending } from '../record/codec.js';
import type { ListedCall } from './listed-call.js';
import { callSink, type CallChange } from './call-sink.js';
import { CallListWriter } from './call-list-writer.js';

const ending = { state: 'completed', outcome: { ok: true, data: {} }, startedAt: 1, finishedAt: 2, attempts: 1 } as Ending;
const head = { tool: 't', version: '1.0.0', caller: { tenantId: 'a', userId: 'u' }, traceId: 'trace_x', createdAt: 0, maxAttempts: 1 };
const begun = (jobId: string) => ({ jobId, head, state: 'waiting', startedAt: null, attempts: 0, ending: null }) as CallChange;
const ended = (jobId: string) => ({ jobId, head, state: 'completed', startedAt: 1, attempts: 1, ending }) as CallChange;

let written: (readonly ListedCall[])[] = [];
let isAway = false;
const seen = () => written.map((calls) => calls.map(({ call }) => `${call.job_id} ${call.state}`));
const index = {
  write: async (calls: readonly ListedCall[]) => {
    if (isAway) throw new Error('away');
    written.push(calls);
  },
};
let writer: CallListWriter;

beforeEach(() => {
  [written, isAway] = [[], false];
  writer = new CallListWriter(index, { warn: () => undefined });
  writer.start();
});
afterEach(async () => writer.stop());

test('A call that ends here before its beginning was written is written once', async () => {
  callSink.push(begun('a'));
  callSink.push(begun('b'));
  callSink.push(ended('a'));
  await writer.flush();
  expect(seen()).toEqual([['a completed', 'b waiting']]);
});

test('A call that ended elsewhere is left to whoever ended it, and one that ended here is not', async () => {
  callSink.push(begun('a'));
  callSink.push(ended('b'));
  for (const jobId of ['a', 'b', 'unknown']) callSink.push({ jobId, state: 'ended elsewhere' });
  await writer.flush();
  expect(seen()).toEqual([['b completed']]);
});

test('What could not be written is written later, as it stands then', async () => {
  isAway = true;
  callSink.push(begun('a'));
  callSink.push(begun('b'));
  await writer.flush();
  isAway = false;
  callSink.push(ended('a'));
  await writer.flush();
  expect(seen()).toEqual([['a completed', 'b waiting']]);
});

test('At most 10,000 calls are held, the newest', async () => {
  isAway = true;
  for (let n = 0; n < 10_001; n++) callSink.push(begun(String(n)));
  await writer.flush();
  isAway = false;
  await writer.flush();
  expect([seen().flat().length, seen()[0]?.[0]]).toEqual([10_000, '1 waiting']);
});
