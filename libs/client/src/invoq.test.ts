/**
 * Replaces the timers that `fetch` uses too.
 *
 * @jest-environment node
 */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { cutAnswer, jsonAnswer, startScriptedServer, type ScriptedAnswer } from '#lib/testing';
import { Invoq } from './index.js';
import { caught, failure, metadata, success } from './test-answers.js';

/** Delays that the client asked for. They are not waited for. */
let delays: (number | undefined)[];

beforeEach(() => {
  delays = [];
  const realTimeout = setTimeout;
  jest.spyOn(globalThis, 'setTimeout').mockImplementation((run, ms) => {
    delays.push(ms);
    return realTimeout(run, 0);
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

const refusal = (code: string, status: number, rest: object = {}): ScriptedAnswer =>
  jsonAnswer(status, failure(code, { retryable: true, ...rest }));

test('a call sends its input, its key and what its options say', async () => {
  await using server = await startScriptedServer(jsonAnswer(200, success));
  const invoq = new Invoq({ url: `${server.url}/base`, key: 'k', headers: { 'x-trace-id': 'trace_9' } });
  const result = await invoq.call<string>(
    'a tool',
    { a: 1 },
    { idempotencyKey: 'once', userId: 'u1', sessionId: 's1', version: '^2.0.0', options: { enable_cache: false, personality: { x: 1 } } },
  );
  expect(result).toEqual({ data: { bmi: 22.86 }, metadata });
  expect(server.requests).toMatchObject([
    {
      method: 'POST',
      url: '/base/tools/a%20tool%40%5E2.0.0?enable_cache=false&personality=%7B%22x%22%3A1%7D',
      body: '{"a":1}',
      headers: {
        authorization: 'Bearer k',
        'content-type': 'application/json',
        'idempotency-key': 'once',
        'x-user-id': 'u1',
        'x-session-id': 's1',
        'x-trace-id': 'trace_9',
      },
    },
  ]);
});

test('an address that is no URL is refused at once', () => {
  expect(() => new Invoq({ url: 'not an address' })).toThrow('Invalid URL');
});

test('an error envelope is thrown with all that it tells', async () => {
  const details = [{ path: 'age', message: 'too small' }];
  await using server = await startScriptedServer(
    jsonAnswer(400, failure('INVALID_PARAMS', { details, native_code: 'BAD', retry_after_ms: 5 })),
  );
  expect(await caught(new Invoq({ url: server.url }).call<string>('t', {}))).toMatchObject({
    name: 'InvoqError',
    code: 'INVALID_PARAMS',
    nativeCode: 'BAD',
    message: 'it is INVALID_PARAMS',
    details,
    status: 400,
    retryAfterMs: 5,
    traceId: 'trace_1',
    mayHaveRun: false,
  });
});

test.each<[string, ScriptedAnswer, Readonly<Record<'isRepeatable' | 'isSentAgain', boolean>>]>([
  ['a refusal that may pass', refusal('OVERLOADED', 503), { isRepeatable: false, isSentAgain: true }],
  ['a refusal that stays', jsonAnswer(403, failure('PERMISSION_DENIED')), { isRepeatable: true, isSentAgain: false }],
  [
    'a failure of the tool that ran',
    jsonAnswer(503, failure('NETWORK_ERROR', { retryable: true }, { job_id: 'inv_1' })),
    { isRepeatable: true, isSentAgain: false },
  ],
  ['a cut connection', cutAnswer, { isRepeatable: false, isSentAgain: false }],
  ['a cut connection of a repeatable call', cutAnswer, { isRepeatable: true, isSentAgain: true }],
  ['a page of a proxy', (response) => void response.writeHead(502).end('<html>'), { isRepeatable: false, isSentAgain: false }],
  [
    'a page of a proxy for a repeatable call',
    (response) => void response.writeHead(502).end('<html>'),
    { isRepeatable: true, isSentAgain: true },
  ],
  ['a success that is no JSON', (response) => void response.writeHead(200).end('<html>'), { isRepeatable: false, isSentAgain: false }],
  [
    'a success that is no JSON, of a repeatable call',
    (response) => void response.writeHead(200).end('<html>'),
    { isRepeatable: true, isSentAgain: true },
  ],
  ['a JSON of somebody else', jsonAnswer(404, { message: 'no route' }), { isRepeatable: true, isSentAgain: false }],
])('after %s', async (_what, answer, { isRepeatable, isSentAgain }) => {
  await using server = await startScriptedServer(answer, jsonAnswer(200, success));
  const call = new Invoq({ url: server.url }).call<string>('t', {}, isRepeatable ? { idempotencyKey: 'k' } : {});
  if (isSentAgain) expect((await call).data).toEqual({ bmi: 22.86 });
  else await caught(call);
  expect(server.requests).toHaveLength(isSentAgain ? 2 : 1);
});

test('waits as long as the answer asks, and at least the growing backoff', async () => {
  await using server = await startScriptedServer(
    refusal('RATE_LIMITED', 429, { retry_after_ms: 7_000 }),
    refusal('OVERLOADED', 503, { retry_after_ms: 1 }),
    jsonAnswer(200, success),
  );
  await new Invoq({ url: server.url }).call<string>('t', {});
  expect(delays[0]).toBe(7_000);
  // The second backoff: 500 ms, give or take a half.
  expect(delays[1]).toBeGreaterThanOrEqual(250);
  expect(delays[1]).toBeLessThan(750);
});

test('the header Retry-After of a proxy is kept', async () => {
  await using server = await startScriptedServer(
    (response) => void response.writeHead(503, { 'retry-after': '3' }).end('busy'),
    jsonAnswer(200, success),
  );
  await new Invoq({ url: server.url }).call<string>('t', {}, { idempotencyKey: 'k' });
  expect(delays).toEqual([3_000]);
});

test.each([
  [undefined, 3],
  [0, 1],
  [4, 5],
])('retries %s means %i requests at most', async (retries, requests) => {
  await using server = await startScriptedServer(...Array.from({ length: 9 }, () => refusal('OVERLOADED', 503)));
  const invoq = new Invoq({ url: server.url, ...(retries !== undefined && { retries }) });
  expect(await caught(invoq.call<string>('t', {}))).toMatchObject({ code: 'OVERLOADED' });
  expect(server.requests).toHaveLength(requests);
});

test('no answer at all names its reason', async () => {
  const server = await startScriptedServer();
  await server[Symbol.asyncDispose]();
  const error = await caught(new Invoq({ url: server.url, retries: 0 }).tools());
  expect(error).toMatchObject({ code: 'NETWORK_ERROR', status: 0, retryable: true, mayHaveRun: true });
  expect(error.message).toContain('ECONNREFUSED');
});

test('the signal ends a call, also between two tries', async () => {
  await using server = await startScriptedServer(() => undefined, refusal('OVERLOADED', 503));
  const invoq = new Invoq({ url: server.url });
  const leaving = new AbortController();
  const call = invoq.call<string>('t', {}, { signal: leaving.signal });
  while (server.requests.length === 0) await new Promise(setImmediate);
  leaving.abort(new Error('no longer wanted'));
  await expect(call).rejects.toThrow('no longer wanted');

  const later = new AbortController();
  jest.spyOn(Math, 'random').mockImplementation(() => {
    later.abort(new Error('left while waiting'));
    return 0;
  });
  await expect(invoq.call<string>('t', {}, { signal: later.signal })).rejects.toThrow('left while waiting');
  expect(server.requests).toHaveLength(2);
});

test('a job is started without waiting; an answer from the cache has no job', async () => {
  const accepted = { job_id: 'inv_1', tool_name: 't', trace_id: 'trace_2', state: 'waiting' };
  await using server = await startScriptedServer(jsonAnswer(202, accepted), jsonAnswer(200, success));
  const invoq = new Invoq({ url: server.url });
  expect(await invoq.start<string>('t', {})).toEqual({ job_id: 'inv_1', trace_id: 'trace_2', result: null });
  expect(await invoq.start<string>('t', {})).toEqual({ job_id: null, trace_id: 'trace_1', result: { data: { bmi: 22.86 }, metadata } });
  expect(server.requests[0]?.headers['prefer']).toBe('respond-async');
});

test('waiting for a job outlasts many requests and lost answers', async () => {
  await using server = await startScriptedServer(
    jsonAnswer(200, { job_id: 'inv/1', result: null }),
    cutAnswer,
    jsonAnswer(200, { job_id: 'inv/1', result: success }),
  );
  expect((await new Invoq({ url: server.url }).wait('inv/1')).data).toEqual({ bmi: 22.86 });
  expect(server.requests.map(({ url }) => url)).toEqual(Array.from({ length: 3 }, () => '/jobs/inv%2F1?wait=30'));
});

test('a batch is one request for one user; its results keep the order', async () => {
  const results = [
    { id: 1, ...success },
    { id: 'two', ...failure('INVALID_PARAMS') },
  ];
  await using server = await startScriptedServer(jsonAnswer(200, { results }));
  const calls = [
    { id: 1, name: 't', arguments: {} },
    { id: 'two', name: 't', arguments: {} },
  ];
  expect(await new Invoq({ url: server.url }).batch(calls, { userId: 'u1' })).toEqual(results);
  expect(server.requests).toMatchObject([{ url: '/tools/batch', headers: { 'x-user-id': 'u1' }, body: JSON.stringify({ calls }) }]);
});

test('jobs are read page by page, and cancelled without a second try', async () => {
  await using server = await startScriptedServer(
    jsonAnswer(200, { jobs: [], pagination: { has_more: true, next_cursor: 'c 1' } }),
    jsonAnswer(200, { jobs: [], pagination: { has_more: false, next_cursor: null } }),
    cutAnswer,
  );
  const invoq = new Invoq({ url: server.url });
  const { nextCursor } = await invoq.jobs({ state: 'active', limit: 5 });
  expect(nextCursor).toBe('c 1');
  expect((await invoq.jobs({ cursor: 'c 1' })).nextCursor).toBeNull();
  await caught(invoq.cancel('inv_1'));
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /jobs?state=active&limit=5',
    'GET /jobs?cursor=c+1',
    'DELETE /jobs/inv_1',
  ]);
});

test('the list of tools is sent again only when it has changed', async () => {
  const tools = [{ name: 't' }];
  await using server = await startScriptedServer(
    jsonAnswer(200, { tools }, { etag: '"1"' }),
    (response) => void response.writeHead(304).end(),
    jsonAnswer(200, { tools: [] }),
  );
  const invoq = new Invoq({ url: server.url });
  expect(await invoq.toolList()).toEqual({ tools, etag: '"1"' });
  expect(await invoq.toolList('"1"')).toBeNull();
  expect(await invoq.toolList('"1"')).toEqual({ tools: [], etag: null });
  expect(server.requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"1"', '"1"']);
});

test('names and ids are escaped in paths and queries', async () => {
  await using server = await startScriptedServer(...Array.from({ length: 6 }, () => jsonAnswer(200, { tools: [], keys: [] })));
  const invoq = new Invoq({ url: server.url });
  await invoq.tools({ domain: 'a&b' });
  await invoq.tool('a/b', '^1 || 2');
  await invoq.trace('trace/1');
  await invoq.job('inv?1');
  await invoq.apiKeys();
  await invoq.revokeApiKey('../x');
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /tools?domain=a%26b',
    'GET /tools/a%2Fb?version=%5E1+%7C%7C+2',
    'GET /traces/trace%2F1',
    'GET /jobs/inv%3F1',
    'GET /keys',
    'DELETE /keys/..%2Fx',
  ]);
});

test('a key is made once: a lost answer is not asked for again', async () => {
  const key = { tenant_id: 'acme', tier: 'pro', scopes: ['*'] };
  await using server = await startScriptedServer(jsonAnswer(201, { id: 'k1', key: 'invoq_k1_secret' }), cutAnswer);
  const invoq = new Invoq({ url: server.url });
  expect(await invoq.createApiKey(key)).toMatchObject({ key: 'invoq_k1_secret' });
  await caught(invoq.createApiKey(key));
  expect(server.requests.map(({ body }) => JSON.parse(body))).toEqual([key, key]);
});
