// What a worker does with a handler that has steps and sleeps, on a real queue and real records.
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { WaitingError } from 'bullmq';
import { newNamespace, testRedis } from '#lib/testing';
import { Failure } from '#lib/handlers';
import { partitionOf } from '#lib/transport';
import { RetryLater } from './retry-later.js';
import { sampleTool } from './test-jobs.js';
import { processorsOn, type Run } from './test-processors.js';
import { Waker } from './waker.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { clock, endingOf, given, headOf, keys, kindsOf, store, take, reset, close } = processorsOn(redis, namespace);
const partition = partitionOf('profile');
const hourMs = 3_600_000;

beforeEach(reset);
afterAll(async () => {
  await close();
  await redis[Symbol.asyncDispose]();
});

/** Wakes what rests for an hour, and takes its job. */
async function wakeAndTake() {
  clock.now += hourMs;
  const log = { warn: () => undefined };
  const fail = async () => Promise.reject(new Error('nobody is asked'));
  const ends = { endUndecided: fail, expireAtRest: fail };
  await new Waker({ partitions: () => [partition], store, find: () => sampleTool(), ends, log }).wake(partition, clock.now);
  return take();
}

const heldBy = async () => Number(await redis.hget(keys.held(partition, 't'), 'sum'));

describe('a handler that sleeps', () => {
  test('runs again from its top afterwards, and finished steps are not done again', async () => {
    const effects: string[] = [];
    const run: Run = async (input, { step, sleep }) => {
      try {
        const first = await step('first', async () => effects.push('first'));
        await sleep('an hour', hourMs);
        await step('second', async () => effects.push('second'));
        return { n: first };
      } catch {
        effects.push('caught');
        return input;
      } finally {
        effects.push('finally');
      }
    };
    const { processor, job, jobId } = await given(run);
    const before = await heldBy();
    await expect(processor.process(job, 'token')).rejects.toBeInstanceOf(WaitingError);
    expect(await store.read(jobId)).toMatchObject({ state: 'resting', rest: { reason: 'sleep' } });
    expect(await redis.exists(keys.job(jobId))).toBe(0);
    // Nothing went on: neither what follows, nor what catches.
    expect(effects).toEqual(['first']);
    expect(await heldBy()).toBeGreaterThan(before + 100);
    expect(await redis.pttl(keys.steps(jobId))).toBeGreaterThan(24 * hourMs);

    expect(await processor.process(await wakeAndTake(), 'token')).toBe('done');
    expect(effects).toEqual(['first', 'second', 'finally']);
    expect(await endingOf(jobId)).toMatchObject({ state: 'completed', outcome: { ok: true, data: { n: 1 } } });
    expect(await kindsOf(jobId)).toEqual(['resting', 'resumed', 'end']);
    expect(await redis.exists(keys.steps(jobId))).toBe(0);
    expect(Math.abs((await heldBy()) - before)).toBeLessThan(1_024);
  });

  test('uses no retry: as many are left as the rule has', async () => {
    const contract = sampleTool({ retry: { service: { times: 1, baseMs: 1 } } });
    let fails = true;
    const run: Run = async (input, { sleep, attempt }) => {
      await sleep('nap', hourMs);
      await sleep('another', hourMs);
      if (fails) {
        fails = false;
        throw new Failure('service', `attempt ${attempt}`);
      }
      return input;
    };
    const { processor, job, jobId } = await given(run, { contract, head: { maxAttempts: 2 } });
    await expect(processor.process(job, 'token')).rejects.toBeInstanceOf(WaitingError);
    await expect(processor.process(await wakeAndTake(), 'token')).rejects.toBeInstanceOf(WaitingError);
    const third = await wakeAndTake();
    await expect(processor.process(third, 'token')).rejects.toBeInstanceOf(RetryLater);
    expect(third.attemptsMade).toBe(0);
    expect(await processor.process(third, 'token')).toBe('done');
    expect(await kindsOf(jobId)).toEqual(['resting', 'resumed', 'resting', 'resumed', 'retry', 'end']);
  });

  test('a call that is cancelled at rest runs no more, and keeps nothing', async () => {
    const { processor, job, jobId } = await given(async (input, { step, sleep }) => {
      await step('one', () => 1);
      await sleep('nap', hourMs);
      return input;
    });
    await expect(processor.process(job, 'token')).rejects.toBeInstanceOf(WaitingError);
    const head = await headOf(jobId);
    const outcome = { ok: false, error: { code: 'CANCELLED', family: 'CANCELLED', message: 'x' } } as const;
    const ending = {
      state: 'cancelled',
      outcome,
      startedAt: null,
      finishedAt: clock.now,
      attempts: 1,
      executionMs: 0,
      networkMs: 0,
    } as const;
    expect(await store.finish({ jobId, head, ending, attempt: null })).toBe('ended');
    expect(await redis.exists(keys.steps(jobId))).toBe(0);
  });

  test('that writes and has no step is told so in development', async () => {
    const run: Run = async (input, { sleep }) => {
      await sleep('nap', hourMs);
      return input;
    };
    const { processor, job, lines } = await given(run, { contract: { ...sampleTool(), effect: 'write' }, showCauses: true });
    await expect(processor.process(job, 'token')).rejects.toBeInstanceOf(WaitingError);
    expect(lines).toContainEqual(expect.objectContaining({ event: 'rests-without-step', tool_name: 'sample' }));
  });
});

describe('a late worker', () => {
  const late: [string, (jobId: string) => Promise<unknown>][] = [
    ['whose run is over', async (jobId) => store.begin(jobId, clock.now)],
    ['whose lock is gone', async (jobId) => redis.set(`${keys.job(jobId)}:lock`, 'of another')],
  ];
  test.each(late)('%s keeps no step, and is stopped there', async (_name, lose) => {
    const after: string[] = [];
    const { processor, job, jobId } = await given(async (input, { step }) => {
      await step('one', async () => lose(jobId).then(() => 1));
      after.push('went on');
      return input;
    });
    expect(await processor.process(job, 'token')).toBe('stopped');
    expect(after).toEqual([]);
    expect(await redis.exists(keys.steps(jobId))).toBe(0);
  });

  test('rests nothing', async () => {
    const { processor, job, jobId } = await given(async (input, { sleep }) => {
      const slept = sleep('nap', hourMs);
      await store.begin(jobId, clock.now);
      await slept;
      return input;
    });
    expect(await processor.process(job, 'token')).toBe('stopped');
    expect((await store.read(jobId))?.state).toBe('active');
  });
});

describe('the bounds of steps', () => {
  test.each([
    ['1 MB each', async ({ step }) => step('one', () => 'x'.repeat(1_048_577)), 'at most 1048576 are kept'],
    [
      '8 MB in all',
      async ({ step }) => {
        for (let n = 0; n < 9; n++) await step(`s${n}`, () => 'x'.repeat(1_000_000));
      },
      '8388608 bytes of JSON in all',
    ],
    [
      '1,000',
      async ({ step }) => {
        for (let n = 0; n < 1_001; n++) await step(`s${n}`, () => n);
      },
      'A call may have 1000 steps',
    ],
  ] satisfies [string, (context: Parameters<Run>[1]) => Promise<unknown>, string][])('are %s', async (_name, work, message) => {
    let said = '';
    const run: Run = async (input, context) => {
      await work(context).catch((error: unknown) => (said = String(error)));
      return input;
    };
    const { processor, job } = await given(run, { contract: sampleTool({ timeoutMs: 30_000 }) });
    expect(await processor.process(job, 'token')).toBe('done');
    expect(said).toContain(message);
  });
});
