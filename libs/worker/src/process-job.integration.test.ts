// What a worker does with one job, on a real queue and real records, one step at a time and on a clock of the test's own.
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineTool, secret } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import { Failure } from '#lib/handlers';
import { RetryLater } from './retry-later.js';
import { sampleTool } from './test-jobs.js';
import { answer, gate, processorsOn, type Run } from './test-processors.js';
import { partitionOf } from '#lib/transport';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { clock, endingOf, events, given, headOf, keys, kindsOf, processorOf, queues, sealer, store, reset, close } = processorsOn(
  redis,
  namespace,
);

beforeEach(reset);
afterAll(async () => {
  await close();
  await redis[Symbol.asyncDispose]();
});

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
    expect(await kindsOf(jobId)).toEqual([]);
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
    const key = keys.cache(partitionOf('profile'), head.cacheKey);
    expect(await redis.exists(key)).toBe(cached);
    if (cached) expect(await redis.pttl(key)).toBeLessThanOrEqual(60_000);
  });

  test('shows why it failed, with the place in the sources, to a caller with debug alone', async () => {
    const fails = async (): Promise<never> => {
      throw new TypeError('planted fault', { cause: new Error('below') });
    };
    const cause = { attempt: 1, failure: 'internal', type: 'TypeError', message: 'planted fault', cause: { message: 'below' } };
    for (const debug of [true, false]) {
      const { processor, job, jobId } = await given(fails, { head: { wishes: { debug, metacognition: false, inline_files: false } } });
      await expect(processor.process(job, 'token')).rejects.toThrow('EXECUTION_ERROR');
      const outcome = (await endingOf(jobId))?.outcome;
      if (!debug) expect(outcome).not.toHaveProperty('explained');
      else
        expect(outcome).toMatchObject({
          explained: { cause: { ...cause, stack: expect.stringMatching(/process-job\.integration\.test\.ts:\d+/) } },
        });
    }
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
    expect(await redis.get(keys.cache(partitionOf('profile'), 'debug'))).not.toContain('internal_api_response');
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
    expect(await kindsOf(jobId)).toEqual(['retry', 'retry', 'end']);
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
    expect((await store.read(jobId))?.lastSeq).toBe(2);
  });

  test('of a version that this worker does not have ends as our failure', async () => {
    const { processor, job, jobId } = await given(answer, { head: { version: '9.0.0' } });
    await expect(processor.process(job, 'token')).rejects.toThrow('no handler');
    expect(await endingOf(jobId)).toMatchObject({
      outcome: { error: { code: 'NETWORK_ERROR', family: 'NETWORK_ERROR', message: 'No worker serves sample 9.0.0 any more; call again' } },
    });
  });

  test('that the queue gives back while it runs here waits: no id runs twice in one process', async () => {
    const { run, started, release } = gate();
    const { processor, job, jobId } = await given(run);
    const first = processor.process(job, 'token');
    await started;
    await expect(processor.process(job, 'token')).rejects.toMatchObject({ name: 'DelayedError' });
    expect(await queues.stateOf(jobId)).toBe('delayed');
    release();
    expect(await first).toBe('done');
    expect((await endingOf(jobId))?.attempts).toBe(1);
  });
});

describe('what an attempt reports as its cost', () => {
  test('counts over all attempts of the call, and is in the record before its end', async () => {
    const contract = sampleTool({ retry: { service: { times: 3, baseMs: 1 } } });
    let attempts = 0;
    const { processor, job, jobId } = await given(
      async (input, { cost }) => {
        cost(20);
        cost(5);
        if (++attempts === 1) throw new Failure('service', 'after it was paid');
        return input;
      },
      { contract },
    );
    await expect(processor.process(job, 'token')).rejects.toThrow(RetryLater);
    expect((await store.read(jobId))?.reportedMicros).toBe(25);
    expect(await processor.process(job, 'token')).toBe('done');
    expect(await endingOf(jobId)).toMatchObject({ state: 'completed', attempts: 2, reportedMicros: 50 });
  });

  test('names the model that it asked, also where a later attempt asks none and another ends it', async () => {
    const contract = sampleTool({ retry: { service: { times: 3, baseMs: 1 } } });
    const { processor, job, jobId } = await given(
      async (input, { attempt, asksModel }) => {
        if (attempt > 1) return input;
        asksModel('small');
        asksModel('big');
        throw new Failure('service', 'after it was asked');
      },
      { contract },
    );
    await expect(processor.process(job, 'token')).rejects.toThrow(RetryLater);
    expect(await store.read(jobId)).toMatchObject({ model: 'big', reportedMicros: 0 });
    expect(await processor.process(job, 'token')).toBe('done');
    const ending = await endingOf(jobId);
    expect(ending).toMatchObject({ state: 'completed', model: 'big' });
    expect(ending).not.toHaveProperty('reportedMicros');
  });

  test('counts of an attempt that is lost, and no more once a later one has the call', async () => {
    const held = Promise.withResolvers<void>();
    const lost = await given(async (input, { attempt, cost }) => {
      cost(10);
      if (attempt === 1) {
        await held.promise;
        cost(1_000);
      }
      return input;
    });
    const stuck = lost.processor.process(lost.job, 'token');
    while ((await store.read(lost.jobId))?.reportedMicros !== 10) await new Promise((resolve) => setTimeout(resolve, 5));
    const { processor } = processorOf(async (input, { cost }) => {
      cost(10);
      return input;
    });
    expect(await processor.process(lost.job, 'token')).toBe('done');
    held.resolve();
    await stuck;
    expect(await endingOf(lost.jobId)).toMatchObject({ attempts: 2, reportedMicros: 20 });
    expect((await store.read(lost.jobId))?.reportedMicros).toBeLessThanOrEqual(20);
  });

  test('is one write for ten thousand reports in one go, and none without a report', async () => {
    const { processor, job, jobId } = await given(async (input, { cost }) => {
      for (let times = 0; times < 10_000; times++) cost(1);
      return input;
    });
    await processor.process(job, 'token');
    expect(await endingOf(jobId)).toMatchObject({ reportedMicros: 10_000 });
    const plain = await given(answer);
    await plain.processor.process(plain.job, 'token');
    expect(await endingOf(plain.jobId)).not.toHaveProperty('reportedMicros');
    expect(await redis.hexists(keys.invocation(plain.jobId), 'reported')).toBe(0);
  });
});
