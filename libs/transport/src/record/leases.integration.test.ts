import { afterAll, afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { RedisKeys } from '../redis/redis-keys.js';
import { Leases } from './leases.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const lease = new RedisKeys(namespace).soleSweeper('budget');
const nothing = async () => undefined;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  jest.useRealTimers();
  await redis.del(lease);
});
afterAll(async () => redis[Symbol.asyncDispose]());

/** Of a process with this name, before which others have ended. */
const leasesOf = (name: string, ...ended: readonly string[]) => new Leases(redis, { name, ended });

/** A process that works until it is let go, or until it is as good as dead. */
async function working(leases: Leases) {
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const worked = leases.alone(lease, 0, async () => {
    begun.resolve();
    await released.promise;
  });
  await Promise.race([begun.promise, worked]);
  return { release: async () => (released.resolve(), worked) };
}

test('one works at a time, and nobody for a while after it', async () => {
  const [one, other] = [leasesOf('one'), new Leases(redis, null)];
  const { release } = await working(one);
  expect(await other.alone(lease, 0, nothing)).toBe(false);
  await release();
  expect(await other.alone(lease, 60_000, nothing)).toBe(true);
  expect(await one.alone(lease, 0, nothing)).toBe(false);
  expect(await redis.pttl(lease)).toBeGreaterThan(50_000);
});

test('work that fails gives its lease back', async () => {
  await expect(leasesOf('one').alone(lease, 0, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await leasesOf('two').alone(lease, 0, nothing)).toBe(true);
});

test('the next process works at once for one before it that has ended, others do when its lease is over', async () => {
  await working(leasesOf('killed'));
  expect(await leasesOf('other').alone(lease, 0, nothing)).toBe(false);
  expect(await leasesOf('next', 'someone', 'kill').alone(lease, 0, nothing)).toBe(false);
  expect(await redis.pttl(lease)).toBeLessThanOrEqual(5_000);
  expect(await leasesOf('next', 'someone', 'killed').alone(lease, 60_000, nothing)).toBe(true);
  expect(await leasesOf('other', 'someone', 'killed').alone(lease, 0, nothing)).toBe(false);
});

test('of several that follow one that has ended, one works', async () => {
  await working(leasesOf('killed'));
  const started = await Promise.all(['a', 'b', 'c'].map(async (name) => leasesOf(name, 'killed').alone(lease, 60_000, nothing)));
  expect(started.filter(Boolean)).toHaveLength(1);
});

test('a lease is held as long as its holder says so, and by the next process once it has ended', async () => {
  const [one, other] = [leasesOf('one'), leasesOf('other')];
  expect(await one.hold(lease, 1_000)).toBe(true);
  expect(await other.hold(lease, 60_000)).toBe(false);
  expect(await one.hold(lease, 60_000)).toBe(true);
  expect(await redis.pttl(lease)).toBeGreaterThan(50_000);
  expect(await leasesOf('next', 'one').hold(lease, 10_000)).toBe(true);
  expect(await one.hold(lease, 60_000)).toBe(false);
  expect(await redis.pttl(lease)).toBeLessThanOrEqual(10_000);
});

test('work may take longer than a lease', async () => {
  const { release } = await working(leasesOf('one'));
  for (let times = 0; times < 3; times++) {
    await redis.pexpire(lease, 1_000);
    jest.advanceTimersByTime(1_500);
    await eventually(async () => (await redis.pttl(lease)) > 4_000);
  }
  await release();
  expect(await redis.exists(lease)).toBe(0);
  jest.advanceTimersByTime(60_000);
  expect(jest.getTimerCount()).toBe(0);
});

test('who has lost its lease takes nothing from the next holder', async () => {
  const { release } = await working(leasesOf('paused'));
  await redis.del(lease);
  const next = await working(leasesOf('next'));
  const held = await redis.get(lease);
  await redis.pexpire(lease, 3_000);
  jest.clearAllTimers();
  await release();
  expect([await redis.get(lease), (await redis.pttl(lease)) > 2_000]).toEqual([held, true]);
  await next.release();
});
