import { afterAll, expect, test } from '@jest/globals';
import { newNamespace, testRedis } from '#lib/testing';
import { RedisKeys } from '../redis/redis-keys.js';
import { WorkerPresence } from './worker-presence.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
let now = Date.now();
const keys = new RedisKeys(namespace);
const presence = new WorkerPresence(redis, keys, () => now);
const worker = (id: string) => ({
  id,
  domain: 'profile',
  version: '1',
  host: 'h',
  pid: 1,
  running: 0,
  concurrency: 1,
  since: new Date(now).toISOString(),
});
const ids = async () => (await presence.list('profile')).map(({ id }) => id);

afterAll(async () => redis[Symbol.asyncDispose]());

test('a worker is there for 15 seconds after it said so, and is forgotten when others go on', async () => {
  await presence.announce(worker('a'));
  now += 10_000;
  await presence.announce(worker('b'));
  expect(await ids()).toEqual(['a', 'b']);
  now += 10_000;
  expect(await ids()).toEqual(['b']);
  now += 50_000;
  await presence.announce(worker('b'));
  expect(await ids()).toEqual(['b']);
  expect(await redis.hkeys(keys.workers('profile'))).toEqual(['b']);
  expect(await redis.pttl(keys.workers('profile'))).toBeGreaterThan(0);
});
