import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Ending } from '../record/codec.js';
import type { ListedCall } from './listed-call.js';
import type { CallChange, EndHeard } from './call-reports.js';
import { Sink } from './sink.js';
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
let changes: Sink<CallChange | EndHeard>;

beforeEach(() => {
  [written, isAway] = [[], false];
  changes = new Sink();
  writer = new CallListWriter(index, { changes }, { warn: () => undefined });
  writer.start();
});
afterEach(async () => writer.stop());

test('A call that ends here before its beginning was written is written once', async () => {
  changes.push(begun('a'));
  changes.push(begun('b'));
  changes.push(ended('a'));
  await writer.flush();
  expect(seen()).toEqual([['a completed', 'b waiting']]);
});

test('A call that ended elsewhere is left to whoever ended it, and one that ended here is not', async () => {
  changes.push(begun('a'));
  changes.push(ended('b'));
  for (const jobId of ['a', 'b', 'unknown']) changes.push({ jobId, state: 'ended elsewhere' });
  await writer.flush();
  expect(seen()).toEqual([['b completed']]);
});

test('What could not be written is written later, as it stands then', async () => {
  isAway = true;
  changes.push(begun('a'));
  changes.push(begun('b'));
  await writer.flush();
  isAway = false;
  changes.push(ended('a'));
  await writer.flush();
  expect(seen()).toEqual([['a completed', 'b waiting']]);
});

test('At most 10,000 calls are held, the newest', async () => {
  isAway = true;
  for (let n = 0; n < 10_001; n++) changes.push(begun(String(n)));
  await writer.flush();
  isAway = false;
  await writer.flush();
  expect([seen().flat().length, seen()[0]?.[0]]).toEqual([10_000, '1 waiting']);
});
