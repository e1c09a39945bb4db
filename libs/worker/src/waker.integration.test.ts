import { afterAll, describe, expect, test } from '@jest/globals';
import { domains, type Caller, type RestReason } from '#lib/contracts';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { CallReports, Metrics, newJobId, partitionOf } from '#lib/transport';
import { jobsOn, readableLog } from './test-jobs.js';
import { JobProcessor } from './process-job.js';
import { Waker } from './waker.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { store, events, sealer, keys, queues } = jobsOn(redis, namespace);
const partition = partitionOf('profile');
const caller: Caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' };

afterAll(async () => {
  await queues.close();
  await redis[Symbol.asyncDispose]();
});

async function resting(ms: number, reason: RestReason = 'scheduled'): Promise<string> {
  const jobId = newJobId(partition);
  const createdAt = Date.now();
  await store.accept(domains.profile, {
    jobId,
    head: {
      v: 1,
      tool: 'sample',
      version: '1.0.0',
      input: { n: 1 },
      caller,
      sessionId: null,
      traceId: 'trace_x',
      traceparent: '',
      createdAt,
      validationMs: 0,
      maxAttempts: 1,
      retry: true,
      flightKey: null,
      cacheKey: null,
    },
    deadline: createdAt + 60_000,
    fingerprint: '',
    idempotencyKey: null,
    readCache: false,
    rest: { reason, until: createdAt + ms },
  });
  return jobId;
}

function newWaker() {
  const { log, lines } = readableLog();
  const registry = { find: () => undefined, resolve: async () => undefined };
  const reports = new CallReports(log, Date.now, new Metrics());
  const processor = new JobProcessor({ store, events, sealer, reports, log, registry, services: {}, domain: 'profile' });
  return { waker: new Waker({ partitions: () => [partition], store, find: () => undefined, ends: processor.ends, log }), lines };
}

describe('a waker', () => {
  test('wakes all that is due, several of them at once too, each call once', async () => {
    const ids = await Promise.all(Array.from({ length: 400 }, async () => resting(0)));
    const notYet = await resting(60_000);
    const ends = await Promise.all([1, 2, 3].map(async () => newWaker().waker.wake(partition)));
    expect(ends.some((at) => at !== null && at > Date.now() + 50_000)).toBe(true);
    expect(await store.resting.count(partition)).toBe(1);
    const waiting = await redis.lrange(keys.queue(partition, 'wait'), 0, -1);
    const inRounds = await redis.zrange(keys.queue(partition, 'prioritized'), '0', '-1');
    expect([...waiting, ...inRounds].toSorted()).toEqual(ids.toSorted());
    expect((await store.read(notYet))?.state).toBe('resting');
  });

  test('ends a call about which nobody decided, once, and does not wake it', async () => {
    const jobId = await resting(0, 'approval');
    await Promise.all([1, 2, 3].map(async () => newWaker().waker.wake(partition, Date.now() + 1_000)));
    const record = await store.read(jobId);
    expect(record).toMatchObject({ state: 'failed', attempts: 0, ending: { attempts: 0, restedMs: expect.any(Number) } });
    expect(record?.ending?.outcome).toMatchObject({ ok: false, error: { code: 'TIMEOUT', family: 'TIMEOUT', native_code: 'NO_DECISION' } });
    expect(await redis.zscore(keys.resting(partition), jobId)).toBeNull();
    expect(await redis.exists(keys.job(jobId))).toBe(0);
  });

  test('does so by a moved clock', async () => {
    const jobId = await resting(3_600_000);
    await newWaker().waker.wake(partition, Date.now() + 3_600_001);
    expect((await store.read(jobId))?.state).toBe('waiting');
  });

  test('is woken by the time itself, and stops', async () => {
    const { waker } = newWaker();
    waker.start();
    const jobId = await resting(1_700);
    const until = Date.now() + 1_700;
    await eventually(async () => (await store.read(jobId))?.state === 'waiting', { what: 'a woken call' });
    expect(Date.now() - until).toBeLessThan(1_000);
    waker.stop();
    const late = await resting(10);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await store.read(late))?.state).toBe('resting');
  });

  test('is not kept by a record that cannot be read, nor by one that is gone', async () => {
    const [broken, gone, whole] = [await resting(0), await resting(0), await resting(0)];
    await redis.hset(keys.invocation(broken), 'head', '{');
    await redis.del(keys.invocation(gone));
    const { waker, lines } = newWaker();
    await waker.wake(partition, Date.now() + 1_000);
    expect((await store.read(whole))?.state).toBe('waiting');
    expect(await redis.zscore(keys.resting(partition), gone)).toBeNull();
    expect(lines).toMatchObject([{ event: 'sweep-failed', sweep: 'calls at rest' }]);
  });
});
