import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineTool, type Caller } from '#lib/contracts';
import { startCalls, refusalOf, startJob, startTwoGateways, type TestCalls, type TwoGateways } from './test-calls.js';
import { newCaller, newFacts } from './test-request.js';
import { plain } from './test-tools.js';

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

describe('starting a call', () => {
  test('queues a job of the domain, with the parameters as the contract parsed them', async () => {
    using call = await started({ tool: 'TESTPLAIN', input: { order: 'by alias' } });
    expect(await gateway.queues.stateOf(call.jobId)).toBe('waiting');
    const { head, state, attempts } = await call.job();
    expect({ tool: head.tool, version: head.version, input: head.input, state, attempts }).toEqual({
      tool: 'test_plain',
      version: '1.2.0',
      input: { order: 'by alias' },
      state: 'waiting',
      attempts: 0,
    });
    expect(call.headers).toEqual({ 'x-trace-id': call.traceId });
  });

  test.each<[string, object, string]>([
    ['an unknown tool', { tool: 'test_plian' }, 'TOOL_NOT_FOUND'],
    ['a parameter that the contract does not know', { input: { order: 'a', more: 1 } }, 'INVALID_PARAMS'],
    ['a missing parameter', { input: {} }, 'INVALID_PARAMS'],
    ['a caller without the scope', { caller: newCaller({ scopes: [] }) }, 'PERMISSION_DENIED'],
    ['a tool that changes something, where the request may be repeated', { tool: 'test_writing', readsOnly: true }, 'METHOD_NOT_ALLOWED'],
    ['a tool of another source document', { source: 'stripe' }, 'TOOL_NOT_FOUND'],
    ['an internal tool by its name', { tool: 'chat_turn' }, 'TOOL_NOT_FOUND'],
    ['an idempotency key of 256 characters', { idempotencyKey: 'k'.repeat(256) }, 'INVALID_PARAMS'],
    ['an idempotency key with a line break', { idempotencyKey: 'a\nb' }, 'INVALID_PARAMS'],
  ])('refuses %s, and queues nothing', async (_what, rest, code) => {
    const caller: Caller = 'caller' in rest ? newCaller({ scopes: [] }) : newCaller();
    expect((await refusalOf(gateway.calls.start(gateway.request({ ...rest, caller })))).error.family).toBe(code);
    expect((await gateway.pages.read(caller, { state: null, tool: null, limit: 5, from: null })).jobs).toEqual([]);
  });

  test('names the nearest tool when there is none of that name', async () => {
    const { error } = await refusalOf(gateway.calls.start(gateway.request({ tool: 'test_plian' })));
    expect(error).toMatchObject({ message: "Tool 'test_plian' not found; did you mean 'test_plain'?", extra: { nearest: ['test_plain'] } });
  });

  test('announces the end of a tool in headers and in a warning', async () => {
    using call = await started({ tool: 'test_ending' });
    expect(call.headers).toEqual({
      'x-trace-id': call.traceId,
      deprecation: '@1893456000',
      sunset: 'Tue, 01 Jan 2030 00:00:00 GMT',
      link: '</tools/test_plain>; rel="successor-version"',
    });
    await gateway.work(call.jobId);
    expect((await call.answer(never))?.outcome.warnings).toEqual([expect.stringContaining('2030-01-01')]);
  });

  test('is answered by whichever gateway the worker ends it under', async () => {
    using call = await started({}, other);
    const waiting = call.answer(never);
    await gateway.work(call.jobId);
    expect(await waiting).toMatchObject({ outcome: { ok: true } });
  });
});

describe('limits', () => {
  test('refuse a call over the rate and over the day, and count nothing that was refused', async () => {
    await using bounded = await startCalls(both.stores, { most: { perDay: 3 } });
    const caller = newCaller();
    for (let turn = 0; turn < 3; turn++) (await bounded.calls.start(bounded.request({ caller })))[Symbol.dispose]();
    const { error } = await refusalOf(bounded.calls.start(bounded.request({ caller })));
    expect(error).toMatchObject({ family: 'QUOTA_EXCEEDED', extra: { limit: 3, window_seconds: 86_400 } });
    (await bounded.calls.start(bounded.request()))[Symbol.dispose]();
  });

  test('say after how long a second call is let in', async () => {
    await using bounded = await startCalls(both.stores, { most: { perSecond: 1 } });
    const caller = newCaller();
    const refusals = (await Promise.allSettled([1, 2, 3].map(() => bounded.calls.start(bounded.request({ caller }))))).flatMap((one) =>
      one.status === 'rejected' ? [one.reason] : [],
    );
    expect(refusals.length).toBeGreaterThanOrEqual(1);
    expect(refusals[0]).toMatchObject({ error: { family: 'RATE_LIMITED', extra: { limit: 1, window_seconds: 1 } } });
    expect(refusals[0].error.retry_after_ms).toBeGreaterThan(0);
    expect(refusals[0].error.retry_after_ms).toBeLessThanOrEqual(1_000);
  });
});

describe('an idempotency key', () => {
  test('answers a second request with the first run, at another gateway and with the parameters in another order', async () => {
    const caller = newCaller();
    using first = await started({ caller, idempotencyKey: 'k', input: { order: 'a', note: 'b' } });
    await gateway.work(first.jobId);
    using second = await started({ caller, idempotencyKey: 'k', input: { note: 'b', order: 'a' } }, other);
    expect(second).toMatchObject({ jobId: first.jobId, joined: true, traceId: first.traceId });
    expect(second.headers).toMatchObject({ 'idempotent-replayed': 'true', 'x-trace-id': first.traceId });
    expect(await second.answer(never)).toEqual(await first.answer(never));
  });

  test('joins a run that still goes on', async () => {
    const caller = newCaller();
    using first = await started({ caller, idempotencyKey: 'k' });
    using second = await started({ caller, idempotencyKey: 'k' });
    const waiting = [first.answer(never), second.answer(never)];
    await gateway.work(first.jobId);
    const [one, two] = await Promise.all(waiting);
    expect(one).toEqual(two);
  });

  test('is refused for other parameters, another session, and is free for another caller or tool', async () => {
    const caller = newCaller();
    using first = await started({ caller, idempotencyKey: 'k' });
    const again = (rest: object) => gateway.calls.start(gateway.request({ caller, idempotencyKey: 'k', ...rest }));
    expect((await refusalOf(again({ input: { order: 'b' } }))).error.family).toBe('IDEMPOTENCY_CONFLICT');
    using bySession = await started({ caller, idempotencyKey: 's', tool: 'test_session', sessionId: 's1' });
    expect((await refusalOf(again({ idempotencyKey: 's', tool: 'test_session', sessionId: 's2' }))).error.family).toBe(
      'IDEMPOTENCY_CONFLICT',
    );
    using foreign = await started({ idempotencyKey: 'k' });
    using tool = await started({ caller, idempotencyKey: 'k', tool: 'test_shared' });
    expect(new Set([first, bySession, foreign, tool].map(({ jobId }) => jobId)).size).toBe(4);
  });

  test('of two requests at the same moment makes one job', async () => {
    const caller = newCaller();
    const calls = await Promise.all(
      Array.from({ length: 6 }, (_, index) => started({ caller, idempotencyKey: 'k' }, index % 2 === 0 ? gateway : other)),
    );
    expect(new Set(calls.map(({ jobId }) => jobId)).size).toBe(1);
    expect(calls.filter(({ joined }) => !joined)).toHaveLength(1);
    for (const call of calls) call[Symbol.dispose]();
  });
});

describe('a request_id among the parameters', () => {
  const withRequestId = defineTool({
    ...plain,
    name: 'test_request_id',
    aliases: [],
    input: plain.input.extend({ request_id: z.string().max(500).optional() }),
    output: z.strictObject({ made: z.string() }),
    errors: {},
    examples: [{ input: { order: 'a' }, output: { made: 'a' } }],
  });
  let third: TestCalls;
  beforeAll(async () => {
    third = await startCalls(both.stores, { contracts: [withRequestId] });
  });
  afterAll(async () => third[Symbol.asyncDispose]());

  test('names the request, also of a call that is refused', async () => {
    const facts = newFacts();
    const request = { tool: 'test_request_id', facts, input: { order: 'a', request_id: 'mine-1' } };
    (await third.calls.start(third.request(request)))[Symbol.dispose]();
    expect(facts.requestId).toBe('mine-1');
    const refused = newFacts();
    await refusalOf(third.calls.start(third.request({ ...request, facts: refused, input: { order: 1, request_id: 'mine-2' } })));
    expect(refused.requestId).toBe('mine-2');
  });

  test.each(['请', 'two words', 'line\r\nbreak', '', 'x'.repeat(129), 7, null, ['a'], { a: 1 }])(
    '%j does not become the header of the answer',
    async (request_id) => {
      const facts = newFacts();
      const call = await third.calls
        .start(third.request({ tool: 'test_request_id', facts, input: { order: 'a', request_id } }))
        .catch(() => null);
      call?.[Symbol.dispose]();
      expect(facts.requestId).toBe('req-1');
    },
  );
});
