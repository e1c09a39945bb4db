// Pages of many jobs over several domains, with filters that few of them pass.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { domains, type Caller } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import { newJobId, partitionOf } from '#lib/transport';
import { JobPages, type JobQuery } from './job-pages.js';
import { startCalls, type TestCalls } from '../calls/test-calls.js';
import { newCaller } from '../calls/test-request.js';

const namespace = newNamespace();
const count = 1_200;
let redis: Redis & AsyncDisposable;
let calls: TestCalls;
let reads = 0;
let pages: JobPages;
let accept: (
  caller: Caller,
  job: { readonly domain: keyof typeof domains; readonly tool: string; readonly createdAt: number },
) => Promise<void>;
const busy = newCaller();

beforeAll(async () => {
  redis = testRedis(namespace);
  calls = await startCalls({ redis, namespace });
  const { store, answers } = calls;
  const counted = {
    jobsOf: store.jobsOf.bind(store),
    peek: async (jobId: string) => ((reads += 1), store.peek(jobId)),
    readLabel: async (jobId: string) => ((reads += 1), store.readLabel(jobId)),
  };
  pages = new JobPages({ store: counted, partitions: calls.partitions }, answers, calls.tools);
  accept = async (caller, { domain, tool, createdAt }) => {
    const head = {
      v: 1,
      tool,
      version: '1.0.0',
      input: {},
      caller,
      sessionId: null,
      traceId: 'trace_x',
      traceparent: '',
      createdAt,
    } as const;
    const rest = { validationMs: 0, maxAttempts: 1, retry: true, flightKey: null, cacheKey: null };
    const jobId = newJobId(partitionOf(domain));
    await store.accept(domains[domain], {
      jobId,
      head: { ...head, ...rest },
      deadline: Date.now() + 60_000,
      fingerprint: jobId,
      idempotencyKey: null,
      readCache: false,
    });
  };
  const now = Date.now();
  // Profile has the newer jobs, memotree the older ones; a rare tool is spread over both.
  for (let job = 0; job < count; job++) {
    const isOlder = job >= count / 2;
    const tool = job % 100 === 99 ? 'rare' : 'common';
    await accept(busy, { domain: isOlder ? 'memotree' : 'profile', tool, createdAt: now - job * 10 });
  }
}, 60_000);
afterAll(async () => {
  await calls[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

async function allPages(caller: Caller, query: Partial<JobQuery>) {
  const found: { readonly jobs: number; readonly reads: number }[] = [];
  const ids: string[] = [];
  let from: JobQuery['from'] = null;
  do {
    reads = 0;
    const page = await pages.read(caller, { state: null, tool: null, limit: 20, ...query, from });
    found.push({ jobs: page.jobs.length, reads });
    ids.push(...page.jobs.map(({ record }) => record.jobId));
    from = page.next;
  } while (from !== null && found.length < 1_000);
  return { found, ids };
}

describe('A list of jobs', () => {
  test.each([7, 20, 100])('has each job once, newest first, in pages of %i', async (limit) => {
    const { ids } = await allPages(busy, { limit });
    expect([ids.length, new Set(ids).size]).toEqual([count, count]);
    expect(ids.slice(0, count / 2).every((id) => id.startsWith('inv_profile_'))).toBe(true);
  });

  test('with a filter that no job passes looks at a bounded number of them for each page', async () => {
    const { found, ids } = await allPages(busy, { tool: 'zzz' });
    expect(ids).toEqual([]);
    expect(Math.max(...found.map((page) => page.reads))).toBeLessThanOrEqual(600);
    expect(found.length).toBeLessThanOrEqual(4);
  });

  test('with a filter that few pass finds all of them, in every domain', async () => {
    expect((await allPages(busy, { tool: 'rare' })).ids).toHaveLength(count / 100);
    expect((await allPages(busy, { state: 'waiting', limit: 100 })).ids).toHaveLength(count);
    expect((await allPages(busy, { state: 'failed' })).ids).toEqual([]);
  });

  test('of one millisecond is paged too', async () => {
    const [caller, moment] = [newCaller(), Date.now()];
    for (let job = 0; job < 250; job++) await accept(caller, { domain: job % 2 ? 'profile' : 'stripe', tool: 'common', createdAt: moment });
    const { ids } = await allPages(caller, { limit: 30 });
    expect([ids.length, new Set(ids).size]).toEqual([250, 250]);
  });
});
