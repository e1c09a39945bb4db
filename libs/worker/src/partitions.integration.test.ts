import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { domains } from '#lib/contracts';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { partitionOf, subscriberConnection, workerConnection, type Partition } from '#lib/transport';
import { TurnSteps } from './job-steps.js';
import { jobsOn, readableLog } from './test-jobs.js';
import { ToolServer } from './tool-server.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { accept, enqueue, keys, queues, store } = jobsOn(redis, namespace);
const url = process.env['REDIS_URL'] ?? '';
const four = [0, 1, 2, 3].map((index) => partitionOf('profile', index));
const started: { server: ToolServer<object>; close: () => void }[] = [];

afterEach(async () => {
  for (const { server, close } of started.splice(0)) {
    await server.close();
    close();
  }
  for (const partition of four) await queues.queue(partition).obliterate({ force: true });
});
afterAll(async () => {
  await queues.close();
  await redis[Symbol.asyncDispose]();
});

interface ServerWishes {
  readonly concurrency: number;
  readonly process: (jobId: string) => Promise<void>;
}

/** A worker of the four partitions, which may get to know of them late. */
async function newServer({ concurrency, process }: ServerWishes, known: readonly Partition[] = four) {
  const connection = workerConnection({ REDIS_URL: url });
  const subscriber = subscriberConnection({ REDIS_URL: url });
  const { log } = readableLog();
  const listeners: (() => void)[] = [];
  let [partitions, faults] = [known, 0];
  const server = new ToolServer<object>({
    domain: domains.profile,
    partitions: {
      all: () => {
        if (faults-- > 0) throw new Error('Redis is away');
        return partitions;
      },
      onGrowth: (listener) => {
        listeners.push(listener);
        return () => undefined;
      },
    },
    concurrency,
    drainMs: 1_000,
    keys,
    connection,
    subscriber,
    store,
    steps: new TurnSteps(store),
    registry: { start: async () => undefined, stop: () => undefined },
    reaper: { start: () => undefined, stop: () => undefined },
    processor: {
      process: async ({ id = '' }) => {
        await process(id);
        return 'done';
      },
      stop: () => undefined,
      ends: { abandon: async () => undefined },
      releaseAll: () => undefined,
    },
    log,
  });
  const close = () => [connection, subscriber].forEach((client) => client.disconnect());
  started.push({ server, close });
  await new Promise<void>((resolve, reject) => server.listen((error) => (error === undefined ? resolve() : reject(error))));
  const grow = (times = 0) => {
    [partitions, faults] = [four, times];
    for (const listener of listeners) listener();
  };
  return { server, grow };
}

async function enqueued(partition: Partition): Promise<string> {
  const jobId = await accept({ partition });
  await enqueue(jobId);
  return jobId;
}

const completed = async (jobIds: readonly string[]) =>
  eventually(async () => (await Promise.all(jobIds.map((id) => queues.stateOf(id)))).every((state) => state === 'completed'));

describe('a worker of four partitions', () => {
  test('runs as many attempts at once as it may, over all of them, and every job', async () => {
    let [running, most] = [0, 0];
    const ids: string[] = [];
    for (const partition of four) for (let n = 0; n < 5; n++) ids.push(await enqueued(partition));
    const process = async () => {
      most = Math.max(most, ++running);
      await sleep(2);
      running -= 1;
    };
    await newServer({ concurrency: 3, process });
    await completed(ids);
    expect(most).toBe(3);
  });

  test('gives a flooded partition no more turns than the others', async () => {
    const order: string[] = [];
    const ids: string[] = [];
    const [flooded = partitionOf('profile'), ...others] = four;
    for (let n = 0; n < 40; n++) ids.push(await enqueued(flooded));
    const gates = Array.from({ length: 2 }, () => Promise.withResolvers<void>());
    let begun = 0;
    const process = async (jobId: string) => {
      order.push(jobId);
      await gates[begun++]?.promise;
      await sleep(1);
    };
    await newServer({ concurrency: 2, process });
    await eventually(() => begun === 2);
    // Both places are taken when the others come.
    const late = await Promise.all(others.map(enqueued));
    await sleep(100);
    for (const gate of gates) gate.resolve();
    await completed([...ids, ...late]);
    for (const jobId of late) expect(order.indexOf(jobId)).toBeLessThan(15);
  });

  test('leaves a job for which it has no place to a worker that has one', async () => {
    const stuck = Promise.withResolvers<void>();
    const process = async (jobId: string) => (jobId.includes('_profile_') ? stuck.promise : undefined);
    await newServer({ concurrency: 1, process });
    const long = await enqueued(partitionOf('profile'));
    await eventually(async () => (await queues.stateOf(long)) === 'active');
    await newServer({ concurrency: 1, process });
    // Whichever of the two is woken first.
    for (let n = 0; n < 6; n++) await completed([await enqueued(partitionOf('profile', 1 + (n % 3)))]);
    stuck.resolve();
    await completed([long]);
  });
});

test('A worker takes jobs of partitions that come while it runs, and runs nothing when it has no places', async () => {
  const { server, grow } = await newServer({ concurrency: 2, process: async () => undefined }, four.slice(0, 1));
  const late = await enqueued(partitionOf('profile', 3));
  await completed([await enqueued(partitionOf('profile'))]);
  expect(await queues.stateOf(late)).toBe('waiting');
  server.resize(0);
  grow();
  await eventually(() => server.unwrap<readonly unknown[]>().length === 4);
  expect(await queues.stateOf(late)).toBe('waiting');
  server.resize(1);
  await completed([late]);
});

test('A worker may get other places while it takes up a partition', async () => {
  const { server, grow } = await newServer({ concurrency: 2, process: async () => undefined }, four.slice(0, 1));
  const late = await enqueued(partitionOf('profile', 3));
  grow();
  // The second is being opened; no turn of the event loop has passed in which it could be ready.
  while (server.unwrap<readonly unknown[]>().length === 1) await Promise.resolve();
  server.resize(1);
  await completed([late]);
});

test('A worker tries again when it could not take up the partitions that came', async () => {
  const { grow } = await newServer({ concurrency: 2, process: async () => undefined }, four.slice(0, 1));
  const late = await enqueued(partitionOf('profile', 3));
  grow(1);
  await completed([late]);
});

test('A worker closes while its partitions wait for a place', async () => {
  const gate = Promise.withResolvers<void>();
  const { server } = await newServer({ concurrency: 1, process: async () => gate.promise });
  const running = await enqueued(partitionOf('profile'));
  await eventually(async () => (await queues.stateOf(running)) === 'active');
  const waiting = await Promise.all(four.map(enqueued));
  await sleep(50);
  const closing = server.close();
  gate.resolve();
  await closing;
  expect(await queues.stateOf(running)).toBe('completed');
  expect(new Set(await Promise.all(waiting.map((id) => queues.stateOf(id))))).toEqual(new Set(['waiting']));
});
