import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { domains } from '#lib/contracts';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { subscriberConnection, workerConnection, partitionOf } from '#lib/transport';
import { TurnSteps } from './job-steps.js';
import { RetryLater } from './retry-later.js';
import { jobsOn, readableLog } from './test-jobs.js';
import { ToolServer } from './tool-server.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { accept, enqueue, keys, queues, store } = jobsOn(redis, namespace);
const url = process.env['REDIS_URL'] ?? '';
const started: { server: ToolServer<object>; close: () => void }[] = [];

beforeEach(() => queues.queue(partitionOf('profile')).obliterate({ force: true }));
afterEach(async () => {
  for (const { server, close } of started.splice(0)) {
    await server.close();
    close();
  }
});
afterAll(async () => {
  await queues.close();
  await redis[Symbol.asyncDispose]();
});

type Parts = ConstructorParameters<typeof ToolServer<object>>[0];

/** A tool server whose processor is the test's own, with the order in which it starts and stops its neighbours. */
function newServer(rest: Partial<Parts['processor']> = {}, drainMs = 1_000) {
  const connection = workerConnection({ REDIS_URL: url });
  const subscriber = subscriberConnection({ REDIS_URL: url });
  const { log, lines } = readableLog();
  const order: string[] = [];
  const server = new ToolServer<object>({
    domain: domains.profile,
    partitions: { all: () => [partitionOf('profile')], onGrowth: () => () => undefined },
    concurrency: 2,
    drainMs,
    keys,
    connection,
    subscriber,
    store,
    steps: new TurnSteps(store),
    registry: { start: async () => void order.push('registry starts'), stop: () => void order.push('registry stops') },
    reaper: { start: () => void order.push('reaper starts'), stop: () => void order.push('reaper stops') },
    processor: {
      process: async () => 'done',
      stop: () => undefined,
      ends: { abandon: async () => undefined },
      releaseAll: () => void order.push('released'),
      ...rest,
    },
    log,
  });
  const close = () => [connection, subscriber].forEach((client) => client.disconnect());
  started.push({ server, close });
  return { server, subscriber, lines, order };
}

const listening = (server: ToolServer<object>) => new Promise<unknown>((resolve) => server.listen(resolve));

async function enqueued(): Promise<string> {
  const jobId = await accept();
  await enqueue(jobId);
  return jobId;
}

describe('a tool server', () => {
  test('reads the outside tools before its first job, and sweeps once it takes jobs', async () => {
    const { server, order } = newServer({ process: async () => (order.push('job'), 'done') });
    await enqueued();
    expect(await listening(server)).toBeUndefined();
    await eventually(() => order.includes('job'));
    expect(order[0]).toBe('registry starts');
    expect(order).toContain('reaper starts');
  });

  test('tells Nest what kept it from starting', async () => {
    const { server, subscriber } = newServer();
    subscriber.disconnect();
    jest.spyOn(subscriber, 'subscribe').mockRejectedValueOnce(new Error('Redis says no'));
    expect(await listening(server)).toEqual(new Error('Redis says no'));
    expect(server.isRunning).toBe(false);
  });

  test('runs as many attempts at once as it may, and no more', async () => {
    let [running, most] = [0, 0];
    const release = Promise.withResolvers<void>();
    const process = async () => {
      most = Math.max(most, ++running);
      await release.promise;
      running -= 1;
      return 'done';
    };
    const { server } = newServer({ process });
    const ids = [await enqueued(), await enqueued(), await enqueued()];
    await listening(server);
    await eventually(() => running === 2);
    release.resolve();
    await eventually(async () => (await queues.stateOf(ids[2] ?? '')) === 'completed');
    expect(most).toBe(2);
  });

  test('tries a job again after the delay that its failure names', async () => {
    let attempts = 0;
    const process = async () => {
      if (++attempts === 1) throw new RetryLater('NETWORK_ERROR', 5);
      return 'done';
    };
    const { server } = newServer({ process });
    const jobId = await enqueued();
    await listening(server);
    await eventually(async () => (await queues.stateOf(jobId)) === 'completed');
    expect(attempts).toBe(2);
  });

  test('ends the call of a job that the queue has given up, and not of one that waits for its retry', async () => {
    const abandoned: string[] = [];
    const failing = await accept({ head: { maxAttempts: 1 } });
    const retried = await accept();
    const process = async ({ id }: { id?: string | undefined }) => {
      if (id === failing) throw new Error('job stalled more than allowable limit');
      throw new RetryLater('NETWORK_ERROR', 60_000);
    };
    const { server } = newServer({ process, ends: { abandon: async (jobId) => void abandoned.push(jobId) } });
    await enqueue(retried);
    await enqueue(failing);
    await listening(server);
    await eventually(() => abandoned.length > 0);
    await eventually(async () => (await queues.stateOf(retried)) === 'delayed');
    expect(abandoned).toEqual([failing]);
  });

  test('stops the attempts that someone else has ended, by the ids of its own channel alone', async () => {
    const stopped: string[] = [];
    const { server, subscriber } = newServer({ stop: (jobId) => void stopped.push(jobId) });
    await listening(server);
    await subscriber.subscribe(keys.changesOf('outside'));
    await redis.publish(keys.changesOf('outside'), 'a server');
    await redis.publish(keys.stops('profile'), 'inv_profile_x');
    await eventually(() => stopped.length > 0);
    expect(stopped).toEqual(['inv_profile_x']);
  });
});

describe('a tool server that closes', () => {
  test('stops sweeping and refreshing first, and closes once', async () => {
    const { server, order } = newServer();
    await listening(server);
    await Promise.all([server.close(), server.close()]);
    expect(order).toEqual(['registry starts', 'reaper starts', 'reaper stops', 'registry stops']);
    expect(server.isRunning).toBe(false);
  });

  test('releases what runs only after the drain time', async () => {
    const release = Promise.withResolvers<string>();
    const { server, order } = newServer({ process: () => release.promise, releaseAll: () => release.resolve('released') }, 30);
    const jobId = await enqueued();
    await listening(server);
    await eventually(async () => (await queues.stateOf(jobId)) === 'active');
    await server.close();
    expect(await release.promise).toBe('released');
    expect(order).not.toContain('released');
  });

  test('before it has started takes no job at all', async () => {
    const { server, order } = newServer();
    await server.close();
    expect(order).toEqual(['reaper stops', 'registry stops']);
  });
});

describe('for Nest', () => {
  test('it gives the BullMQ worker out once it has started', async () => {
    const { server } = newServer();
    expect(() => server.unwrap()).toThrow('The tool server has not been started');
    await listening(server);
    expect(server.unwrap()).toMatchObject([{ name: 'profile' }]);
  });

  test('it has no events', () => {
    expect(() => newServer().server.on()).toThrow('subscribe to its status');
  });
});

describe('faults of the queue', () => {
  /** A server that has started, and a way to have its queue report faults. */
  async function faulty() {
    const { server, lines } = newServer();
    await listening(server);
    const [worker] = server.unwrap<[{ emit: (event: 'error', error: Error) => void }]>();
    return {
      server,
      report: (message: string) => worker.emit('error', new Error(message)),
      events: () => lines.map(({ event }) => event),
    };
  }

  test('are logged once a second, however many there are', async () => {
    const { report, events } = await faulty();
    for (let n = 0; n < 19; n++) report('OOM command not allowed');
    expect(events()).toEqual(['queue-fault']);
  });

  test('that come twenty times in a second pause the queue, which would spin', async () => {
    const { report, events } = await faulty();
    for (let n = 0; n < 20; n++) report('OOM command not allowed');
    expect(events()).toEqual(['queue-fault', 'queue-rest']);
    const jobId = await enqueued();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await queues.stateOf(jobId)).toBe('waiting');
    await eventually(async () => (await queues.stateOf(jobId)) === 'completed');
  });

  test('do not make a server that closes meanwhile take jobs again', async () => {
    const { report, server } = await faulty();
    for (let n = 0; n < 20; n++) report('OOM command not allowed');
    await server.close();
    const jobId = await enqueued();
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    expect(await queues.stateOf(jobId)).toBe('waiting');
  });

  test('of lost locks are no reason to pause: the jobs are fenced', async () => {
    const { report, events } = await faulty();
    for (let n = 0; n < 40; n++) report(`could not renew lock for job ${n}`);
    expect(events()).toEqual(['lock-lost']);
  });
});
