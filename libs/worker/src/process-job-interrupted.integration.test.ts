// Attempts that run while something happens to their call, and calls whose worker is gone.
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newNamespace, testRedis } from '#lib/testing';
import { type ToolContext, Failure } from '#lib/handlers';
import { RetryLater } from './retry-later.js';
import { sampleTool } from './test-jobs.js';
import { answer, gate, processorsOn, type Run } from './test-processors.js';
import { partitionOf } from '#lib/transport';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { accept, endingOf, events, given, headOf, kindsOf, processorOf, queues, store, take, reset, close } = processorsOn(redis, namespace);

beforeEach(reset);
afterAll(async () => {
  await close();
  await redis[Symbol.asyncDispose]();
});

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
    expect(await queues.stateOf(jobId)).toBe('waiting');
    await expect(processor.process(await take(), 'token')).rejects.toMatchObject({ name: 'WaitingError' });
    expect(await queues.stateOf(jobId)).toBe('waiting');
    expect(await processorOf(answer).processor.process(await take(), 'token')).toBe('done');
    expect(await endingOf(jobId)).toMatchObject({ state: 'completed', attempts: 2 });
  });

  test('that was cancelled, or released, while it was being taken up never runs', async () => {
    const ran: string[] = [];
    const handler: Run = async (input) => (ran.push('ran'), input);
    const cancelled = await given(handler);
    const stopped = cancelled.processor.process(cancelled.job, 'token');
    cancelled.processor.stop(cancelled.jobId);
    expect(await stopped).toBe('stopped');
    const early = await given(handler);
    early.processor.stop(early.jobId);
    expect(await early.processor.process(early.job, 'token')).toBe('stopped');
    const drained = await given(handler);
    const released = drained.processor.process(drained.job, 'token');
    drained.processor.releaseAll();
    await expect(released).rejects.toMatchObject({ name: 'WaitingError' });
    expect([await queues.stateOf(drained.jobId), drained.processor.running, ran]).toEqual(['waiting', 0, []]);
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
      await store.finish({ jobId: first, head: await headOf(first), ending: cancelled, attempt: null });
      await output(['too late']);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const { processor, job, jobId: first } = await given(tell);
    expect(await processor.process(job, 'token')).toBe('stopped');
    expect(await kindsOf(first)).toEqual([]);
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

describe('what the reaper asks for', () => {
  const { processor, lines } = processorOf(answer);

  test('a job that the queue gave up ends as our failure, and says how often it ran', async () => {
    const jobId = await accept();
    await store.begin(jobId, Date.now());
    await store.begin(jobId, Date.now());
    await processor.ends.abandon(jobId);
    expect(await endingOf(jobId)).toMatchObject({
      state: 'failed',
      attempts: 2,
      outcome: { error: { code: 'EXECUTION_ERROR', message: expect.stringContaining('Two workers') } },
    });
  });

  test('a call past its deadline ends as a timeout', async () => {
    const jobId = await accept({ deadline: Date.now() - 1_000 });
    await processor.ends.expire(jobId);
    expect(await endingOf(jobId)).toMatchObject({ state: 'failed', outcome: { error: { code: 'TIMEOUT' } } });
    expect(lines).toContainEqual(expect.objectContaining({ event: 'call-end', job_id: jobId, status: 'error' }));
  });

  test('a call whose deadline was moved meanwhile goes on', async () => {
    const jobId = await accept({ deadline: Date.now() + 60_000 });
    await processor.ends.expire(jobId);
    expect(await endingOf(jobId)).toBeNull();
  });

  test('neither changes a call that has ended', async () => {
    const jobId = await accept();
    await store.finish({ jobId, head: await headOf(jobId), ending: cancelled, attempt: null });
    await processor.ends.expire(jobId);
    await processor.ends.abandon(jobId);
    expect(await endingOf(jobId)).toEqual(cancelled);
  });

  test('a record that is gone is taken off the list of open calls', async () => {
    const jobId = await accept();
    const open = await store.open.count(partitionOf('profile'));
    await store.forget([jobId]);
    await processor.ends.abandon(jobId);
    expect(await store.open.count(partitionOf('profile'))).toBe(open);
    await processor.ends.expire(jobId);
    expect(await store.open.count(partitionOf('profile'))).toBe(open - 1);
  });
});
