// A worker that has just worked offers its places, and is handed calls for them.
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { domains } from '#lib/contracts';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { partitionOf, subscriberConnection, workerConnection } from '#lib/transport';
import { TurnSteps } from './job-steps.js';
import { jobsOn, readableLog } from './test-jobs.js';
import { ToolServer } from './tool-server.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { accept, keys, queues, store } = jobsOn(redis, namespace);
const url = process.env['REDIS_URL'] ?? '';
const partition = partitionOf('profile');
const closing: (() => Promise<void>)[] = [];

beforeEach(() => queues.queue(partition).obliterate({ force: true }));
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(async () => {
  await queues.close();
  await redis[Symbol.asyncDispose]();
});

/** A worker whose jobs end as the test says, and how often each has run. */
async function startWorker({ concurrency = 2, end = async () => undefined }: { concurrency?: number; end?: () => Promise<void> } = {}) {
  const connection = workerConnection({ REDIS_URL: url });
  const subscriber = subscriberConnection({ REDIS_URL: url });
  const runs: string[] = [];
  let most = 0;
  let running = 0;
  const steps = new TurnSteps(store);
  const server = new ToolServer<object>({
    domain: domains.profile,
    partitions: { all: () => [partition], onGrowth: () => () => undefined },
    concurrency,
    drainMs: 1_000,
    keys,
    connection,
    subscriber,
    store,
    steps,
    registry: { start: async () => undefined, stop: () => undefined },
    reaper: { start: () => undefined, stop: () => undefined },
    processor: {
      process: async ({ id = '' }) => {
        const begun = await steps.begin(id, Date.now());
        most = Math.max(most, ++running);
        runs.push(id);
        await end();
        running -= 1;
        if (begun.kind === 'begun') {
          const ending = {
            state: 'completed',
            outcome: { ok: true, data: {} },
            startedAt: 1,
            finishedAt: Date.now(),
            attempts: 1,
          } as const;
          const { head, attempt } = begun;
          await steps.end({ jobId: id, head, attempt, ending: { ...ending, executionMs: 0, networkMs: 0 } }, () => undefined);
        }
        return 'done';
      },
      stop: () => undefined,
      ends: { abandon: async () => undefined },
      releaseAll: () => undefined,
    },
    log: readableLog().log,
  });
  closing.push(async () => {
    await server.close();
    for (const client of [connection, subscriber]) client.disconnect();
  });
  await new Promise((resolve) => server.listen(resolve));
  const [worker] = server.unwrap<readonly { readonly id: string }[]>();
  return { server, subscriber, runs, channel: keys.handed('profile', worker?.id), most: () => most };
}

const called = async (): Promise<string> => accept({ enqueues: true });
const isOffered = async (): Promise<boolean> => (await redis.exists(keys.offer(partition))) === 1;

/** What is sent to the worker reaches Redis' listener, and not the worker. */
async function deafen({ subscriber, channel }: { readonly subscriber: Redis; readonly channel: string }): Promise<void> {
  await subscriber.unsubscribe(channel);
  const ear = subscriberConnection({ REDIS_URL: url });
  closing.push(async () => ear.disconnect());
  await ear.subscribe(channel);
}

async function isHanded(jobId: string): Promise<boolean> {
  const lists = await Promise.all((await redis.keys(keys.taken(partition, '*'))).map((key) => redis.get(key)));
  return lists.some((list) => list?.includes(`+${jobId}`));
}

/** Calls until the worker is handed one: its offer holds for a moment. */
async function handed(): Promise<string> {
  for (;;) {
    const jobId = await called();
    if (await isHanded(jobId)) return jobId;
    await eventually(async () => (await queues.stateOf(jobId)) === 'completed');
  }
}

test('a call that comes soon after the one before is handed over, and its end offers a place again', async () => {
  const worker = await startWorker();
  const jobId = await handed();
  await eventually(() => worker.runs.includes(jobId));
  await eventually(async () => (await queues.stateOf(jobId)) === 'completed' && (await isOffered()));
  expect(worker.runs.filter((id) => id === jobId)).toHaveLength(1);
});

test('a worker that rests says nothing: its offer is gone, and the next call comes through the queue', async () => {
  const worker = await startWorker();
  const before = await handed();
  await eventually(async () => (await queues.stateOf(before)) === 'completed' && !(await isOffered()));
  const jobId = await called();
  expect(await isHanded(jobId)).toBe(false);
  await eventually(() => worker.runs.includes(jobId));
});

test('a call whose message is lost is found by the turn that takes the offer back', async () => {
  const worker = await startWorker();
  await deafen(worker);
  const jobId = await handed();
  const start = performance.now();
  await eventually(async () => (await queues.stateOf(jobId)) === 'completed');
  // A stalled job would come back after the life of its lock.
  expect(performance.now() - start).toBeLessThan(domains.profile.lockMs / 4);
  expect((await store.read(jobId))?.attempts).toBe(1);
});

test('a call that is heard of twice runs once', async () => {
  const worker = await startWorker();
  const messages: string[] = [];
  worker.subscriber.on('message', (channel: string, message: string) => {
    if (channel === worker.channel) messages.push(message);
  });
  const jobId = await handed();
  const messageOf = (): string | undefined => messages.find((message) => message.includes(jobId));
  await eventually(() => messageOf() !== undefined);
  const before = messages.length;
  await redis.publish(worker.channel, messageOf() ?? '');
  await eventually(() => messages.length > before);
  await eventually(async () => (await queues.stateOf(jobId)) === 'completed');
  expect(worker.runs.filter((id) => id === jobId)).toHaveLength(1);
});

test('a worker with one place offers none: another queue may need it', async () => {
  const worker = await startWorker({ concurrency: 1 });
  for (let n = 0; n < 3; n++) {
    const jobId = await called();
    await eventually(async () => (await queues.stateOf(jobId)) === 'completed');
    expect(await isOffered()).toBe(false);
  }
  expect(worker.runs).toHaveLength(3);
});

test('no more run than there are places, whichever way they come', async () => {
  const worker = await startWorker({ concurrency: 3, end: () => sleep(5) });
  await handed();
  const ids: string[] = [];
  for (let n = 0; n < 40; n++) {
    ids.push(...(await Promise.all(Array.from({ length: 1 + (n % 4) }, async () => called()))));
    await sleep(n % 7);
  }
  await eventually(async () => (await Promise.all(ids.map((id) => queues.stateOf(id)))).every((state) => state === 'completed'));
  expect(worker.most()).toBeLessThanOrEqual(3);
  expect(new Set(worker.runs).size).toBe(worker.runs.length);
  for (const id of ids) expect(await store.read(id)).toMatchObject({ state: 'completed', attempts: 1 });
});

test('a worker that stops takes its offer back, and runs what it was handed before', async () => {
  const worker = await startWorker();
  await deafen(worker);
  const jobId = await handed();
  await worker.server.close();
  expect(await isOffered()).toBe(false);
  expect(await queues.stateOf(jobId)).toBe('completed');
});
