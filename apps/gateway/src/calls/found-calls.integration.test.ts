import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Refusal, type Caller } from '#lib/contracts';
import { newJobId, partitionOf } from '#lib/transport';
import { parseOptions } from './options.js';
import { allOf, refusalOf, startJob, startTwoGateways, type TestCalls, type TwoGateways } from './test-calls.js';
import { newCaller, newFacts } from './test-request.js';

let both: TwoGateways;
let gateway: TestCalls;
let other: TestCalls;
const never = new AbortController().signal;

beforeAll(async () => {
  both = await startTwoGateways();
  ({ gateway, other } = both);
});

afterAll(async () => both[Symbol.asyncDispose]());

const started = (rest: Parameters<TestCalls['request']>[0] = {}, at = gateway) => startJob(at, rest);

describe('an answer from the cache', () => {
  const cachedCall = async (caller: Caller) => {
    using first = await started({ tool: 'test_cached', caller, input: { order: 'kept' } });
    await gateway.work(first.jobId, { ok: true, data: { made: 'kept' } });
    const facts = newFacts();
    const call = await other.calls.start(other.request({ tool: 'test_cached', caller, facts, input: { order: 'kept', note: 'else' } }));
    return { call, facts };
  };

  test('is no job, has the trace of its own request, and says how long it still holds', async () => {
    const { call, facts } = await cachedCall(newCaller());
    expect(call.jobId).toBeNull();
    expect(await call.answer(null)).toMatchObject({
      outcome: { ok: true, data: { made: 'kept' } },
      facts: { traceId: facts.traceId, cache: { hit: true, ttl_remaining: 600 }, executionMs: 0 },
    });
    call[Symbol.dispose]();
  });

  test('is a stream of two events, which can be resumed', async () => {
    const { call, facts } = await cachedCall(newCaller());
    const events = await allOf(call.events(0, never));
    expect(events).toMatchObject([
      { kind: 'progress', seq: 1, message: 'Starting test_cached' },
      { kind: 'end', seq: 2, answer: { facts: { traceId: facts.traceId } } },
    ]);
    expect((await allOf(call.events(1, never))).map(({ seq }) => seq)).toEqual([2]);
    expect(await allOf(call.events(2, never))).toEqual([]);
  });

  test('has ended, so it cannot be cancelled', async () => {
    const { call } = await cachedCall(newCaller());
    expect(await call.cancel('Too late')).toBe('completed');
  });

  test('is for its own caller, and not for one who wants no cache or brings an idempotency key', async () => {
    const caller = newCaller();
    await cachedCall(caller);
    const again = { tool: 'test_cached', input: { order: 'kept' } };
    using foreign = await started(again);
    using fresh = await started({ ...again, caller, options: parseOptions({ enable_cache: false }) });
    using keyed = await started({ ...again, caller, idempotencyKey: 'k' });
    expect(new Set([foreign, fresh, keyed].map(({ jobId }) => jobId)).size).toBe(3);
  });
});

describe('a call that is found again', () => {
  test('is the caller’s own, an administrator’s, and unknown to everybody else', async () => {
    const caller = newCaller();
    using call = await started({ caller });
    const readers: readonly [Caller, boolean][] = [
      [caller, true],
      [{ ...caller, credentialId: 'another key of the same user' }, true],
      [newCaller({ scopes: ['admin'] }), true],
      [{ ...caller, userId: 'another' }, false],
      [{ ...caller, userId: null }, false],
      [newCaller(), false],
    ];
    for (const [reader, may] of readers) {
      const found = await gateway.calls.find(reader, call.jobId, null).catch((error: Refusal) => error.error.family);
      expect(typeof found === 'string' ? found : found.jobId).toBe(may ? call.jobId : 'RESOURCE_NOT_FOUND');
    }
  });

  test.each([
    ['of no job', newJobId(partitionOf('profile'))],
    ['of an unknown domain', `inv_nowhere_${'0'.repeat(32)}`],
    ['of no shape', 'nonsense'],
    ['with a NUL', `inv_profile_${'0'.repeat(31)}\0`],
    ['that is empty', ''],
  ])('is not found by an id %s', async (_what, jobId) => {
    expect((await refusalOf(gateway.calls.find(newCaller(), jobId, null))).error.family).toBe('RESOURCE_NOT_FOUND');
  });

  test('is found in its own session or without one, where its tool keeps sessions apart', async () => {
    const caller = newCaller();
    using kept = await started({ caller, tool: 'test_session', sessionId: 's1' });
    using open = await started({ caller, sessionId: 's1' });
    const finds = async (jobId: string, session: string | null) => {
      const found = await gateway.calls.find(caller, jobId, session).catch(() => null);
      return found !== null;
    };
    expect(await Promise.all(['s1', 's2', null].map((session) => finds(kept.jobId, session)))).toEqual([true, false, true]);
    expect(await Promise.all(['s1', 's2', null].map((session) => finds(open.jobId, session)))).toEqual([true, true, true]);
  });

  test('by its flight key is there while it runs', async () => {
    const caller = newCaller();
    using call = await started({ caller, tool: 'test_shared' });
    const { head } = await call.job();
    const key = head.flightKey ?? '';
    expect((await gateway.calls.findRunning(caller, 'profile', key))?.jobId).toBe(call.jobId);
    await gateway.work(call.jobId);
    expect(await gateway.calls.findRunning(caller, 'profile', key)).toBeNull();
    expect(await gateway.calls.findRunning(caller, 'profile', 'no such key')).toBeNull();
  });

  test('is gone once it is forgotten', async () => {
    const caller = newCaller();
    using call = await started({ caller });
    await gateway.work(call.jobId);
    await gateway.calls.forget([call.jobId]);
    expect((await refusalOf(gateway.calls.find(caller, call.jobId, null))).error.family).toBe('RESOURCE_NOT_FOUND');
  });
});

describe('the list of calls', () => {
  const query = { state: null, tool: null, limit: 3, from: null } as const;
  const idsOf = (page: Awaited<ReturnType<TestCalls['pages']['read']>>) => page.jobs.map(({ record }) => record.jobId);

  test('has every call once, newest first, page by page, while new ones are made', async () => {
    const caller = newCaller();
    const made: string[] = [];
    for (let turn = 0; turn < 8; turn++) {
      using call = await started({ caller });
      made.unshift(call.jobId);
    }
    const seen: string[] = [];
    let page = await gateway.pages.read(caller, query);
    for (;;) {
      seen.push(...idsOf(page));
      if (!page.next) break;
      using _later = await started({ caller });
      page = await gateway.pages.read(caller, { ...query, from: page.next });
    }
    expect(seen.toSorted()).toEqual(made.toSorted());
    expect(new Set(seen).size).toBe(made.length);
  });

  test('is filtered by state and tool, with answers for ended calls', async () => {
    const caller = newCaller();
    using open = await started({ caller });
    using done = await started({ caller, tool: 'test_shared' });
    await gateway.work(done.jobId);
    expect(idsOf(await gateway.pages.read(caller, { ...query, state: 'completed' }))).toEqual([done.jobId]);
    expect(idsOf(await gateway.pages.read(caller, { ...query, tool: 'test_plain' }))).toEqual([open.jobId]);
    expect(idsOf(await gateway.pages.read(caller, { ...query, state: 'failed' }))).toEqual([]);
    const { jobs } = await gateway.pages.read(caller, query);
    expect(jobs.map(({ answer }) => answer?.outcome.ok ?? null)).toEqual(expect.arrayContaining([null, true]));
  });

  test('of one caller has no call of another', async () => {
    const caller = newCaller();
    using _call = await started({ caller });
    expect(idsOf(await gateway.pages.read({ ...caller, userId: 'another' }, query))).toEqual([]);
  });
});

describe('a refused call', () => {
  test('has an answer with the tool’s own name and the trace of its request', async () => {
    const facts = newFacts();
    const error = new Refusal('RATE_LIMITED', 'Slow down', { retry_after_ms: 10 });
    expect(await gateway.calls.refused(error, { tool: 'TestPlain@^1', facts, options: parseOptions({}) })).toMatchObject({
      outcome: { ok: false, error: { code: 'RATE_LIMITED', retry_after_ms: 10 } },
      facts: { toolName: 'test_plain', traceId: facts.traceId },
    });
  });

  test('of an unknown tool is named by at most 64 characters of what was asked for', async () => {
    const answer = await gateway.calls.refused(new Error('a fault of ours'), { tool: 'x'.repeat(200), facts: newFacts(), options: null });
    expect(answer).toMatchObject({ outcome: { error: { code: 'EXECUTION_ERROR' } }, facts: { toolName: 'x'.repeat(64) } });
    expect(JSON.stringify(answer)).not.toContain('a fault of ours');
  });

  test('has debug information where the options ask for it', async () => {
    const refused = (debug: boolean) =>
      gateway.calls.refused(new Refusal('CONFLICT', 'No'), { tool: 'test_plain', facts: newFacts(), options: parseOptions({ debug }) });
    expect((await refused(true)).facts.debugInfo).toMatchObject({ retry_count: 0 });
    expect((await refused(false)).facts.debugInfo).toBeUndefined();
  });
});
