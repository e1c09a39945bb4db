import { afterAll, expect, jest, test } from '@jest/globals';
import { newNamespace, testRedis } from '#lib/testing';
import { partitionOf } from '../redis/partition.js';
import { RedisKeys } from '../redis/redis-keys.js';
import { invalidateCache } from './invalidate-cache.js';
import { ReadAnswers } from './read-answers.js';

const partition = partitionOf('profile');
const namespace = newNamespace();
const redis = testRedis(namespace);
const keys = new RedisKeys(namespace);
const read = new ReadAnswers(redis, keys);

afterAll(async () => redis[Symbol.asyncDispose]());

const isCurrent = async (name: string, text = `entry of ${name}`, cachedAt = 1_000) => read.isCurrent(partition, name, { text, cachedAt });

test('Only what Redis has as it was read, and trusts, is current', async () => {
  await redis.set(keys.cache(partition, 'a'), 'entry of a', 'PX', 60_000);
  expect(await isCurrent('a')).toBe(true);
  expect(await isCurrent('a', 'entry of b')).toBe(false);
  expect(await isCurrent('b')).toBe(false);
  await invalidateCache(redis, keys, { partitions: [partition], attemptMs: 0, now: 1_000 });
  expect(await isCurrent('a')).toBe(true);
  await invalidateCache(redis, keys, { partitions: [partition], attemptMs: 0, now: 1_001 });
  expect(await isCurrent('a')).toBe(false);
  expect(await isCurrent('a', 'entry of a', 1_001)).toBe(true);
  await redis.pexpire(keys.cache(partition, 'a'), 0);
  expect(await isCurrent('a', 'entry of a', 1_001)).toBe(false);
});

test('Those that are asked for at once are one command for sixteen, and each has its own reply', async () => {
  const names = Array.from({ length: 40 }, (_, n) => `n${n}`);
  for (const name of names.filter((_, n) => n % 3 !== 0)) await redis.set(keys.cache(partition, name), `entry of ${name}`);
  const sent = jest.spyOn(redis, 'sendCommand');
  const are = await Promise.all(names.map(async (name) => isCurrent(name, undefined, 2_000)));
  expect(are).toEqual(names.map((_, n) => n % 3 !== 0));
  const asked = sent.mock.calls.map(([command]) => command).filter(({ name }) => name === 'mget');
  expect(asked.map(({ args }) => args.length - 1)).toEqual([16, 16, 8]);
});
