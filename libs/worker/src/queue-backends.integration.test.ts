// A rolling upgrade: processes on BullMQ's own scripts beside processes that join them with ours, on one queue.
import { afterAll, expect, test } from '@jest/globals';
import { domains } from '#lib/contracts';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { JoinedSteps, SeparateSteps, subscriberConnection, workerConnection, type RunSteps, partitionOf } from '#lib/transport';
import { Failure, handlersWith } from '#lib/handlers';
import { JobProcessor } from './process-job.js';
import { Registry } from './registry.js';
import { jobsOn, readableLog, sampleTool } from './test-jobs.js';
import { ToolServer } from './tool-server.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { accept, enqueue, events, keys, queues, sealer, store } = jobsOn(redis, namespace);
const url = process.env['REDIS_URL'] ?? '';
const contract = sampleTool({ retry: { network: { times: 2, baseMs: 10 } } });
const handle = handlersWith<object>();

afterAll(async () => {
  await queues.close();
  await redis[Symbol.asyncDispose]();
});

/** Every seventh call fails at first. */
async function startWorker(steps: RunSteps) {
  const connection = workerConnection({ REDIS_URL: url });
  const subscriber = subscriberConnection({ REDIS_URL: url });
  const { log } = readableLog();
  const ran = new Set<number>();
  const handler = handle(contract, ({ n }, { attempt }) => {
    ran.add(n);
    if (n % 7 === 0 && attempt === 1) throw new Failure('network', 'at first');
    return { n };
  });
  const registry = new Registry<object>('profile', [contract], [handler]);
  const processor = new JobProcessor<object>({ store, steps, events, sealer, registry, services: {}, log, domain: 'profile' });
  const server = new ToolServer<object>({
    domain: domains.profile,
    partitions: { all: () => [partitionOf('profile')], onGrowth: () => () => undefined },
    concurrency: 8,
    drainMs: 1_000,
    keys,
    connection,
    subscriber,
    steps,
    processor,
    registry,
    reaper: { start: () => undefined, stop: () => undefined },
    log,
  });
  await new Promise<void>((resolve, reject) => server.listen((error) => (error ? reject(error) : resolve())));
  return {
    ran,
    [Symbol.asyncDispose]: async () => {
      await server.close();
      connection.disconnect();
      subscriber.disconnect();
    },
  };
}

const calls = 300;

test('calls of gateways and workers of both kinds end once each, with their retries, and the queue is empty', async () => {
  await using stock = await startWorker(new SeparateSteps(store));
  await using joined = await startWorker(new JoinedSteps(store, domains.profile));
  const jobIds = await Promise.all(
    Array.from({ length: calls }, async (_, n) => {
      const jobId = await accept({ input: { n }, enqueues: n % 2 === 0 });
      if (n % 2 === 1) await enqueue(jobId);
      return jobId;
    }),
  );
  await eventually(async () => (await store.open.count(partitionOf('profile'))) === 0, { withinMs: 20_000, what: 'every end' });
  for (const [n, jobId] of jobIds.entries()) {
    const attempts = n % 7 === 0 ? 2 : 1;
    expect(await store.read(jobId)).toMatchObject({ runs: attempts, ending: { state: 'completed', attempts, outcome: { data: { n } } } });
  }
  const queue = queues.queue(partitionOf('profile'));
  await eventually(async () => (await queue.getJobCountByTypes('active', 'delayed', 'prioritized', 'waiting')) === 0);
  expect(await queue.getFailedCount()).toBe(0);
  expect(await queue.getCompletedCount()).toBe(calls);
  expect(stock.ran.size).toBeGreaterThan(0);
  expect(joined.ran.size).toBeGreaterThan(0);
});
