import { afterAll, expect, test } from '@jest/globals';
import { createRedisBackend } from 'bullmq';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { partitionOf, RedisKeys, workerConnection } from '#lib/transport';
import { placedBackend } from './placed-backend.js';
import { Places } from './places.js';

const redis = testRedis(newNamespace());

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

test('A queue that waits for a place lets another process know, which then has its next delayed job in time', async () => {
  const keys = new RedisKeys(newNamespace());
  const partition = partitionOf('profile', 1);
  const marker = keys.queue(partition, 'marker');
  const places = new Places(0);
  const connection = workerConnection({ REDIS_URL: process.env['REDIS_URL'] ?? '' });
  const make = placedBackend(createRedisBackend, { places, wakeOthers: async () => redis.zadd(marker, 0, '0') });
  const options = { connection, prefix: keys.queuePrefix(partition) };
  const backend = make(partition, options);
  const waiting = backend.waitForJob(60);
  await eventually(async () => (await redis.zcard(marker)) === 1);
  places.close();
  expect(await waiting).toBeNull();
  await backend.close();
  connection.disconnect();
});
