import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { newNamespace, testRedis } from '#lib/testing';
import { recordLifeMs } from '#lib/transport';
import type { Answer } from './answer.js';
import type { Call, CallEvent } from './call.js';
import type { JobCall } from './job-call.js';
import { allOf, startCalls, startJob, type TestCalls } from './test-calls.js';
import { newCaller } from './test-request.js';

const namespace = newNamespace();
let redis: Redis & AsyncDisposable;
let gateway: TestCalls;
const never = new AbortController().signal;
const minuteMs = 60_000;

beforeAll(async () => {
  redis = testRedis(namespace);
  gateway = await startCalls({ redis, namespace });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

const started = (rest: Parameters<TestCalls['request']>[0] = {}) => startJob(gateway, rest);

/** A call that has ended, with 4 progress entries before its end. */
async function ended(): Promise<JobCall> {
  using call = await started();
  await gateway.store.begin(call.jobId, Date.now());
  for (const progress of [25, 50, 75])
    await gateway.store.attempts.progress(call.jobId, 1, { kind: 'progress', progress, message: `${progress} %` });
  const { head } = await call.job();
  const times = { startedAt: Date.now(), finishedAt: Date.now(), attempts: 1, executionMs: 1, networkMs: 0 };
  const outcome = { ok: true, data: { made: 'a' } } as const;
  await gateway.store.finish({ jobId: call.jobId, head, ending: { state: 'completed', outcome, ...times }, attempt: 1 });
  return gateway.callOf(await gateway.record(call.jobId));
}

function errorOf(answer: Answer | null): string | null {
  return answer && !answer.outcome.ok ? answer.outcome.error.code : null;
}

const kindsOf = (events: readonly CallEvent[]) => events.map(({ kind }) => kind);
const placesOf = (events: readonly CallEvent[]) => events.map(({ seq }) => seq);

describe('how a call stands', () => {
  test('has its answer too where it ended when the wait was just over', async () => {
    using call = await started();
    await gateway.work(call.jobId);
    expect(await call.standing(AbortSignal.abort())).toMatchObject({
      record: { state: 'completed' },
      answer: { outcome: { ok: true, data: { made: 'a' } } },
    });
  });

  test('has no answer before it has ended', async () => {
    using call = await started();
    expect(await call.standing(AbortSignal.abort())).toMatchObject({ record: { state: 'waiting' }, answer: null });
  });
});

describe('the answer of a call', () => {
  test('comes when its worker ends it, with the facts of the run', async () => {
    using call = await started();
    const waiting = call.answer(never);
    await gateway.work(call.jobId);
    expect(await waiting).toMatchObject({
      outcome: { ok: true, data: { made: 'a' } },
      facts: {
        toolName: 'test_plain',
        toolVersion: '1.2.0',
        traceId: call.traceId,
        jobId: call.jobId,
        attempts: 1,
        executionMs: 2,
        performance: { network_ms: 0.5, processing_ms: 1.5 },
      },
    });
  });

  test('is there at once for a call that has ended, also without a signal to wait by', async () => {
    using call = await ended();
    expect(await call.answer(null)).toMatchObject({ outcome: { ok: true } });
    expect(await call.answer(AbortSignal.abort())).toMatchObject({ outcome: { ok: true } });
  });

  test('is null while the call runs, without a signal and when the signal fires first; the call runs on', async () => {
    using call = await started();
    expect(await call.answer(null)).toBeNull();
    expect(await call.answer(AbortSignal.abort())).toBeNull();
    const leaving = new AbortController();
    const waiting = call.answer(leaving.signal);
    leaving.abort();
    expect(await waiting).toBeNull();
    expect(await call.job()).toMatchObject({ state: 'waiting', ending: null });
    await gateway.work(call.jobId);
    expect(await call.answer(never)).toMatchObject({ outcome: { ok: true } });
  });

  test('is a timeout at the deadline, and the worker can no longer end the call', async () => {
    using call = await started();
    using late = gateway.callOf(await gateway.record(call.jobId), Date.now() - 1);
    expect(errorOf(await late.answer(never))).toBe('TIMEOUT');
    expect(await gateway.record(call.jobId)).toMatchObject({ state: 'failed' });
    expect(await gateway.store.begin(call.jobId, Date.now())).toMatchObject({ kind: 'ended' });
    expect(errorOf(await call.answer(never))).toBe('TIMEOUT');
  });

  test('is a timeout for the caller whose deadline has passed, and the result for another who has joined with more time', async () => {
    const caller = newCaller();
    using first = await started({ tool: 'test_shared', caller });
    using second = await started({ tool: 'test_shared', caller });
    expect(second).toMatchObject({ jobId: first.jobId, joined: true });
    using late = gateway.callOf(await gateway.record(first.jobId), Date.now() - 1);
    expect(errorOf(await late.answer(never))).toBe('TIMEOUT');
    await gateway.work(first.jobId);
    expect(await second.answer(never)).toMatchObject({ outcome: { ok: true } });
  });

  test('holds what the options of the call ask for, and what one reader sets for itself', async () => {
    const options = { debug: true, metacognition: true };
    using call = await started({ options: { ...gateway.request().options, ...options } });
    await gateway.work(call.jobId);
    const answer = await call.answer(never);
    expect(answer?.facts).toMatchObject({ debugInfo: { retry_count: 0 }, metacognition: { checked: true, needs_correction: false } });
    using found = await gateway.calls.find((await call.job()).head.caller, call.jobId, null);
    expect((await found.answer(null, { inline_files: false }))?.facts).toEqual(answer?.facts);
  });
});

describe('the events of a call', () => {
  test('are followed while they happen, by several readers, up to the end with the answer', async () => {
    using call = await started();
    const readers = [allOf(call.events(0, never)), allOf(call.events(0, never)), allOf(call.events(1, never))];
    await gateway.store.begin(call.jobId, Date.now());
    await gateway.store.attempts.progress(call.jobId, 1, { kind: 'progress', progress: 40, message: 'on the way' });
    const { head } = await call.job();
    const times = { startedAt: Date.now(), finishedAt: Date.now(), attempts: 1, executionMs: 1, networkMs: 0 };
    const outcome = { ok: true, data: { made: 'a' } } as const;
    await gateway.store.finish({ jobId: call.jobId, head, ending: { state: 'completed', outcome, ...times }, attempt: 1 });
    const [first = [], second = [], third = []] = await Promise.all(readers);
    expect(kindsOf(first)).toEqual(['progress', 'progress', 'end']);
    expect(first.at(0)).toMatchObject({ seq: 1, progress: 0, message: 'Starting test_plain' });
    expect(first.at(-1)).toMatchObject({ seq: 3, answer: { outcome: { ok: true, data: { made: 'a' } } } });
    expect(second).toEqual(first);
    expect(third).toEqual(first.slice(1));
  });

  test('of an ended call are replayed from every place, once and in order', async () => {
    using call = await ended();
    for (let after = 0; after <= 4; after++)
      expect(placesOf(await allOf(call.events(after, never)))).toEqual([1, 2, 3, 4, 5].filter((seq) => seq > after));
  });

  test('begin anew for a place that was never given out', async () => {
    using call = await ended();
    expect(placesOf(await allOf(call.events(6, never)))).toEqual([1, 2, 3, 4, 5]);
    expect(placesOf(await allOf(call.events(999_999_999, never)))).toEqual([1, 2, 3, 4, 5]);
  });

  test.each([1, minuteMs, recordLifeMs - minuteMs])('of an ended call are whole %i ms after its deadline', async (passedMs) => {
    using call = await ended();
    await gateway.moveDeadline(call.jobId, Date.now() - passedMs);
    const caller = (await call.job()).head.caller;
    for (let turn = 0; turn < 10; turn++) {
      using found = await gateway.calls.find(caller, call.jobId, null);
      const events = await allOf(found.events(0, never));
      expect(placesOf(events)).toEqual([1, 2, 3, 4, 5]);
      expect(events.at(-1)).toMatchObject({ kind: 'end', answer: { outcome: { ok: true } } });
    }
  });

  test('of an open call whose deadline has passed end as a timeout, once for all readers', async () => {
    using call = await started();
    await gateway.moveDeadline(call.jobId, Date.now() - minuteMs);
    const found = await Promise.all([1, 2, 3].map(async () => gateway.callOf(await gateway.record(call.jobId))));
    const readings = await Promise.all(found.map((one) => allOf(one.events(0, never))));
    for (const events of readings) {
      expect(placesOf(events)).toEqual([1, 2]);
      expect(events.at(-1)).toMatchObject({ answer: { outcome: { ok: false, error: { code: 'TIMEOUT' } } } });
    }
    for (const one of found) one[Symbol.dispose]();
  });

  test('go on after the deadline of one caller while another who has joined has more time', async () => {
    const caller = newCaller();
    using first = await started({ tool: 'test_shared', caller });
    using second = await started({ tool: 'test_shared', caller });
    using late = gateway.callOf(await gateway.record(first.jobId), Date.now() - 1);
    const reading = allOf(late.events(0, never));
    expect(errorOf(await gateway.callOf(await gateway.record(first.jobId), Date.now() - 1).answer(never))).toBe('TIMEOUT');
    await gateway.work(second.jobId);
    expect((await reading).at(-1)).toMatchObject({ kind: 'end', answer: { outcome: { ok: true } } });
  });

  test('end for everybody at the latest deadline, also when callers have joined and no worker is left', async () => {
    const caller = newCaller();
    using first = await started({ tool: 'test_shared', caller });
    using second = await started({ tool: 'test_shared', caller });
    await gateway.moveDeadline(first.jobId, Date.now() - 1);
    using late = gateway.callOf(await gateway.record(first.jobId));
    expect((await allOf(late.events(0, never))).at(-1)).toMatchObject({ answer: { outcome: { ok: false, error: { code: 'TIMEOUT' } } } });
    expect(errorOf(await second.answer(never))).toBe('TIMEOUT');
  });

  test('stop when the signal fires, and the call runs on', async () => {
    using call = await started();
    const leaving = new AbortController();
    const reading = allOf(call.events(0, leaving.signal));
    const first = call.events(0, never);
    expect((await first.next()).value).toMatchObject({ seq: 1 });
    await first.return(undefined);
    leaving.abort();
    expect(placesOf(await reading).length).toBeLessThanOrEqual(1);
    expect(await gateway.record(call.jobId)).toMatchObject({ ending: null });
  });

  test('that nobody told anything about are not stored, and are the same for who waited and for who comes later', async () => {
    using call = await started();
    const readers = [0, 1].map((after) => allOf(call.events(after, never)));
    await gateway.work(call.jobId);
    expect(await redis.exists(gateway.keys.events(call.jobId))).toBe(0);
    const [live = [], resumed] = await Promise.all(readers);
    const { head, ending } = await gateway.record(call.jobId);
    expect(live).toMatchObject([
      { kind: 'progress', seq: 1, at: head.createdAt, progress: 0, message: 'Starting test_plain' },
      { kind: 'end', seq: 2, at: ending?.finishedAt, answer: { outcome: { ok: true } } },
    ]);
    expect(resumed).toEqual(live.slice(1));
    using found = gateway.callOf(await gateway.record(call.jobId));
    for (const [after, rest] of [
      [0, live],
      [1, live.slice(1)],
      [2, []],
      [3, live],
    ] as const)
      expect((await allOf(found.events(after, never))).map(({ kind, seq, at }) => [kind, seq, at])).toEqual(
        rest.map(({ kind, seq, at }) => [kind, seq, at]),
      );
    expect([0, 1, 2, 3].map((after) => found.isOver(after))).toEqual([false, false, true, false]);
  });

  test('that an older version stored, first and last, are delivered once', async () => {
    using call = await started();
    const [log, record] = [gateway.keys.events(call.jobId), gateway.keys.invocation(call.jobId)];
    await redis.xadd(log, '1-0', 'at', 1, 'event', '{"kind":"progress","progress":0,"message":"Starting test_plain"}');
    // Nor did that version write who listens.
    await redis.hdel(record, 'listeners');
    const reading = allOf(call.events(0, never));
    await gateway.work(call.jobId);
    expect(await redis.xlen(log)).toBe(2);
    expect(placesOf(await reading)).toEqual([1, 2]);
    // Its worker stores the end of calls whose first event nobody stored.
    using other = await started();
    await gateway.work(other.jobId);
    await redis.xadd(gateway.keys.events(other.jobId), '2-0', 'at', 1, 'event', '{"kind":"end"}');
    await redis.hset(gateway.keys.invocation(other.jobId), 'seq', 2);
    for (const jobId of [call.jobId, other.jobId]) {
      using found = gateway.callOf(await gateway.record(jobId));
      for (const after of [0, 1, 2]) expect(placesOf(await allOf(found.events(after, never)))).toEqual([1, 2].filter((seq) => seq > after));
    }
    expect(await redis.hget(record, 'seq')).toBe('2');
  });

  test('leave no follower behind', async () => {
    const before = gateway.followers.size;
    using call = await ended();
    await allOf(call.events(0, never));
    const reading = call.events(0, never);
    await reading.next();
    await reading.return(undefined);
    expect(gateway.followers.size).toBe(before);
  });
});

describe('cancelling', () => {
  test('ends a waiting call with the reason, and drops its job from the queue', async () => {
    using call = await started();
    expect(await gateway.queues.stateOf(call.jobId)).toBe('waiting');
    expect(await call.cancel('No longer wanted')).toBe('cancelled');
    expect(await call.answer(never)).toMatchObject({ outcome: { ok: false, error: { code: 'CANCELLED', message: 'No longer wanted' } } });
    expect(await gateway.queues.stateOf(call.jobId)).toBe('unknown');
  });

  test('changes nothing about a call that has ended', async () => {
    using call = await ended();
    expect(await call.cancel('Too late')).toBe('completed');
    expect(await gateway.record(call.jobId)).toMatchObject({ state: 'completed', ending: { outcome: { ok: true } } });
  });

  test('by many at the same time writes one end', async () => {
    using call = await started();
    const states = await Promise.all(Array.from({ length: 8 }, (_, index) => call.cancel(`reason ${index}`)));
    expect(new Set(states)).toEqual(new Set(['cancelled']));
    expect(kindsOf(await allOf(call.events(0, never)))).toEqual(['progress', 'end']);
  });

  test('leaves a call alone that another caller waits for, where that is asked', async () => {
    const caller = newCaller();
    using first = await started({ tool: 'test_shared', caller });
    using second = await started({ tool: 'test_shared', caller });
    await first.cancel('The caller went away', { unlessJoined: true });
    expect(await gateway.record(first.jobId)).toMatchObject({ ending: null });
    await gateway.work(first.jobId);
    expect(await second.answer(never)).toMatchObject({ outcome: { ok: true } });
  });

  test('leaves the run alone that the caller has joined itself', async () => {
    const caller = newCaller();
    using _first = await started({ tool: 'test_shared', caller });
    using second = await started({ tool: 'test_shared', caller });
    await second.cancel('The caller went away', { unlessJoined: true });
    expect(await gateway.record(second.jobId)).toMatchObject({ ending: null });
  });
});

test('a call is over for a reader who has its last event, and for nobody else', async () => {
  using call: JobCall & Call = await ended();
  expect([0, 4, 5, 6].map((after) => call.isOver(after))).toEqual([false, false, true, false]);
  using open = await started();
  using found = gateway.callOf(await gateway.record(open.jobId));
  expect(found.isOver(1)).toBe(false);
});
