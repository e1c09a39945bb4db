// JSON, streams, batches and native routes over a real gateway: what each door adds to a call, and nothing else.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { batchShape, envelopeShape, eventually, type HttpCaller, jobListShape, startTimeoutMs } from '#lib/testing';
import { startTestGateway, type TestGateway } from '../test-gateway.js';
import { partitionOf } from '#lib/transport';

let gateway: TestGateway;
let user: HttpCaller;
/** Orders that are held back until the test lets them go. */
const held = new Map<string, () => void>();

beforeAll(async () => {
  gateway = await startTestGateway({
    handler: async ({ jobId, head, attempt, store }) => {
      const order = typeof head.input['order'] === 'string' ? head.input['order'] : '';
      if (order.startsWith('held')) await new Promise<void>((resolve) => held.set(order, resolve));
      if (order === 'steps')
        for (const progress of [30, 60])
          await store.attempts.progress(jobId, attempt, { kind: 'progress', progress, message: `${progress} %` });
      if (order === 'sold out')
        return {
          ok: false,
          error: { code: 'RESOURCE_NOT_FOUND', family: 'RESOURCE_NOT_FOUND', native_code: 'SOLD_OUT', message: 'None left' },
        };
      if (head.tool === 'user_profile_lookup')
        return {
          ok: false,
          error: { code: 'RESOURCE_NOT_FOUND', family: 'RESOURCE_NOT_FOUND', native_code: 'USER_NOT_FOUND', message: 'No such user' },
        };
      return { ok: true, data: { made: order } };
    },
  });
  user = await gateway.caller();
}, startTimeoutMs);

afterAll(async () => gateway?.[Symbol.asyncDispose]());

const letGo = async (order: string) => (await eventually(() => held.get(order)))();
const openJobs = async () => gateway.stores.store.open.count(partitionOf('profile'));

describe('a call as JSON', () => {
  test('answers with the envelope, and headers that match it', async () => {
    const reply = await user.call('test_plain', { order: 'one' });
    expect(reply.status).toBe(200);
    expect(reply.envelope).toMatchObject({
      success: true,
      data: { made: 'one' },
      metadata: { tool_name: 'test_plain', tool_version: '1.2.0' },
    });
    expect(reply.headers.get('x-trace-id')).toBe(reply.envelope.metadata.trace_id);
    expect(reply.headers.get('content-type')).toContain('application/json');
  });

  test('has the status of its error, and the literal of the tool beside the code', async () => {
    const reply = await user.call('test_plain', { order: 'sold out' });
    expect(reply.status).toBe(404);
    expect(reply.envelope).toMatchObject({
      success: false,
      error: { code: 'RESOURCE_NOT_FOUND', native_code: 'SOLD_OUT', retryable: false },
    });
  });

  test.each([
    ['/tools/test_plian', {}, 404, 'TOOL_NOT_FOUND'],
    ['/tools/test_plain', {}, 400, 'INVALID_PARAMS'],
    ['/tools/test_plain?debug=maybe', { order: 'a' }, 400, 'INVALID_PARAMS'],
    ['/tools/test_plain?version=not a range', { order: 'a' }, 400, 'INVALID_PARAMS'],
    ['/tools/test_plain?version=^9', { order: 'a' }, 404, 'TOOL_NOT_FOUND'],
  ])('POST %s with %j is refused with %i', async (path, body, status, code) => {
    const reply = await user.post(path, body);
    expect(reply.status).toBe(status);
    expect(reply.as(envelopeShape).error).toMatchObject({ code });
  });

  test('answers 202 at once when it is asked to, and the job has the result later', async () => {
    const reply = await user.post('/tools/test_plain', { order: 'held-async' }, { prefer: 'respond-async' });
    expect(reply.status).toBe(202);
    expect(reply.body).toMatchObject({ state: 'waiting', tool_name: 'test_plain', links: { self: reply.headers.get('location') } });
    expect(reply.headers.get('preference-applied')).toBe('respond-async');
    await letGo('held-async');
    const job = await user.get(`${reply.headers.get('location')}?wait=10`);
    expect(job.body).toMatchObject({ state: 'completed', result: { data: { made: 'held-async' } } });
  });

  test('answers 202 after the seconds that the caller waits, and the result when it comes before', async () => {
    const early = await user.post('/tools/test_plain', { order: 'quick' }, { prefer: 'wait=30' });
    expect(early.status).toBe(200);
    const late = await user.post('/tools/test_plain', { order: 'held-wait' }, { prefer: 'wait=1' });
    expect(late.status).toBe(202);
    await letGo('held-wait');
  });

  test('ends when its caller goes away, and goes on for a caller who brought an idempotency key', async () => {
    const leave = async (order: string, headers: Record<string, string>) => {
      const leaving = new AbortController();
      const gone = user
        .request('/tools/test_plain', { method: 'POST', json: { order }, headers, signal: leaving.signal })
        .catch(() => null);
      await eventually(() => held.get(order));
      leaving.abort();
      await gone;
    };
    const before = await openJobs();
    await leave('held-leaving', {});
    await eventually(async () => (await openJobs()) === before);
    await leave('held-keyed', { 'idempotency-key': 'leaving' });
    await letGo('held-keyed');
    const again = await user.call('test_plain', { order: 'held-keyed' }, { 'idempotency-key': 'leaving' });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.envelope).toMatchObject({ success: true });
  });

  test('with result=data is the data alone, and an error stays an envelope with its status', async () => {
    for (const [path, body] of [
      ['/tools/test_plain?result=data', { order: 'plain' }],
      ['/tools/call?result=data', { name: 'test_plain', arguments: { order: 'plain' } }],
      ['/tools/call', { name: 'test_plain', arguments: { order: 'plain' }, options: { result: 'data' } }],
    ] as const) {
      const reply = await user.post(path, body);
      expect([reply.status, reply.body]).toEqual([200, { made: 'plain' }]);
      expect(reply.headers.get('x-trace-id')).toMatch(/^trace_/);
    }
    const refused = await user.post('/tools/test_plain?result=data', { order: 'sold out' });
    expect([refused.status, refused.as(envelopeShape).error?.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    const wrong = await user.post('/tools/test_plain?result=short', { order: 'a' });
    expect(wrong.as(envelopeShape).error).toMatchObject({ code: 'INVALID_PARAMS', details: [{ path: 'result' }] });
    const envelope = await user.post('/tools/test_plain?result=envelope', { order: 'plain' });
    expect(envelope.as(envelopeShape).success).toBe(true);
    const later = await user.post('/tools/test_plain?result=data', { order: 'plain' }, { prefer: 'respond-async' });
    expect([later.status, later.body]).toEqual([202, expect.objectContaining({ job_id: expect.any(String) })]);
  });

  test('takes _trace_id and debug out of the body', async () => {
    const reply = await user.call('test_plain', { order: 'traced', _trace_id: 'trace_mine_1', debug: true });
    expect(reply.envelope).toMatchObject({ success: true, metadata: { trace_id: 'trace_mine_1' }, debug_info: { retry_count: 0 } });
    expect(reply.headers.get('x-trace-id')).toBe('trace_mine_1');
  });
});

describe('a call as a stream', () => {
  test.each(['GET', 'POST'])('by %s has every event in order, with ids, and ends with the envelope', async (method) => {
    const path = method === 'GET' ? '/tools/test_plain/sse?order=steps' : '/tools/test_plain/sse';
    await using stream = await user.stream(path, method === 'GET' ? {} : { method, json: { order: 'steps' } });
    const events = await stream.rest();
    expect(events.map(({ event }) => event)).toEqual(['tool_progress', 'tool_progress', 'tool_progress', 'tool_result']);
    expect(events.map(({ data }) => data)).toMatchObject([
      { progress: 0 },
      { progress: 30 },
      { progress: 60 },
      { data: { made: 'steps' } },
    ]);
    expect(events.map(({ id }) => Number(id.split('_').at(-1)))).toEqual([1, 2, 3, 4]);
    expect(stream.retryMs).toBe(2_000);
  });

  test('is chosen by Accept for any tool, and by itself for a streaming tool alone', async () => {
    await using stream = await user.stream('/tools/test_plain', { method: 'POST', json: { order: 'a' } });
    expect((await stream.rest()).at(-1)).toMatchObject({ event: 'tool_result' });
    const both = await user.post('/tools/test_plain', { order: 'a' }, { accept: 'text/event-stream, application/json' });
    expect(both.headers.get('content-type')).toContain('application/json');
  });

  test.each([
    ['of a wrong parameter', '/tools/test_plain/sse?order=a&more=1', 'INVALID_PARAMS'],
    ['of an unknown tool', '/tools/nothing/sse', 'TOOL_NOT_FOUND'],
    ['of a wrong option', '/tools/test_plain/sse?order=a&debug=maybe', 'INVALID_PARAMS'],
  ])('is one error event for a refusal %s, since an EventSource reads no body', async (_what, path, code) => {
    await using stream = await user.stream(path);
    expect(await stream.rest()).toMatchObject([{ event: 'tool_error', data: { success: false, error: { code } } }]);
  });

  test('is a plain refusal for a reader of JSON, and for a tool that changes something', async () => {
    const json = await user.get('/tools/test_plain/sse?order=a&more=1', { accept: 'text/event-stream, application/json' });
    expect(json.status).toBe(400);
    const writing = await user.get('/tools/test_writing/sse?order=a', { accept: 'text/event-stream' });
    expect(writing.status).toBe(405);
    expect(writing.headers.get('allow')).toBe('POST');
  });

  test('resumes after the last event id without another call, and is 204 at the end and for an id of nobody', async () => {
    await using first = await user.stream('/tools/test_plain/sse?order=steps');
    const events = await first.rest();
    const jobs = await openJobs();
    await using second = await user.stream('/tools/test_plain/sse?order=steps', { headers: { 'last-event-id': events[1]?.id ?? '' } });
    expect(await second.rest()).toEqual(events.slice(2));
    for (const id of [events.at(-1)?.id ?? '', `evt_profile_${'0'.repeat(32)}_2`, 'nonsense', 'evt_x_1']) {
      const reply = await user.get('/tools/test_plain/sse?order=steps', { accept: 'text/event-stream', 'last-event-id': id });
      expect({ id, status: reply.status }).toEqual({ id, status: 204 });
    }
    expect(await openJobs()).toBe(jobs);
  });

  test('of an answer from the cache looks like any other', async () => {
    await user.call('test_cached', { order: 'kept' });
    await using stream = await user.stream('/tools/test_cached/sse?order=kept');
    const events = await stream.rest();
    expect(events).toMatchObject([
      { event: 'tool_progress', data: { progress: 0 } },
      { event: 'tool_result', data: { metadata: { cache: { hit: true } } } },
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(2);
    const again = await user.get('/tools/test_cached/sse?order=kept', {
      accept: 'text/event-stream',
      'last-event-id': events[0]?.id ?? '',
    });
    expect(again.status).toBe(204);
  });
});

test.each([
  ['ends its call', {}, 'gone'],
  ['lets a call go on that has an idempotency key', { 'idempotency-key': 'early' }, 'kept'],
] as const)('a stream that is left before its first event %s', async (_what, headers, order) => {
  const before = await openJobs();
  const { store } = gateway.stores;
  const { accept } = store;
  const leaving = new AbortController();
  const accepting = jest.spyOn(store, 'accept').mockImplementationOnce(async (...given) => {
    leaving.abort();
    // The connection is closed before these requests come.
    for (let n = 0; n < 3; n++) await user.get('/healthz');
    return accept.apply(store, given);
  });
  try {
    const json = { order: `held-early-${order}` };
    const stream = { method: 'POST', json, headers: { ...headers, accept: 'text/event-stream' }, signal: leaving.signal };
    await user.request('/tools/test_plain/sse', stream).catch(() => null);
    if (order === 'kept') await letGo('held-early-kept');
    await (
      await eventually(() => accepting.mock.results[0])
    )?.value;
    await eventually(async () => (await openJobs()) === before);
    const [job] = (await user.get('/jobs?limit=1')).as(jobListShape).jobs;
    expect(job).toMatchObject({ state: order === 'kept' ? 'completed' : 'cancelled' });
  } finally {
    accepting.mockRestore();
  }
});

describe('a batch', () => {
  const batch = async (calls: readonly object[]) => user.post('/tools/batch', { calls });

  test('ends the calls that still run when its caller goes away', async () => {
    const before = await openJobs();
    const leaving = new AbortController();
    const orders = ['held-batch-1', 'quick', 'held-batch-2'];
    const calls = orders.map((order) => ({ id: order, name: 'test_plain', arguments: { order } }));
    const gone = user.request('/tools/batch', { method: 'POST', json: { calls }, signal: leaving.signal }).catch(() => null);
    await eventually(() => held.has('held-batch-1') && held.has('held-batch-2'));
    leaving.abort();
    await gone;
    await eventually(async () => (await openJobs()) === before);
  });

  test('answers each call in the order asked, with its own envelope', async () => {
    const reply = await batch([
      { id: 1, name: 'test_plain', arguments: { order: 'a' } },
      { id: 'two', name: 'test_plain', arguments: { order: 'sold out' } },
      { id: 3, name: 'nothing', arguments: {} },
      { id: 4, name: 'test_plain', arguments: { order: 'a' }, options: { debug: 'maybe' } },
      { id: 5, name: 'test_plain', arguments: { order: 'a', _trace_id: 'trace_five' } },
    ]);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      results: [
        { id: 1, success: true },
        { id: 'two', success: false, error: { code: 'RESOURCE_NOT_FOUND' } },
        { id: 3, success: false, error: { code: 'TOOL_NOT_FOUND' } },
        { id: 4, success: false, error: { code: 'INVALID_PARAMS' } },
        { id: 5, success: true, metadata: { trace_id: 'trace_five' } },
      ],
    });
  });

  test.each([
    ['no call', []],
    ['51 calls', Array.from({ length: 51 }, (_, id) => ({ id, name: 'test_plain', arguments: { order: 'a' } }))],
    ['two calls of one id', [1, 1].map((id) => ({ id, name: 'test_plain', arguments: { order: 'a' } }))],
    ['a call without a name', [{ id: 1, arguments: {} }]],
    ['a call whose arguments are a list', [{ id: 1, name: 'test_plain', arguments: [] }]],
  ])('of %s is refused whole, and the message names the field', async (_what, calls) => {
    const reply = await batch(calls);
    expect(reply.status).toBe(400);
    expect(JSON.stringify(reply.as(envelopeShape).error)).toContain('calls');
  });

  test('of 50 calls is the most', async () => {
    const reply = await batch(Array.from({ length: 50 }, (_, id) => ({ id, name: 'test_plain', arguments: { order: String(id) } })));
    expect(reply.as(batchShape).results.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, id) => id));
  });
});

describe('other doors of the same pipeline', () => {
  test('POST /tools/call takes the name and the options from the body', async () => {
    const reply = await user.post('/tools/call', { name: 'test_plain', arguments: { order: 'a' }, options: { debug: true } });
    expect(reply.as(envelopeShape)).toMatchObject({ success: true, debug_info: expect.anything() });
    expect((await user.post('/tools/call', { arguments: {} })).status).toBe(400);
  });

  test('a native route answers in the shape of its source document, refusals too', async () => {
    const refused = await user.post('/aurawell/user_profile_lookup', { user_id: 'user_001' });
    expect(refused.body).toEqual({ status: 'error', data: null, error_code: 'USER_NOT_FOUND', message: 'No such user' });
    const foreign = await user.post('/aurawell/test_plain', { order: 'a' });
    expect(foreign.status).toBe(404);
  });

  test('lists have an ETag, and 304 for who has it', async () => {
    const first = await user.get('/tools');
    const etag = first.headers.get('etag') ?? '';
    expect((await user.get('/tools', { 'if-none-match': etag })).status).toBe(304);
    expect((await user.get('/tools?format=openai', { 'if-none-match': etag })).status).toBe(200);
    expect((await user.get('/tools?format=nonsense')).status).toBe(400);
    expect((await user.get('/tools?domain=nowhere')).status).toBe(400);
  });
});
