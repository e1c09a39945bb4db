import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { newNamespace, testRedis } from '#lib/testing';
import { allOf, startCalls, startJob, type TestCalls } from './test-calls.js';

const namespace = newNamespace();
let redis: Redis & AsyncDisposable;
let gateway: TestCalls;
const never = new AbortController().signal;

beforeAll(async () => {
  redis = testRedis(namespace);
  gateway = await startCalls({ redis, namespace });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

const started = () => startJob(gateway);

describe('a call that the store has lost', () => {
  test('is answered with a refusal that can be tried again', async () => {
    using call = await started();
    using waiting = gateway.callOf(await gateway.record(call.jobId));
    await gateway.store.forget([call.jobId]);
    await expect(waiting.answer(never)).rejects.toMatchObject({ error: { family: 'NETWORK_ERROR', retry_after_ms: 1_000 } });
    await expect(call.job()).rejects.toMatchObject({ error: { family: 'NETWORK_ERROR' } });
  });

  test('ends its events with a refusal, whether it ran or had ended', async () => {
    using first = await started();
    await gateway.work(first.jobId);
    using over = gateway.callOf(await gateway.record(first.jobId));
    using open = await started();
    const reading = allOf(open.events(0, never));
    using told = await started();
    await gateway.store.begin(told.jobId, Date.now());
    await gateway.store.attempts.progress(told.jobId, 1, { kind: 'progress', progress: 40, message: 'on the way' });
    const leaving = new AbortController();
    const left = allOf(told.events(2, leaving.signal));
    await gateway.store.forget([over.jobId, open.jobId, told.jobId]);
    leaving.abort();
    const lost = (seq: number) => ({ kind: 'end', seq, answer: { outcome: { ok: false, error: { family: 'NETWORK_ERROR' } } } });
    for (const [events, ...expected] of [
      [await allOf(over.events(0, never)), { seq: 1 }, lost(2)],
      [await allOf(over.events(1, never)), lost(2)],
      [await allOf(over.events(2, never)), lost(3)],
      [await allOf(told.events(2, never)), lost(3)],
      [await reading, { seq: 1 }, lost(2)],
      [await left],
    ] as const) {
      expect(events).toMatchObject(expected);
      for (const event of events)
        if (event.kind === 'end') expect(event.answer.facts).toMatchObject({ toolName: 'test_plain', timestamp: event.at });
    }
  });
});
