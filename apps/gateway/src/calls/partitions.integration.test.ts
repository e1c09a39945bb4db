import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { refusalOf, startJob, startTwoGateways, type TwoGateways } from './test-calls.js';
import { newCaller } from './test-request.js';

describe.each([
  [1, 1],
  [4, 4],
  [1, 4],
])('two gateways that give a domain %i and %i partitions', (...counts) => {
  let both: TwoGateways;
  const callers = Array.from({ length: 12 }, () => newCaller());

  beforeAll(async () => {
    both = await startTwoGateways([counts[0] ?? 1, counts[1] ?? 1]);
    await Promise.all([both.gateway.partitions.start(), both.other.partitions.start()]);
  });
  afterAll(async () => both[Symbol.asyncDispose]());

  test('accept a call once, though both get it at the same moment with one idempotency key', async () => {
    const { gateway, other } = both;
    for (const caller of callers) {
      const rest = { caller, idempotencyKey: 'once' };
      const calls = await Promise.all([gateway, other, gateway, other].map(async (at) => startJob(at, rest)));
      expect(new Set(calls.map(({ jobId }) => jobId)).size).toBe(1);
      const conflict = other.request({ ...rest, input: { order: 'another' } });
      expect((await refusalOf(other.calls.start(conflict))).error.family).toBe('IDEMPOTENCY_CONFLICT');
    }
  });

  test('list all calls of a caller, newest first, whichever of them accepted it', async () => {
    const { gateway, other } = both;
    for (const caller of callers) {
      const made: string[] = [];
      for (const at of [gateway, other, gateway]) made.push((await startJob(at, { caller })).jobId);
      for (const at of [gateway, other]) {
        const { jobs } = await at.pages.read(caller, { state: null, tool: null, limit: 3, from: null });
        expect(jobs.map(({ record }) => record.jobId).toSorted()).toEqual(made.toSorted());
      }
    }
  });

  test('spread callers over all partitions, and each finds the calls of the other', async () => {
    const { gateway, other } = both;
    const many = Array.from({ length: 60 }, () => newCaller());
    const calls = await Promise.all(many.map(async (caller) => ({ caller, jobId: (await startJob(other, { caller })).jobId })));
    expect(new Set(calls.map(({ jobId }) => jobId.split('_')[1])).size).toBe(Math.min(4, counts[1] ?? 1));
    for (const { caller, jobId } of calls) {
      using found = await gateway.calls.find(caller, jobId, null);
      const answer = found.answer(new AbortController().signal);
      await other.work(jobId);
      expect(await answer).toMatchObject({ outcome: { ok: true } });
    }
  });
});
