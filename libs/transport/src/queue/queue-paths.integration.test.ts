// Whatever becomes of a job, its keys are the same whether BullMQ's own scripts enqueue, take and complete it or ours do.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { UnrecoverableError } from 'bullmq';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { keyspaceOf } from '../record/test-keyspace.js';
import { pathsOn, type Mix, type Paths } from './test-queue-paths.js';

const main = newNamespace();
const redis = testRedis(main);

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

const required = <T>(value: T | null | undefined): T => {
  if (value === null || value === undefined) throw new Error('There is no such job');
  return value;
};
/** BullMQ keeps the stack. */
const named = (error: Error): Error => Object.assign(error, { stack: error.message });

/** Each returns what it saw on its way. */
const paths: Readonly<Record<string, (on: Paths) => Promise<unknown>>> = {
  waits: async ({ accept }) => accept().then(() => 'accepted'),
  'waits with a priority': async ({ accept, queue }) => {
    for (const round of [3, 1, 2]) await accept({ round });
    return (await queue.getPrioritized()).map(({ priority, opts }) => [priority, opts.priority]);
  },
  'is active': async ({ accept, take }) => {
    await accept();
    const job = required(await take());
    const { name, opts, priority, delay, attemptsMade, attemptsStarted, stalledCounter } = job;
    expect(Math.abs((job.processedOn ?? 0) - job.timestamp)).toBeLessThan(60_000);
    return { name, opts: { ...opts, jobId: '' }, priority, delay, attemptsMade, attemptsStarted, stalledCounter };
  },
  'is active with a priority': async ({ accept, take }) => {
    await accept({ round: 2 });
    await accept({ round: 1 });
    return required(await take()).priority;
  },
  completes: async ({ accept, take, complete }) => {
    await accept();
    return complete(required(await take()));
  },
  'completes, and the next is taken': async ({ accept, take, complete, jobIds }) => {
    for (let n = 0; n < 3; n++) await accept();
    return jobIds.indexOf(required(await complete(required(await take()), { next: true })));
  },
  'completes, and the next has a priority': async ({ accept, take, complete, jobIds }) => {
    await accept();
    for (const round of [2, 1]) await accept({ round });
    return jobIds.indexOf(required(await complete(required(await take()), { next: true })));
  },
  'completes as the last one': async ({ accept, take, complete }) => {
    await accept();
    return complete(required(await take()), { next: true });
  },
  'completes with a cached answer, a shared run and a secret': async ({ accept, take, complete }) => {
    await accept({ head: { cacheKey: 'c', flightKey: 'f' }, idempotencyKey: 'i' });
    const entry = { cachedAt: 1, outcome: { ok: true, data: 1 } } as const;
    return complete(required(await take()), {
      cache: { lifeMs: 60_000, entry },
      flightWindowMs: 60_000,
      sealed: { text: 'sealed', lifeMs: 60_000 },
    });
  },
  'fails for good': async ({ accept, take, fail }) => {
    await accept();
    return fail(required(await take()), named(new UnrecoverableError('E')));
  },
  'waits for its retry': async ({ accept, take }) => {
    await accept();
    await required(await take()).moveToFailed(named(new Error('E')), 'token');
  },
  'is retried and completes': async ({ accept, take, complete, queue }) => {
    const jobId = await accept();
    await required(await take()).moveToFailed(named(new Error('E')), 'token');
    const again = await eventually(async () => take());
    await complete(again);
    const shown = required(await queue.getJob(jobId));
    return [shown.attemptsMade, shown.attemptsStarted];
  },
  'is retried while others wait': async ({ accept, take, complete, jobIds }) => {
    await accept();
    const first = required(await take());
    await accept();
    const second = required(await take());
    await accept();
    await first.moveToFailed(named(new Error('E')), 'token');
    await new Promise((resolve) => setTimeout(resolve, 5));
    return jobIds.indexOf(required(await complete(second, { next: true })));
  },
  'stalls and is run again': async ({ accept, take, complete, checkStalled, loseLock }) => {
    const jobId = await accept();
    await take();
    await loseLock(jobId);
    const seen = [await checkStalled(), await checkStalled()].map((ids) => ids.length);
    const again = required(await take());
    await complete(again);
    return [...seen, again.attemptsStarted, again.stalledCounter];
  },
  'stalls too often': async ({ accept, take, checkStalled, loseLock }) => {
    const jobId = await accept();
    for (let time = 0; time < 2; time++) {
      await take();
      await loseLock(jobId);
      await checkStalled();
      await checkStalled();
    }
    return required(await take()).deferredFailure;
  },
  'is given back and taken again': async ({ accept, take }) => {
    await accept();
    await required(await take()).moveToWait('token');
    return required(await take('other')).attemptsStarted;
  },
  'is cancelled while it waits': async ({ accept, store, queues }) => {
    const jobId = await accept();
    const { head } = required(await store.read(jobId));
    const end = { state: 'cancelled', outcome: { ok: true, data: 1 }, startedAt: null, finishedAt: Date.now(), attempts: 0 } as const;
    await store.finish({ jobId, head, attempt: null, ending: { ...end, executionMs: 0, networkMs: 0 } });
    await queues.drop(jobId);
  },
  'is cancelled while it runs': async ({ accept, take, store, complete, ended }) => {
    const jobId = await accept();
    const job = required(await take());
    const { head } = required(await store.read(jobId));
    const end = { state: 'cancelled', outcome: { ok: true, data: 1 }, startedAt: null, finishedAt: Date.now(), attempts: 0 } as const;
    await store.finish({ jobId, head, attempt: null, ending: { ...end, executionMs: 0, networkMs: 0 } });
    await complete(job);
    return ended;
  },
  'has ended before it is taken': async ({ accept, take, store }) => {
    const jobId = await accept();
    const { head } = required(await store.read(jobId));
    const end = { state: 'failed', outcome: { ok: true, data: 1 }, startedAt: null, finishedAt: Date.now(), attempts: 0 } as const;
    await store.finish({ jobId, head, attempt: null, ending: { ...end, executionMs: 0, networkMs: 0 } });
    await required(await take()).moveToCompleted('ended before', 'token', false);
  },
  'is past its deadline when it is taken': async ({ accept, take }) => {
    await accept({ deadline: Date.now() - 1 });
    await required(await take()).moveToCompleted('expired', 'token', false);
  },
  'has lost its lock when it completes': async ({ accept, take, complete, loseLock, ended }) => {
    const jobId = await accept();
    const job = required(await take());
    await loseLock(jobId);
    await complete(job).catch(() => undefined);
    return ended;
  },
  'is locked by another when it completes': async ({ accept, take, complete, lockByAnother, ended }) => {
    const jobId = await accept();
    const job = required(await take());
    await lockByAnother(jobId);
    await complete(job).catch(() => undefined);
    return ended;
  },
  'is removed while it waits': async ({ accept, take, queue }) => {
    const jobId = await accept();
    await queue.remove(jobId);
    return take();
  },
  'is drained': async ({ accept, take, queue }) => {
    await accept();
    await take();
    await accept();
    await accept({ round: 1 });
    await queue.drain(true);
  },
  'is obliterated': async ({ accept, take, queue }) => {
    await accept();
    await take();
    await accept({ round: 1 });
    await queue.obliterate({ force: true });
  },
  'is tried again from the board': async ({ accept, take, fail, queue }) => {
    const jobId = await accept();
    await fail(required(await take()), named(new UnrecoverableError('E')));
    await required(await queue.getJob(jobId)).retry();
    return required(await take()).attemptsMade;
  },
  'is promoted from the board': async ({ accept, take, queue }) => {
    const jobId = await accept();
    const job = required(await take());
    await job.moveToDelayed(Date.now() + 60_000, 'token');
    await required(await queue.getJob(jobId)).promote();
    return required(await take()).attemptsStarted;
  },
  'gets another priority': async ({ accept, take, queue, jobIds }) => {
    await accept({ round: 1 });
    const jobId = await accept({ round: 2 });
    await required(await queue.getJob(jobId)).changePriority({ priority: 0 });
    return jobIds.indexOf(required(await take()).id ?? '');
  },
  'waits in a paused queue, which goes on': async ({ accept, take, complete, queue }) => {
    await accept();
    const running = required(await take());
    await accept();
    await queue.pause();
    await accept({ round: 1 });
    const whilePaused = [await complete(running, { next: true }), await take()];
    await queue.resume();
    return [whilePaused, required(await take()).name];
  },
  'waits in a queue with a rate': async ({ accept, take, queue }) => {
    await queue.setGlobalRateLimit(1, 60_000);
    await accept();
    await accept();
    return [required(await take()).name, await take()];
  },
  'waits in a queue with a bound': async ({ accept, take, complete, queue, jobIds }) => {
    await queue.setGlobalConcurrency(1);
    await accept();
    await accept();
    const running = required(await take());
    return [await take(), jobIds.indexOf(required(await complete(running, { next: true })))];
  },
};

async function walk(name: string, mix: Mix) {
  const namespace = newNamespace();
  await using on = pathsOn(redis, namespace, mix);
  const saw = await required(paths[name])(on);
  const counts = await on.queue.getJobCounts();
  const jobs = await on.queue.getJobs(['active', 'completed', 'delayed', 'failed', 'prioritized', 'waiting']);
  const keyspace = await keyspaceOf(redis, namespace, on.jobIds);
  const wakes = (await redis.zcard(`{${namespace}:profile}:profile:marker`)) > 0;
  const shown = jobs.map(({ id, name: tool, data, returnvalue }) => ({ index: on.jobIds.indexOf(id ?? ''), tool, data, returnvalue }));
  // Whoever sleeps is woken when there is work.
  if ((counts['waiting'] ?? 0) + (counts['prioritized'] ?? 0) > 0 && !(await on.queue.isPaused())) expect(wakes).toBe(true);
  for (const key of await redis.keys(`{${namespace}:*`)) await redis.unlink(key);
  return { saw, ended: on.ended, counts, shown: shown.toSorted((a, b) => a.index - b.index), keyspace };
}

const mixes: readonly Mix[] = [
  { enqueues: 'invoq', works: 'invoq' },
  { enqueues: 'invoq', works: 'stock' },
  { enqueues: 'stock', works: 'invoq' },
];

describe.each(Object.keys(paths))('a job that %s', (name) => {
  test.each(mixes)('leaves what it leaves with stock alone, when $enqueues enqueues and $works works', async (mix) => {
    expect(await walk(name, mix)).toEqual(await walk(name, { enqueues: 'stock', works: 'stock' }));
  });
});

// Our scripts do what these do. When one of them changes with a new version of BullMQ: read what changed, bring `scripts/queue-format.ts` in
// line, let the paths above compare the keys, and write the new hash down.
test.each([
  ['addStandardJob-9', '25f4a66e1295e0d8'],
  ['addPrioritizedJob-9', '2d2f924ca37ad9de'],
  ['moveToActive-11', '399cd6fba878f54d'],
  ['moveToFinished-14', '3e7d646ef73eb21e'],
])("BullMQ's script %s is the one that ours were made from", async (name, expected) => {
  const folder = join(dirname(createRequire(import.meta.url).resolve('bullmq')), '..', 'esm', 'scripts');
  const script: unknown = await import(join(folder, `${name}.js`));
  expect(hash('sha256', JSON.stringify(script), 'hex').slice(0, 16)).toBe(expected);
});

test('the version of BullMQ is pinned', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
  expect(dependencies.bullmq).toMatch(/^\d+\.\d+\.\d+$/);
});
