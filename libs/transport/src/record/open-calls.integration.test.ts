import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { domains, type Domain } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import { newCaller, request, storeOn } from './test-invocations.js';
import { queuedJob } from './queued-job.js';
import { partitionOf } from '../redis/partition.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { keys, store } = storeOn(redis, namespace);
const domain: Domain = { ...domains.profile, concurrency: 4 };
const caller = newCaller();
const start = 1_795_264_000_000;

afterAll(async () => redis[Symbol.asyncDispose]());

/** One call a second, from `start` on; the first four need not wait in rounds. */
async function letIn(from: number, until: number): Promise<void> {
  for (let second = from; second < until; second++) {
    const asked = request(caller, { head: { createdAt: start + second * 1_000 } });
    await store.accept(domain, { ...asked, job: queuedJob({ ...asked, contract: undefined }) });
  }
}

/** Nothing waits for the history. */
const noneEnded = { waiting: 0, lost: 0, oldestMs: 0 };

describe('how a queue stands', () => {
  test('is nothing where nothing is open', async () => {
    expect(await store.open.depth(partitionOf('profile'))).toEqual({
      open: 0,
      waiting: 0,
      active: 0,
      delayed: 0,
      resting: 0,
      oldestAt: null,
      ended: noneEnded,
    });
  });

  test('counts calls by their state, and finds the one that waits longest', async () => {
    await letIn(0, 12);
    expect(await store.open.depth(partitionOf('profile'))).toEqual({
      open: 12,
      waiting: 12,
      active: 0,
      delayed: 0,
      resting: 0,
      oldestAt: start,
      ended: noneEnded,
    });
    await store.turn(partitionOf('profile'), [], { workerId: 'w', token: 'token', lockMs: 5_000, want: 6 });
    await redis.zadd(keys.queue(partitionOf('profile'), 'delayed'), 1, 'job');
    expect(await store.open.depth(partitionOf('profile'))).toEqual({
      open: 12,
      waiting: 6,
      active: 6,
      delayed: 1,
      resting: 0,
      oldestAt: start + 6_000,
      ended: noneEnded,
    });
    expect((await store.open.depth(partitionOf('agent'))).open).toBe(0);
  });

  describe('with more calls than it looks at', () => {
    beforeAll(async () => letIn(12, 112));

    test('finds the longest wait of one caller', async () => {
      expect(await store.open.depth(partitionOf('profile'))).toMatchObject({ open: 112, waiting: 106, oldestAt: start + 6_000 });
    });

    test('comes close where others are taken up before', async () => {
      const now = start + 200_000;
      for (let tenant = 0; tenant < 5; tenant++) {
        const asked = request(newCaller(), { head: { createdAt: now } });
        await store.accept(domain, { ...asked, job: queuedJob({ ...asked, contract: undefined }) });
      }
      const { oldestAt } = await store.open.depth(partitionOf('profile'));
      expect(oldestAt).toBeGreaterThanOrEqual(start + 6_000);
      expect(oldestAt).toBeLessThan(start + 20_000);
    });
  });
});
