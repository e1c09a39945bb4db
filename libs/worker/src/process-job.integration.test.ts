// What a worker does with one job, on a real queue and real records, one step at a time and on a clock of the test's own.
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Worker, type Job } from 'bullmq';
import { z } from 'zod';
import { defineTool, secret, type ToolContract } from '#lib/contracts';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { workerConnection, type QueuedInvocation } from '#lib/transport';
import type { ToolContext } from './context.js';
import { Failure } from './failures.js';
import type { Handler } from './handle.js';
import { JobProcessor } from './process-job.js';
import { Registry } from './registry.js';
import { RetryLater } from './retry-later.js';
import { jobsOn, readableLog, sampleTool } from './test-jobs.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { accept, enqueue, events, keys, queues, sealer, store } = jobsOn(redis, namespace);
const queue = queues.queue('profile');
const connection = workerConnection(process.env['REDIS_URL'] ?? '');
const worker = new Worker<QueuedInvocation, string>('profile', null, { connection, prefix: keys.queuePrefix('profile') });

/** Of the processor; the store and the queue keep their own time. */
const clock = { now: Date.now() };
beforeEach(() => void (clock.now = Date.now()));
afterEach(() => queue.obliterate({ force: true }));
afterAll(async () => {
  await worker.close();
  connection.disconnect();
  await queues.close();
  await redis[Symbol.asyncDispose]();
});

type Run = Handler<object>['run'];

function processorOf(run: Run, contract: ToolContract = sampleTool()) {
  const { log, lines } = readableLog();
  const registry = new Registry<object>('profile', [contract], [{ contract, run }]);
  const parts = { store, events, sealer, registry, services: {}, log, domain: 'profile', now: () => clock.now, random: () => 0.5 };
  return { processor: new JobProcessor<object>(parts), lines };
}

/** A processor, and a call that was accepted, enqueued and taken from the queue. */
async function given(run: Run, { contract, ...wishes }: Parameters<typeof accept>[0] & { contract?: ToolContract } = {}) {
  const jobId = await accept(wishes);
  await enqueue(jobId);
  return { ...processorOf(run, contract), jobId, job: await take() };
}

async function take(): Promise<Job<QueuedInvocation, string>> {
  return await eventually(async () => worker.getNextJob('token'), { what: 'a job' });
}

const endingOf = async (jobId: string) => (await store.read(jobId))?.ending;
const kindsOf = async (jobId: string) => (await events.readAfter(jobId, 0)).map(({ kind }) => kind);
const answer: Run = async (input) => input;
const fail =
  (error: unknown): Run =>
  () =>
    Promise.reject(error);

describe('an attempt that ends the call', () => {
  test('stores the answer with its times, as the last event', async () => {
    const { processor, job, jobId } = await given(answer, { input: { n: 3 } });
    clock.now += 5;
    expect(await processor.process(job, 'token')).toBe('done');
    expect(await endingOf(jobId)).toMatchObject({
      state: 'completed',
      outcome: { ok: true, data: { n: 3 } },
      attempts: 1,
      startedAt: clock.now,
      finishedAt: clock.now,
    });
    expect(await kindsOf(jobId)).toEqual(['progress', 'end']);
  });

  test('logs one record of the call, with what the handler noted', async () => {
    const { processor, job, jobId, lines } = await given(async (input, { recordFacts }) => {
      recordFacts({ rows: 2 });
      return input;
    });
    await processor.process(job, 'token');
    const ends = lines.filter(({ event }) => event === 'call-end');
    expect(ends).toEqual([expect.objectContaining({ job_id: jobId, tool_name: 'sample', status: 'success', attempts: 1, rows: 2 })]);
  });

  test('is a result when the handler refuses: nothing is tried again', async () => {
    const contract = sampleTool({ retry: { service: { times: 3, baseMs: 1 } } });
    const refuse: Run = async (_input, { refusal }) => {
      throw refusal('NOT_THERE', 'There is none');
    };
    const { processor, job, jobId } = await given(refuse, { contract });
    expect(await processor.process(job, 'token')).toBe('NOT_THERE');
    expect(await endingOf(jobId)).toMatchObject({ state: 'completed', outcome: { ok: false, error: { native_code: 'NOT_THERE' } } });
  });

  test('says that the caller has the answer already', async () => {
    const { processor, job, jobId } = await given(
      async (_input, { version }) => {
        version('v2');
        throw new Error('reads on although the caller has it');
      },
      { head: { known: ['v1', 'v2'] } },
    );
    expect(await processor.process(job, 'token')).toBe('unchanged');
    expect(await endingOf(jobId)).toMatchObject({ outcome: { ok: true, data: {}, version: 'v2', unchanged: true } });
  });

  test.each([
    ['with an answer is cached', answer, 1],
    ['with a refusal is not cached', (async (_input, { refusal }) => Promise.reject(refusal('NOT_THERE', 'no'))) as Run, 0],
  ])('%s when the contract has a cache', async (_name, run, cached) => {
    const head = { cacheKey: `c-${cached}` };
    const { processor, job } = await given(run, { contract: sampleTool({ cache: { ttlSeconds: 60 } }), head });
    await processor.process(job, 'token');
    const key = keys.cache('profile', head.cacheKey);
    expect(await redis.exists(key)).toBe(cached);
    if (cached) expect(await redis.pttl(key)).toBeLessThanOrEqual(60_000);
  });

  test('shows what the upstreams answered to a caller with debug, and keeps it out of the cache', async () => {
    const wishes = { debug: true, metacognition: false, inline_files: false };
    const { processor, job, jobId } = await given(
      async (input, { recordUpstreamAnswer }) => {
        recordUpstreamAnswer({ api: 'GET /v1', status: 200, body: { a: 1 } });
        return input;
      },
      { contract: sampleTool({ cache: { ttlSeconds: 60 } }), head: { cacheKey: 'debug', wishes } },
    );
    await processor.process(job, 'token');
    expect(await endingOf(jobId)).toMatchObject({ outcome: { explained: { internal_api_response: { api: 'GET /v1' } } } });
    expect(await redis.get(keys.cache('profile', 'debug'))).not.toContain('internal_api_response');
  });
});

describe('an answer with secrets', () => {
  const contract = defineTool({
    ...sampleTool(),
    output: z.strictObject({ url: secret(z.string()) }),
    examples: [{ input: { n: 1 }, output: { url: 'https://example.com/once' } }],
    secretLife: { ms: 30_000, once: false },
  });

  test('is kept apart from the record, encrypted for its caller, for the life that the contract names', async () => {
    const { processor, job, jobId } = await given(async () => ({ url: 'https://example.com/once' }), { contract });
    await processor.process(job, 'token');
    expect((await endingOf(jobId))?.outcome).toMatchObject({ ok: true, data: null, sealed: true });
    const sealed = (await store.claim(jobId, { once: false, joinableMs: 0 })) ?? '';
    expect(sealed).not.toContain('example.com');
    const { caller } = await headOf(jobId);
    expect(sealer.openData(contract, JSON.parse(sealed), { jobId, caller })).toEqual({ url: 'https://example.com/once' });
    expect(await redis.pttl(keys.sealed(jobId))).toBeLessThanOrEqual(30_000);
  });
});

describe('an attempt that fails', () => {
  const contract = sampleTool({ retry: { network: { times: 2, baseMs: 1_000, jitter: 0 } } });
  const away = new Failure('network', 'no route');

  test('is tried again after the delay of its rule, and the event says so', async () => {
    const { processor, job, jobId } = await given(fail(away), { contract });
    await expect(processor.process(job, 'token')).rejects.toMatchObject({ name: 'RetryLater', delayMs: 1_000 });
    expect(await store.read(jobId)).toMatchObject({ state: 'delayed', ending: null });
    expect(await events.readAfter(jobId, 1)).toMatchObject([
      { kind: 'retry', failure: 'network', retry: 1, maxRetries: 2, delayMs: 1_000, error: { code: 'NETWORK_ERROR' } },
    ]);
  });

  test('ends the call once its budget is used, and the queue tries no more', async () => {
    const { processor, job, jobId } = await given(fail(away), { contract });
    await expect(processor.process(job, 'token')).rejects.toThrow(RetryLater);
    await expect(processor.process(job, 'token')).rejects.toMatchObject({ delayMs: 2_000 });
    await expect(processor.process(job, 'token')).rejects.toMatchObject({ name: 'UnrecoverableError' });
    expect(await endingOf(jobId)).toMatchObject({
      state: 'failed',
      attempts: 3,
      outcome: { error: { code: 'NETWORK_ERROR', native_code: 'N' } },
    });
    expect(await kindsOf(jobId)).toEqual(['progress', 'retry', 'retry', 'end']);
  });

  test.each([
    ['the caller asked for one attempt', away, { head: { retry: false } }],
    ['the other side said that it would fail again', new Failure('network', 'no', { retryable: false }), {}],
    ['the failure is of a kind without a rule', new Failure('service', 'broken'), {}],
    ['the fault is our own', new TypeError('x is not a function'), {}],
  ])('ends the call at once when %s', async (_name, error, wishes) => {
    const { processor, job, jobId } = await given(fail(error), { contract, ...wishes });
    await expect(processor.process(job, 'token')).rejects.toMatchObject({ name: 'UnrecoverableError' });
    expect(await endingOf(jobId)).toMatchObject({ state: 'failed', attempts: 1 });
  });

  test.each([
    [1_000, 'the last', null],
    [1_001, 'followed by another', 'RetryLater'],
  ])('whose retry would begin after 1,000 ms of the %i that are left is %s', async (left, _name, next) => {
    const { processor, job, jobId } = await given(fail(away), { contract, deadline: clock.now + left });
    await expect(processor.process(job, 'token')).rejects.toMatchObject({ name: next ?? 'UnrecoverableError' });
    expect((await endingOf(jobId)) === null).toBe(next !== null);
  });

  test('logs its cause, which the caller does not see', async () => {
    const { processor, job, jobId, lines } = await given(fail(new Error('password=hunter2')));
    await expect(processor.process(job, 'token')).rejects.toThrow();
    expect(lines.find(({ event }) => event === 'attempt-failed')).toMatchObject({ job_id: jobId, failure: 'internal', attempt: 1 });
    expect(JSON.stringify(await endingOf(jobId))).not.toContain('hunter2');
  });
});

describe('a job', () => {
  test('without a record of ours is dropped', async () => {
    const { processor, job, jobId, lines } = await given(answer);
    await redis.hset(keys.invocation(jobId), 'mac', 'a.forged');
    await expect(processor.process(job, 'token')).rejects.toMatchObject({ name: 'UnrecoverableError' });
    expect(lines).toContainEqual(expect.objectContaining({ event: 'job-unknown', job_id: jobId }));
    expect(await endingOf(jobId)).toBeNull();
  });

  test('whose call has ended is not run', async () => {
    let runs = 0;
    const { processor, job } = await given(async (input) => (runs++, input));
    await processor.process(job, 'token');
    expect(await processor.process(job, 'token')).toBe('ended before');
    expect(runs).toBe(1);
  });

  test.each([
    [-1, 'done', 'completed'],
    [0, 'expired', 'failed'],
  ])('taken up %i ms from its deadline is %s', async (offset, result, state) => {
    const deadline = Date.now() + 60_000;
    const { processor, job, jobId } = await given(answer, { deadline });
    clock.now = deadline + offset;
    expect(await processor.process(job, 'token')).toBe(result);
    expect(await endingOf(jobId)).toMatchObject({ state, finishedAt: clock.now });
    expect((await kindsOf(jobId)).filter((kind) => kind === 'end')).toHaveLength(1);
  });

  test('of a version that this worker does not have ends as our failure', async () => {
    const { processor, job, jobId } = await given(answer, { head: { version: '9.0.0' } });
    await expect(processor.process(job, 'token')).rejects.toThrow('no handler');
    expect(await endingOf(jobId)).toMatchObject({
      outcome: { error: { code: 'EXECUTION_ERROR', message: 'No worker runs sample 9.0.0' } },
    });
  });

  test('that the queue gives back while it runs here waits: no id runs twice in one process', async () => {
    const { run, started, release } = gate();
    const { processor, job, jobId } = await given(run);
    const first = processor.process(job, 'token');
    await started;
    await expect(processor.process(job, 'token')).rejects.toMatchObject({ name: 'DelayedError' });
    expect(await queues.stateOf('profile', jobId)).toBe('delayed');
    release();
    expect(await first).toBe('done');
    expect((await endingOf(jobId))?.attempts).toBe(1);
  });
});

/** A handler that waits until it is released; its signal ends the attempt as always. */
function gate() {
  const started = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const run: Run = async (input) => {
    started.resolve();
    await released.promise;
    return input;
  };
  return { run, started: started.promise, release: released.resolve };
}

describe('an attempt under way', () => {
  test('that someone else ended is stopped, and writes nothing', async () => {
    const { run, started } = gate();
    const { processor, job, jobId } = await given(run);
    const result = processor.process(job, 'token');
    await started;
    expect(processor.running).toBe(1);
    processor.stop(jobId);
    expect(await result).toBe('stopped');
    expect([processor.running, await endingOf(jobId)]).toEqual([0, null]);
  });

  test('goes back to the queue when the worker stops, to be taken up as a second run', async () => {
    const { run, started } = gate();
    const { processor, job, jobId } = await given(run);
    const result = processor.process(job, 'token');
    await started;
    processor.releaseAll();
    await expect(result).rejects.toMatchObject({ name: 'WaitingError' });
    expect(await queues.stateOf('profile', jobId)).toBe('waiting');
    expect(await processorOf(answer).processor.process(await take(), 'token')).toBe('done');
    expect(await endingOf(jobId)).toMatchObject({ state: 'completed', attempts: 2 });
  });

  test('that lost its job to another worker cannot end it any more', async () => {
    const { run, started, release } = gate();
    const { processor, job, jobId, lines } = await given(run, { input: { n: 1 } });
    const result = processor.process(job, 'token');
    await started;
    await store.begin(jobId, Date.now());
    release();
    await result;
    expect(await endingOf(jobId)).toBeNull();
    expect(lines).toContainEqual(expect.objectContaining({ event: 'late-end', finished: 'fenced' }));
  });

  test('that tells something after its call was cancelled is stopped by that', async () => {
    const tell: Run = async (_input, { output, signal }) => {
      await store.finish({ jobId: first, head: await headOf(first), ending: cancelled, run: null });
      await output(['too late']);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const { processor, job, jobId: first } = await given(tell);
    expect(await processor.process(job, 'token')).toBe('stopped');
    expect(await kindsOf(first)).toEqual(['progress', 'end']);
  });

  test('gives a later run what it has told, in order', async () => {
    const seen: unknown[] = [];
    const tellTwice: Run = async (input, { output, earlierOutput }: ToolContext) => {
      seen.push(await earlierOutput());
      await output(['a', 'b']);
      if (seen.length === 1) throw new Failure('network', 'cut off');
      return input;
    };
    const contract = sampleTool({ retry: { network: { times: 1, baseMs: 1 } } });
    const { processor, job, jobId } = await given(tellTwice, { contract });
    await expect(processor.process(job, 'token')).rejects.toThrow(RetryLater);
    expect(await processor.process(job, 'token')).toBe('done');
    expect(seen).toEqual([[], ['a', 'b']]);
    expect(await events.outputs(jobId)).toEqual(['a', 'b', 'a', 'b']);
  });
});

const cancelled = {
  state: 'cancelled',
  outcome: { ok: false, error: { code: 'CANCELLED', family: 'CANCELLED', message: 'c' } },
  startedAt: null,
  finishedAt: 1,
  attempts: 0,
  executionMs: 0,
  networkMs: 0,
} as const;

async function headOf(jobId: string) {
  const record = await store.read(jobId);
  if (!record) throw new Error('There is no such record');
  return record.head;
}

describe('what the reaper asks for', () => {
  const { processor, lines } = processorOf(answer);

  test('a job that the queue gave up ends as our failure, and says how often it ran', async () => {
    const jobId = await accept();
    await store.begin(jobId, Date.now());
    await store.begin(jobId, Date.now());
    await processor.abandon(jobId);
    expect(await endingOf(jobId)).toMatchObject({
      state: 'failed',
      attempts: 2,
      outcome: { error: { code: 'EXECUTION_ERROR', message: expect.stringContaining('died 2 times') } },
    });
  });

  test('a call past its deadline ends as a timeout', async () => {
    const jobId = await accept();
    await processor.expire(jobId);
    expect(await endingOf(jobId)).toMatchObject({ state: 'failed', outcome: { error: { code: 'TIMEOUT' } } });
    expect(lines).toContainEqual(expect.objectContaining({ event: 'call-end', job_id: jobId, status: 'error' }));
  });

  test('neither changes a call that has ended', async () => {
    const jobId = await accept();
    await store.finish({ jobId, head: await headOf(jobId), ending: cancelled, run: null });
    await processor.expire(jobId);
    await processor.abandon(jobId);
    expect(await endingOf(jobId)).toEqual(cancelled);
  });

  test('a record that is gone is taken off the list of open calls', async () => {
    const jobId = await accept();
    const open = await store.openCount('profile');
    await store.forget([jobId]);
    await processor.abandon(jobId);
    expect(await store.openCount('profile')).toBe(open);
    await processor.expire(jobId);
    expect(await store.openCount('profile')).toBe(open - 1);
  });
});
