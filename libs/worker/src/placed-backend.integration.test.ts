import { afterAll, expect, test } from '@jest/globals';
import { createRedisBackend } from 'bullmq';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { domains } from '#lib/contracts';
import { JoinedSteps, partitionOf, RedisKeys, workerConnection } from '#lib/transport';
import { placedBackend } from './placed-backend.js';
import { Places } from './places.js';
import { jobsOn } from './test-jobs.js';

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
  const make = placedBackend(createRedisBackend, { places, wakeOthers: async () => redis.zadd(marker, 0, '0'), onPlace: () => undefined });
  const options = { connection, prefix: keys.queuePrefix(partition) };
  const backend = make(partition, options);
  const waiting = backend.waitForJob(60);
  await eventually(async () => (await redis.zcard(marker)) === 1);
  places.close();
  expect(await waiting).toBeNull();
  await backend.close();
  connection.disconnect();
});

test('A queue that has waited for a place takes what came meanwhile, with the first place that it gets', async () => {
  const { accept, keys, queues, store } = jobsOn(redis, newNamespace());
  const partition = partitionOf('profile');
  const places = new Places(1);
  const connection = workerConnection({ REDIS_URL: process.env['REDIS_URL'] ?? '' });
  const steps = new JoinedSteps(store, domains.profile);
  const make = placedBackend(steps.backend, { places, wakeOthers: async () => undefined, onPlace: () => steps.looksAgain(partition) });
  const options = { connection, prefix: keys.queuePrefix(partition) };
  const backend = make(partition, options);
  const take = async () => (await backend.moveToActive('token'))[1];
  const first = await accept({ enqueues: true });
  expect(await take()).toBe(first);
  expect(await take()).toBe(0);
  const waiting = backend.waitForJob(60);
  const second = await accept({ enqueues: true });
  places.leave();
  await waiting;
  expect(await take()).toBe(second);
  await backend.close();
  await queues.close();
  connection.disconnect();
});
