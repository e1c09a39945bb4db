import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { newNamespace, testRedis } from '#lib/testing';
import { RedisKeys } from '../redis/redis-keys.js';
import { partitionOf } from '../redis/partition.js';
import { TakeUpRate } from './take-up-rate.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const keys = new RedisKeys(namespace);
let now = 0;
let rate = new TakeUpRate(redis, keys, () => now);

beforeEach(() => {
  rate = new TakeUpRate(redis, keys, () => now);
});
afterAll(async () => redis[Symbol.asyncDispose]());

/** The queue as it stands a second later, and what is known then. */
async function second(added: number, waiting: number): Promise<number | null> {
  const [pc, prioritized] = [keys.queue(partitionOf('profile'), 'pc'), keys.queue(partitionOf('profile'), 'prioritized')];
  await redis.del(prioritized);
  await redis.set(pc, added);
  if (waiting > 0) await redis.zadd(prioritized, ...Array.from({ length: waiting }, (_, n) => [n, `job${n}`]).flat());
  now += 1_000;
  await rate.look(partitionOf('profile'));
  return rate.of(partitionOf('profile'), 10);
}

test('is known after five seconds of waiting, whether calls come or not', async () => {
  for (const [added, waiting] of [
    [500, 100],
    [500, 80],
    [520, 80],
    [560, 100],
    [560, 80],
  ] as const)
    expect(await second(added, waiting)).toBeNull();
  // 60 came, 40 fewer wait, and one worker's 10 may be about to end.
  expect(await second(560, 60)).toBe((60 + 40 + 10) / 5);
  expect(rate.of(partitionOf('agent'), 10)).toBeNull();
});

test.each([
  ['nobody waits', 0, 600],
  ['the queue was empty in between', 50, 100],
])('is measured anew when %s', async (_what, waiting, added) => {
  for (let at = 0; at < 6; at++) await second(500, 100);
  expect(rate.of(partitionOf('profile'), 10)).toBe(2);
  expect(await second(added, waiting)).toBeNull();
});

test('of half a minute counts, and nothing when nobody has looked for a while', async () => {
  for (let at = 0; at < 40; at++) await second(500, 100);
  expect(rate.of(partitionOf('profile'), 10)).toBeCloseTo(10 / 30);
  now += 3_001;
  expect(rate.of(partitionOf('profile'), 10)).toBeNull();
  expect(await second(500, 90)).toBeNull();
});

test('looks at most once a second, however many ask', async () => {
  await second(500, 100);
  await redis.set(keys.queue(partitionOf('profile'), 'pc'), 'not a number');
  now += 999;
  await Promise.all([rate.look(partitionOf('profile')), rate.look(partitionOf('profile'))]);
  expect(await second(500, 100)).toBeNull();
});
