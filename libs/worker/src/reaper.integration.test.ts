import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newNamespace, testFiles, testRedis } from '#lib/testing';
import { Reaper } from './reaper.js';
import { jobsOn, readableLog, sampleTool } from './test-jobs.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { accept, enqueue, keys, queues, store } = jobsOn(redis, namespace);
const queue = queues.queue('profile');
const orphanMs = 15_000;

beforeEach(async () => {
  await redis.del(keys.open('profile'));
  await queue.obliterate({ force: true });
});
afterAll(async () => {
  await queues.close();
  await redis[Symbol.asyncDispose]();
});

/** A reaper that has never swept, with what it ended. */
function newReaper(rest: Partial<ConstructorParameters<typeof Reaper>[0]> = {}) {
  const expired: string[] = [];
  const abandoned: string[] = [];
  const { log, lines } = readableLog();
  const reaper = new Reaper({
    domain: 'profile',
    store,
    files: testFiles(namespace),
    queues,
    find: () => sampleTool(),
    expire: async (jobId) => void expired.push(jobId),
    abandon: async (jobId) => void abandoned.push(jobId),
    log,
    ...rest,
  });
  return { reaper, expired, abandoned, lines };
}

describe('a sweep', () => {
  test('ends what has reached its deadline, earliest first, and nothing else', async () => {
    const now = Date.now();
    const [late, atIt] = [await accept({ deadline: now - 5 }), await accept({ deadline: now })];
    await accept({ deadline: now + 1 });
    const { reaper, expired } = newReaper();
    await reaper.sweep(now);
    expect(expired).toEqual([late, atIt]);
  });

  test.each([
    [orphanMs - 1, false],
    [orphanMs, true],
  ])('%i ms after its acceptance a call that nobody enqueued is enqueued: %s', async (age, isEnqueued) => {
    const jobId = await accept();
    const createdAt = (await store.read(jobId))?.head.createdAt ?? 0;
    const { reaper, lines } = newReaper();
    await reaper.sweep(createdAt + age);
    expect(await queues.stateOf('profile', jobId)).toBe(isEnqueued ? 'waiting' : 'unknown');
    expect(lines.some(({ event }) => event === 'job-requeued')).toBe(isEnqueued);
  });

  test('enqueues it once, however many workers sweep', async () => {
    await accept();
    const now = Date.now() + orphanMs + 1_000;
    await Promise.all([newReaper(), newReaper(), newReaper()].map(({ reaper }) => reaper.sweep(now)));
    expect(await queue.getWaitingCount()).toBe(1);
  });

  test('leaves alone what waits in the queue', async () => {
    const jobId = await accept();
    await enqueue(jobId);
    const { reaper, abandoned, expired } = newReaper();
    await reaper.sweep(Date.now() + orphanMs + 1_000);
    expect([abandoned, expired, await queues.stateOf('profile', jobId)]).toEqual([[], [], 'waiting']);
  });

  test('ends what the queue has failed without its end being written', async () => {
    const jobId = await accept();
    await enqueue(jobId);
    const job = await queue.getJob(jobId);
    await redis.zadd(`${keys.queuePrefix('profile')}:profile:failed`, Date.now(), jobId);
    await redis.lrem(`${keys.queuePrefix('profile')}:profile:wait`, 0, jobId);
    expect(await job?.getState()).toBe('failed');
    const { reaper, abandoned } = newReaper();
    await reaper.sweep(Date.now() + orphanMs + 1_000);
    expect(abandoned).toEqual([jobId]);
  });

  test('takes an entry off the open list whose record is gone', async () => {
    const jobId = await accept();
    await store.forget([jobId]);
    await newReaper().reaper.sweep();
    expect(await store.openCount('profile')).toBe(0);
  });

  test('looks for lost jobs at the first sweep and every sixth one, for deadlines at each', async () => {
    const checked: string[] = [];
    const stateOf = async (_domain: string, jobId: string) => (checked.push(jobId), 'waiting');
    const { reaper, expired } = newReaper({ queues: { stateOf, add: async () => undefined } });
    await accept();
    const late = await accept({ deadline: Date.now() - 1 });
    const perSweep: number[] = [];
    for (let sweep = 0; sweep < 7; sweep++) {
      checked.length = 0;
      await reaper.sweep(Date.now() + orphanMs + 1_000);
      perSweep.push(checked.length);
    }
    expect(perSweep).toEqual([2, 0, 0, 0, 0, 0, 2]);
    expect(expired).toEqual(Array.from({ length: 7 }, () => late));
  });

  test('looks through more calls than one page holds, also when it takes them off the list', async () => {
    const missing = Array.from({ length: 1_001 }, (_, n) => [Date.now() + 60_000 + n, `inv_profile_${n.toString(16).padStart(32, '0')}`]);
    await redis.zadd(keys.open('profile'), ...missing.flat());
    await newReaper().reaper.sweep();
    expect(await store.openCount('profile')).toBe(0);
  });
});
