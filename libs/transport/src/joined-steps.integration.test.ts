// What the joined steps add to the paths that they share with BullMQ's scripts: see `queue-paths.integration.test.ts`.
import { afterAll, describe, expect, test } from '@jest/globals';
import { Worker } from 'bullmq';
import { domains } from '#lib/contracts';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { JoinedSteps } from './joined-steps.js';
import { stepShas } from './scripts/step-shas.js';
import { ending, newCaller, request, storeOn } from './test-invocations.js';
import { pathsOn, type Paths } from './test-queue-paths.js';
import { queuedJob } from './tool-queue.js';
import { partitionOf } from './redis-keys.js';

const main = newNamespace();
const redis = testRedis(main);

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

const required = <T>(value: T | null | undefined): T => {
  if (value === null || value === undefined) throw new Error('There is none');
  return value;
};
const joined = { enqueues: 'invoq', works: 'invoq' } as const;

async function on(work: (paths: Paths) => Promise<void>, client = redis): Promise<void> {
  const namespace = newNamespace();
  await using paths = pathsOn(client, namespace, joined);
  await work(paths);
  for (const key of await redis.keys(`{${namespace}:*`)) await redis.unlink(key);
}

/** A client whose connection breaks before the reply of each script while it `breaks`: the script has run, and is sent again. */
const way = { breaks: false };
const breaking = new Proxy(redis, {
  get: (target, name) => {
    if (name !== 'evalsha' || !way.breaks) return Reflect.get(target, name);
    return async (sha: string, keyCount: number, ...rest: (string | number)[]): Promise<unknown> => {
      await redis.evalsha(sha, keyCount, ...rest);
      return redis.evalsha(sha, keyCount, ...rest);
    };
  },
});

async function whileBreaking<T>(work: () => Promise<T>): Promise<T> {
  way.breaks = true;
  try {
    return await work();
  } finally {
    way.breaks = false;
  }
}

describe('over a connection that breaks before the replies', () => {
  test('a call is let in once, with one job', async () => {
    await on(async ({ accept, queue, store }) => {
      const jobId = await whileBreaking(async () => accept({ round: 1 }));
      expect(await queue.getJobCounts('prioritized', 'waiting')).toEqual({ prioritized: 1, waiting: 0 });
      expect(await store.open.count(partitionOf('profile'))).toBe(1);
      expect(await store.read(jobId)).toMatchObject({ state: 'waiting' });
    }, breaking);
  });

  test('an end is written once, its job is complete, and the job that was taken with it has its worker', async () => {
    await on(async ({ accept, take, complete, ended, queue, store }) => {
      const first = await accept();
      const job = required(await take());
      const [second, third] = [await accept(), await accept()];
      expect(await whileBreaking(async () => complete(job, { next: true }))).toBe(second);
      expect(ended).toEqual(['ended']);
      expect(await store.read(first)).toMatchObject({ state: 'completed' });
      expect(await Promise.all([first, second, third].map(async (id) => queue.getJobState(id)))).toEqual([
        'completed',
        'active',
        'waiting',
      ]);
      expect(await store.read(second)).toMatchObject({ state: 'active' });
    }, breaking);
  });
});

describe('ended jobs', () => {
  test('are dropped from the board some together, the oldest first, and never those that it shows', async () => {
    await on(async ({ accept, take, complete, jobIds, keys, queue }) => {
      for (let n = 0; n < 540; n++) await accept();
      let job = await take();
      while (job) {
        await complete(job);
        job = await take();
      }
      const kept = await queue.getCompletedCount();
      expect(kept).toBeGreaterThanOrEqual(500);
      expect(kept).toBeLessThan(532);
      expect(await redis.exists(keys.job(jobIds[0] ?? ''))).toBe(0);
      expect(await redis.exists(...jobIds.slice(-500).map((id) => keys.job(id)))).toBe(500);
      expect(await redis.exists(...jobIds.map((id) => keys.job(id)))).toBe(kept);
    });
  });
});

describe('what passes between queue and processor', () => {
  test('is for the job that it was made for: a token of the queue is used again', async () => {
    await on(async ({ accept, take, complete, store }) => {
      const [first, second] = [await accept(), await accept()];
      const job = required(await take('one'));
      expect(await complete(job, { token: 'one', next: true })).toBe(second);
      expect(await store.read(first)).toMatchObject({ state: 'completed', runs: 1 });
      expect(await store.read(second)).toMatchObject({ state: 'active', runs: 1 });
    });
  });

  test('is nothing when the call had ended meanwhile: the job completes by itself', async () => {
    await on(async ({ accept, take, ended, store, complete, queue }) => {
      const jobId = await accept();
      const job = required(await take());
      const record = required(await store.read(jobId));
      const times = { startedAt: null, finishedAt: Date.now(), attempts: 1, executionMs: 0, networkMs: 0 };
      await store.finish({ jobId, head: record.head, run: null, ending: { state: 'cancelled', outcome: { ok: true, data: 0 }, ...times } });
      await complete(job);
      expect(ended).toEqual(['ended-before']);
      expect(await queue.getJobState(jobId)).toBe('completed');
      expect(await store.read(jobId)).toMatchObject({ state: 'cancelled' });
    });
  });
});

describe('a worker', () => {
  test('asks once for each job that comes alone, and not whether there is another one', async () => {
    const namespace = newNamespace();
    let takes = 0;
    const counting = new Proxy(redis, {
      get: (target, name) => {
        if (name !== 'evalsha') return Reflect.get(target, name);
        return async (sha: string, keyCount: number, ...rest: (string | number)[]): Promise<unknown> => {
          if (sha === stepShas.take) takes += 1;
          return redis.evalsha(sha, keyCount, ...rest);
        };
      },
    });
    const { keys, store } = storeOn(counting, namespace);
    const connection = redis.duplicate({ maxRetriesPerRequest: null });
    const steps = new JoinedSteps(store, domains.profile);
    const work = async ({ id = '' }: { id?: string | undefined }, token = ''): Promise<string> => {
      const begun = await steps.begin(id, token, Date.now());
      if (begun.kind !== 'run') throw new Error(begun.kind);
      await steps.complete(token, { jobId: id, head: begun.head, run: begun.run, ending: ending() }, () => undefined);
      return 'done';
    };
    const worker = new Worker(
      'profile',
      work,
      { connection, prefix: keys.queuePrefix(partitionOf('profile')), concurrency: 8 },
      steps.backend,
    );
    await worker.waitUntilReady();
    for (let n = 0; n < 20; n++) {
      const asked = request(newCaller());
      await store.accept(domains.profile, { ...asked, job: queuedJob({ jobId: asked.jobId, head: asked.head, contract: undefined }) });
      await eventually(async () => (await store.read(asked.jobId))?.ending, { what: 'the end' });
    }
    // At first it looks before it sleeps.
    expect(takes).toBeLessThan(25);
    const together = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const asked = request(newCaller());
        await store.accept(domains.profile, { ...asked, job: queuedJob({ jobId: asked.jobId, head: asked.head, contract: undefined }) });
        return asked.jobId;
      }),
    );
    // Far less than the sleep of a worker that nobody woke.
    for (const jobId of together) await eventually(async () => (await store.read(jobId))?.ending, { withinMs: 3_000, what: 'the end' });
    await worker.close();
    connection.disconnect();
  });
});
