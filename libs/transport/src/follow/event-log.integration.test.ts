import { afterAll, expect, test } from '@jest/globals';
import { domains } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import { EventLog } from './event-log.js';
import { InvocationStore } from '../record/invocation-store.js';
import { newJobId, partitionOf } from '../redis/partition.js';
import { newCaller, request, storeOn } from '../record/test-invocations.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { keys, sealer, files, store } = storeOn(redis, namespace);
const log = new EventLog(redis, keys);

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

async function running(): Promise<string> {
  const asked = request(newCaller(), { head: { createdAt: 1_000 } });
  await store.accept(domains.profile, asked);
  await store.begin(asked.jobId, 1_000);
  return asked.jobId;
}

test('each entry has its place and the time at which it was written', async () => {
  const jobId = await running();
  const clock = { now: 2_000 };
  const later = new InvocationStore({ redis, keys, sealer, files, now: () => clock.now });
  await later.attempts.output(jobId, 1, ['a', 'b']);
  clock.now = 3_000;
  await later.attempts.progress(jobId, 1, { kind: 'progress', progress: 50, message: 'Half' });
  expect((await log.readAfter(jobId, 0)).map(({ seq, at, kind }) => [seq, at, kind])).toEqual([
    [2, 2_000, 'output'],
    [3, 2_000, 'output'],
    [4, 3_000, 'progress'],
  ]);
});

test('what handlers told comes without what else happened', async () => {
  const jobId = await running();
  await store.attempts.output(jobId, 1, [{ step: 1 }]);
  await store.attempts.progress(jobId, 1, { kind: 'progress', progress: 50, message: 'Half' });
  await store.attempts.output(jobId, 1, [null, 'text']);
  expect(await log.outputs(jobId)).toEqual([{ step: 1 }, null, 'text']);
});

test.each([
  [0, [2, 3]],
  [1, [2, 3]],
  [3, []],
  [99, []],
])('after place %i come %j', async (place, seqs) => {
  const jobId = await running();
  await store.attempts.output(jobId, 1, ['a', 'b']);
  expect((await log.readAfter(jobId, place)).map(({ seq }) => seq)).toEqual(seqs);
});

test('a log that is not there is empty', async () => {
  expect(await log.readAfter(newJobId(partitionOf('profile')), 0)).toEqual([]);
});
