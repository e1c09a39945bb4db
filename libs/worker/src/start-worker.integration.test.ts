import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { ToolServer } from './tool-server.js';
import { handlersWith, type Handler } from '#lib/handlers';
import { createWorker } from './start-worker.js';
import { jobsOn, sampleTool } from './test-jobs.js';
import type { OpenedServices, WorkerDefinition } from './worker-definition.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const jobs = jobsOn(redis, namespace);
const contract = sampleTool();
const handle = handlersWith<object>();
const double = handle(contract, ({ n }) => ({ n: 2 * n }));

afterAll(async () => {
  await jobs.queues.close();
  await redis[Symbol.asyncDispose]();
});

interface WorkerWishes {
  readonly handler?: Handler<object>;
  readonly opened?: Partial<OpenedServices<object>>;
  readonly drainMs?: number;
}

function definition({ handler = double, opened, drainMs = 5_000 }: WorkerWishes): WorkerDefinition<object> {
  return {
    domain: 'profile',
    settings: {
      NODE_ENV: 'test',
      LOG_LEVEL: 'silent',
      REDIS_MODE: 'single',
      REDIS_URL: process.env['REDIS_URL'] ?? '',
      DATABASE_URL: '',
      INVOQ_NAMESPACE: namespace,
      SEALING_KEYS: [jobs.sealingKey],
      HOST: '127.0.0.1',
      HEALTH_PORT: 0,
      RETRY_BASE_MS: 2_000,
      WORKER_CONCURRENCY: 4,
      DRAIN_MS: drainMs,
      DATABASE_POOL: 1,
      FILES_DIR: '.data/files',
      FILES_S3_REGION: 'none',
    },
    contracts: [contract],
    handlers: [handler],
    open: () => ({ services: {}, checks: {}, close: async () => undefined, ...opened }),
  };
}

/** A worker on an HTTP port of its own that closes with its scope. */
async function worker(wishes: WorkerWishes = {}) {
  const app = await createWorker(definition(wishes));
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const get = async (path: string) => {
    const response = await fetch(url + path);
    return { status: response.status, text: await response.text() };
  };
  return { app, get, [Symbol.asyncDispose]: () => app.close() };
}

/** A handler that waits until the test lets it go on, or its signal fires. */
function gate() {
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const handler = handle(contract, async ({ n }) => {
    started.resolve();
    await release.promise;
    return { n };
  });
  return { handler, started: started.promise, release: release.resolve };
}

const endOf = (jobId: string) => eventually(async () => (await jobs.store.read(jobId))?.ending, { what: 'the end' });

describe('a worker', () => {
  test('runs what is enqueued once its microservice has started', async () => {
    await using running = await worker();
    const jobId = await jobs.accept({ input: { n: 21 } });
    await jobs.enqueue(jobId);
    await running.app.startAllMicroservices();
    expect(await endOf(jobId)).toMatchObject({ state: 'completed', outcome: { ok: true, data: { n: 42 } } });
  });

  test('is alive but not ready until it takes jobs', async () => {
    await using running = await worker();
    expect(await running.get('/healthz')).toMatchObject({ status: 200 });
    expect(await running.get('/readyz')).toMatchObject({ status: 503 });
    await running.app.startAllMicroservices();
    expect(await running.get('/readyz')).toMatchObject({ status: 200 });
  });

  test('is not ready while a dependency is down, and says which one', async () => {
    await using running = await worker({ opened: { checks: { ledger: () => Promise.reject(new Error('no ledger')) } } });
    await running.app.startAllMicroservices();
    const { status, text } = await running.get('/readyz');
    expect([status, JSON.parse(text)]).toMatchObject([
      503,
      { status: 'not-ready', dependencies: { redis: { state: 'up' }, ledger: { state: 'down', error: 'no ledger' } } },
    ]);
  });

  test('shows its metrics', async () => {
    await using running = await worker();
    const { text } = await running.get('/metrics');
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
  });

  test('tells Nest its status from the start to the end', async () => {
    const running = await worker();
    const seen: string[] = [];
    const microservice = running.app.getMicroservices()[0];
    microservice?.status.subscribe((status) => seen.push(status));
    await running.app.startAllMicroservices();
    expect(running.app.get(ToolServer).unwrap()).toMatchObject([{ name: 'profile' }]);
    await running.app.close();
    expect(seen).toEqual(['starting', 'running', 'draining', 'closed']);
  });

  test('does not start when a handler is missing, and names it', async () => {
    await expect(createWorker({ ...definition({}), handlers: [] })).rejects.toThrow(/no handler for sample 1\.0\.0/);
  });
});

describe('a worker that closes', () => {
  test('lets running attempts end, answers 503 meanwhile, and then closes port, services and connections', async () => {
    const { handler, started, release } = gate();
    const order: string[] = [];
    const close = async () => {
      order.push(await redis.ping().then(() => 'services'));
    };
    const running = await worker({ handler, opened: { close } });
    await running.app.startAllMicroservices();
    const jobId = await jobs.accept({ input: { n: 7 } });
    await jobs.enqueue(jobId);
    await started;
    const closed = running.app.close().then(() => order.push('closed'));
    expect(await eventually(async () => (await running.get('/readyz')).status === 503)).toBe(true);
    expect(await running.get('/healthz')).toMatchObject({ status: 200 });
    expect(order).toEqual([]);
    release();
    await closed;
    expect(order).toEqual(['services', 'closed']);
    expect((await jobs.store.read(jobId))?.ending).toMatchObject({ state: 'completed', outcome: { data: { n: 7 } } });
    await expect(running.get('/healthz')).rejects.toThrow();
  });

  test('takes no new job while it drains; another worker runs it', async () => {
    const { handler, started, release } = gate();
    const first = await worker({ handler });
    await first.app.startAllMicroservices();
    const held = await jobs.accept();
    await jobs.enqueue(held);
    await started;
    const closed = first.app.close();
    const later = await jobs.accept({ input: { n: 4 } });
    await jobs.enqueue(later);
    await using second = await worker();
    await second.app.startAllMicroservices();
    expect(await endOf(later)).toMatchObject({ outcome: { data: { n: 8 } } });
    expect((await jobs.store.read(held))?.ending).toBeNull();
    release();
    await closed;
    expect((await jobs.store.read(held))?.ending).toMatchObject({ state: 'completed' });
  });

  test('gives back what has not ended after the drain time, and another worker runs it', async () => {
    const { handler, started } = gate();
    const first = await worker({ handler, drainMs: 0 });
    await first.app.startAllMicroservices();
    const jobId = await jobs.accept({ input: { n: 5 } });
    await jobs.enqueue(jobId);
    await started;
    await first.app.close();
    expect((await jobs.store.read(jobId))?.ending).toBeNull();
    await using second = await worker();
    await second.app.startAllMicroservices();
    expect(await endOf(jobId)).toMatchObject({ state: 'completed', attempts: 2, outcome: { data: { n: 10 } } });
  });

  test('closes its services even when the queue could not be drained in order', async () => {
    let isClosed = false;
    const close = async () => void (isClosed = true);
    const running = await worker({ opened: { close } });
    jest.spyOn(running.app.get(ToolServer), 'close').mockRejectedValueOnce(new Error('Redis is away'));
    await running.app.close();
    expect(isClosed).toBe(true);
  });
});
