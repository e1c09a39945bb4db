import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { eventually } from '#lib/testing';
import { invalidateCache, partitionOf } from '#lib/transport';
import { parseOptions } from './options.js';
import { startJob, startTwoGateways, type TestCalls, type TwoGateways } from './test-calls.js';
import { newCaller } from './test-request.js';

let both: TwoGateways;
let redis: Redis;

beforeAll(async () => {
  both = await startTwoGateways();
  ({ redis } = both.stores);
});

afterAll(async () => both[Symbol.asyncDispose]());

/** Starts an equal call; true when it was answered from the cache. */
async function isCached(gateway: TestCalls, request: Parameters<TestCalls['request']>[0]): Promise<boolean> {
  using call = await gateway.calls.start(gateway.request({ tool: 'test_cached', input: { order: 'kept' }, ...request }));
  if (call.jobId !== null) await gateway.work(call.jobId);
  return call.jobId === null;
}

test('An answer that was read a moment ago is given again without Redis: to those who may share it, for at most a second', async () => {
  const { gateway, other } = both;
  const caller = newCaller();
  using job = await startJob(gateway, { tool: 'test_cached', caller, input: { order: 'kept' } });
  await gateway.work(job.jobId);
  expect([await isCached(gateway, { caller }), await isCached(other, { caller })]).toEqual([true, true]);

  // From now on Redis has no answer that was made before, and nobody was told.
  const changedAt = performance.now();
  await redis.del(...(await redis.keys('*:cache:*')));
  expect([await isCached(gateway, { caller }), await isCached(other, { caller })]).toEqual([true, true]);
  expect(performance.now() - changedAt).toBeLessThan(900);

  // Never another user's, nor where none from the cache is wanted, nor for a run of one's own.
  expect(await isCached(gateway, { caller: { ...caller, userId: 'other' } })).toBe(false);
  expect(await isCached(gateway, { caller: newCaller() })).toBe(false);
  expect(await isCached(gateway, { caller, idempotencyKey: 'mine' })).toBe(false);
  await redis.del(...(await redis.keys('*:cache:*')));
  expect(await isCached(other, { caller, options: parseOptions({ enable_cache: false }) })).toBe(false);
  await redis.del(...(await redis.keys('*:cache:*')));

  await eventually(async () => !(await isCached(gateway, { caller })), { withinMs: 1_500 });
  await redis.del(...(await redis.keys('*:cache:*')));
  await eventually(async () => !(await isCached(other, { caller })), { withinMs: 1_500 });
  expect(performance.now() - changedAt).toBeLessThan(2_500);
});

test('Gateways that are told of changed data forget its answers at once', async () => {
  const { gateway, other } = both;
  const caller = newCaller();
  expect(await isCached(gateway, { caller })).toBe(false);
  expect([await isCached(gateway, { caller }), await isCached(other, { caller })]).toEqual([true, true]);
  const changedAt = performance.now();
  await invalidateCache(redis, gateway.keys, { partitions: [partitionOf('profile')], attemptMs: 0 });
  await eventually(async () => !(await isCached(gateway, { caller })), { withinMs: 500 });
  await redis.del(...(await redis.keys('*:cache:*')));
  await eventually(async () => !(await isCached(other, { caller })), { withinMs: 500 });
  expect(performance.now() - changedAt).toBeLessThan(900);
});
