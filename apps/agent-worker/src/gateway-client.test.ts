import { beforeEach, expect, test } from '@jest/globals';
import {
  cutAnswer,
  eventually,
  jsonAnswer,
  startScriptedServer,
  streamAnswer,
  type ScriptedAnswer,
  type ScriptedServer,
} from '#lib/testing';
import { endedElsewhere, GivenBack, shutdown } from '#lib/worker';
import { GatewayClient, type Authority } from './gateway-client.js';

let warnings: unknown[];
let now: number;

beforeEach(() => {
  warnings = [];
  now = 0;
});

const authority: Authority = {
  token: 'turn-token',
  caller: { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' },
  jobId: 'inv_agent_1',
  traceId: 'trace_1',
  signal: new AbortController().signal,
};
const metadata = { tool_name: 't', timestamp: '2026-01-01T00:00:00.000Z', trace_id: 'trace_1' };
const toolsAnswer = (etag: string, ...names: readonly string[]): ScriptedAnswer =>
  jsonAnswer(200, { tools: names.map((name) => ({ name, description: '', parameters: {}, read_only: true })) }, { etag });
const unchanged: ScriptedAnswer = (response) => void response.writeHead(304).end();

function clientOf(server: ScriptedServer): GatewayClient {
  const log = { warn: (facts: unknown) => void warnings.push(facts) };
  return new GatewayClient(server.url, log, () => now);
}

const namesIn = async (client: GatewayClient): Promise<readonly string[]> => [...(await client.definitions(authority)).keys()];

test('the first list is waited for, and asked for once by many', async () => {
  await using server = await startScriptedServer(toolsAnswer('"1"', 'a', 'b'));
  const client = clientOf(server);
  expect(await Promise.all([namesIn(client), namesIn(client), namesIn(client)])).toEqual(Array.from({ length: 3 }, () => ['a', 'b']));
  expect(server.requests).toMatchObject([
    { method: 'GET', url: '/tools', headers: { authorization: 'Bearer turn-token', 'x-trace-id': 'trace_1' } },
  ]);
});

test('a list is used for five seconds; then it is asked for behind the turn, which gets the old one', async () => {
  await using server = await startScriptedServer(toolsAnswer('"1"', 'a'), toolsAnswer('"2"', 'a', 'b'));
  const client = clientOf(server);
  await namesIn(client);
  now = 5_000;
  expect(await namesIn(client)).toEqual(['a']);
  expect(server.requests).toHaveLength(1);
  now = 5_001;
  expect(await namesIn(client)).toEqual(['a']);
  await eventually(async () => (await namesIn(client)).length === 2, { what: 'the new list' });
  expect(server.requests[1]?.headers['if-none-match']).toBe('"1"');
});

test('a list that has not changed is fresh again', async () => {
  await using server = await startScriptedServer(toolsAnswer('"1"', 'a'), unchanged);
  const client = clientOf(server);
  await namesIn(client);
  now = 6_000;
  await namesIn(client);
  await eventually(() => server.requests.length === 2, { what: 'the question' });
  // The answer is used a moment after it was sent: until then the list may be asked for again.
  await eventually(
    async () => {
      const before = server.requests.length;
      await namesIn(client);
      return server.requests.length === before && server.requests.length === 2;
    },
    { what: 'no further question' },
  );
  now = 11_000;
  expect(await namesIn(client)).toEqual(['a']);
  expect(server.requests).toHaveLength(2);
});

test('while the gateway gives no list the last one is used, and the log has a warning', async () => {
  await using server = await startScriptedServer(toolsAnswer('"1"', 'a'), cutAnswer);
  const client = clientOf(server);
  await namesIn(client);
  now = 6_000;
  expect(await namesIn(client)).toEqual(['a']);
  await eventually(() => warnings.length > 0, { what: 'the warning' });
  expect(warnings).toMatchObject([{ event: 'tools-unreachable' }]);
  expect(await namesIn(client)).toEqual(['a']);
});

test('without any list there are no tools, and the next turn asks again', async () => {
  await using server = await startScriptedServer(cutAnswer, toolsAnswer('"1"', 'a'));
  const client = clientOf(server);
  expect(await namesIn(client)).toEqual([]);
  expect(await namesIn(client)).toEqual(['a']);
});

const call = (server: ScriptedServer, options: { effectKey?: string; limitMs?: number; signal?: AbortSignal } = {}) =>
  clientOf(server).call('calc_metrics', { age: 30 }, { ...authority, effectKey: null, limitMs: 10_000, ...options });

test('a tool is called as the user, in the trace of the turn, with the key of its effect', async () => {
  // A call with a key is followed as a stream, which tells the job: it is cancelled by it when the turn is stopped.
  const result = { success: true, status: 'success', data: { bmi: 22 }, metadata };
  const events = streamAnswer([`event: tool_result\nid: evt_1\ndata: ${JSON.stringify(result)}\n\n`]);
  await using server = await startScriptedServer(events);
  expect(await call(server, { effectKey: 'effect_1' })).toEqual({ ok: true, data: { bmi: 22 } });
  expect(server.requests).toMatchObject([
    {
      method: 'POST',
      url: '/tools/calc_metrics/sse',
      body: '{"age":30}',
      headers: { authorization: 'Bearer turn-token', 'x-trace-id': 'trace_1', 'idempotency-key': 'effect_1' },
    },
  ]);
});

test('an error of the tool is an answer: its code, its faults, whether it may pass', async () => {
  const details = [{ path: 'age', message: 'too small' }];
  const error = { code: 'INVALID_PARAMS', message: 'age is too small', retryable: false, hint: '', details };
  await using server = await startScriptedServer(jsonAnswer(400, { success: false, status: 'error', error, metadata }));
  expect(await call(server)).toEqual({
    ok: false,
    error: { code: 'INVALID_PARAMS', message: 'age is too small', retryable: false, details },
  });
  expect(warnings).toEqual([]);
});

test('a refusal that may pass is not sent again here: the agent has rules of its own', async () => {
  const error = { code: 'OVERLOADED', message: 'busy', retryable: true, hint: '' };
  await using server = await startScriptedServer(jsonAnswer(503, { success: false, status: 'error', error, metadata }));
  expect(await call(server)).toEqual({ ok: false, error: { code: 'OVERLOADED', message: 'busy', retryable: true } });
  expect(server.requests).toHaveLength(1);
});

test.each<[string, ScriptedAnswer]>([
  ['a cut connection', cutAnswer],
  ['a page of a proxy', (response) => void response.writeHead(502).end('<html>')],
  ['data that is no JSON object', jsonAnswer(200, { success: true, status: 'success', data: [1], metadata })],
])('%s is told as a tool that cannot be reached, with the reason in the log alone', async (_what, answer) => {
  await using server = await startScriptedServer(answer);
  expect(await call(server)).toEqual({
    ok: false,
    error: { code: 'NETWORK_ERROR', message: 'The tool could not be reached', retryable: true },
  });
  expect(warnings).toMatchObject([{ event: 'tool-unreachable', tool_name: 'calc_metrics', trace_id: 'trace_1' }]);
});

test('a tool that takes longer than its limit is a timeout that names the limit', async () => {
  await using server = await startScriptedServer(() => undefined);
  expect(await call(server, { limitMs: 20 })).toEqual({
    ok: false,
    error: { code: 'TIMEOUT', message: 'calc_metrics gave no answer in 20 ms', retryable: true },
  });
});

test('a turn that is stopped throws its reason', async () => {
  const turn = new AbortController();
  await using server = await startScriptedServer(() => turn.abort(new Error('the turn was stopped')));
  await expect(call(server, { signal: turn.signal })).rejects.toThrow('the turn was stopped');
});

test.each([
  ['of another tenant', { tenantId: 'another' }],
  ['of a key that is for some tools alone', { tools: ['a'] }],
])('a caller %s has a list of its own', async (_whose, own) => {
  await using server = await startScriptedServer(toolsAnswer('"1"', 'a', 'b'), toolsAnswer('"2"', 'a'));
  const client = clientOf(server);
  const other = { ...authority, token: 'another', caller: { ...authority.caller, ...own } };
  expect(await namesIn(client)).toEqual(['a', 'b']);
  expect([...(await client.definitions(other)).keys()]).toEqual(['a']);
  expect(await namesIn(client)).toEqual(['a', 'b']);
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer turn-token', 'Bearer another']);
});

const rest = { reason: 'approval', since: '2026-01-01T00:00:00.000Z', until: '2026-01-02T00:00:00.000Z', input_request: 'req_1' };
const rested = { rest: { jobId: 'inv_1', inputRequest: 'req_1', until: Date.parse(rest.until) } };
const resting = jsonAnswer(202, { job_id: 'inv_1', state: 'resting', trace_id: 'trace_1', rest });

test('a call that rests for somebody is told as such, and is not cancelled', async () => {
  await using server = await startScriptedServer(resting, resting);
  const options = { ...authority, effectKey: null, limitMs: 10_000 };
  expect(await clientOf(server).callOrRest('calc_metrics', {}, options)).toEqual(rested);
  // Who does not wait for it has an answer that a model understands.
  expect(await clientOf(server).call('calc_metrics', {}, options)).toMatchObject({
    ok: true,
    jobId: 'inv_1',
    data: { status: 'waiting', until: rest.until, input_request: 'req_1', job_id: 'inv_1' },
  });
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /tools/calc_metrics', 'POST /tools/calc_metrics']);
});

test('a call with a key that rests is left to rest, and its job is known', async () => {
  const { since: _, ...told } = { ...rest, metadata };
  await using server = await startScriptedServer(streamAnswer([`event: tool_resting\nid: evt_inv_1_2\ndata: ${JSON.stringify(told)}\n\n`]));
  const found = await clientOf(server).callOrRest('calc_metrics', {}, { ...authority, effectKey: 'e', limitMs: 10_000 });
  expect(found).toMatchObject({ rest: { inputRequest: 'req_1', until: rested.rest.until } });
  expect(server.requests.map(({ method }) => method)).toEqual(['POST']);
});

test('one that has rested is looked at again: it rests still, or it is waited for, and cancelled when its time is over', async () => {
  const job = { job_id: 'inv_1', state: 'active', rest: null, result: null };
  const ended = { ...job, result: { success: true, status: 'success', data: { bmi: 22 }, metadata } };
  const declined = { code: 'PERMISSION_DENIED', native_code: 'DECLINED', message: 'no', retryable: false, hint: '' };
  await using server = await startScriptedServer(
    jsonAnswer(200, { ...job, state: 'resting', rest }),
    jsonAnswer(200, job),
    jsonAnswer(200, ended),
    jsonAnswer(200, job),
    jsonAnswer(200, { ...job, result: { success: false, status: 'error', error: declined, metadata } }),
    jsonAnswer(200, job),
    () => undefined,
    jsonAnswer(202, job),
  );
  const goOn = async (limitMs = 10_000) => clientOf(server).goOn('calc_metrics', 'inv_1', { ...authority, limitMs });
  expect(await goOn()).toEqual(rested);
  expect(await goOn()).toMatchObject({ ok: true, data: { bmi: 22 } });
  expect(await goOn()).toMatchObject({ ok: false, error: { code: 'PERMISSION_DENIED', declined: true } });
  expect(await goOn(300)).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } });
  expect(server.requests.at(-1)).toMatchObject({ method: 'DELETE', url: '/jobs/inv_1' });
});

test.each([
  [endedElsewhere, ['GET', 'GET', 'DELETE']],
  [shutdown, ['GET', 'GET']],
  [new GivenBack('lost'), ['GET', 'GET']],
])('one whose attempt ends by %s is cancelled unless a later attempt waits for it', async (reason, methods) => {
  const job = { job_id: 'inv_1', state: 'active', rest: null, result: null };
  await using server = await startScriptedServer(jsonAnswer(200, job), () => undefined, jsonAnswer(202, job));
  const stop = new AbortController();
  const going = clientOf(server).goOn('calc_metrics', 'inv_1', { ...authority, signal: stop.signal, limitMs: 10_000 });
  await eventually(() => server.requests.length === 2);
  stop.abort(reason);
  await expect(going).rejects.toBe(reason);
  expect(server.requests.map(({ method }) => method)).toEqual(methods);
});

test('one that rests for nobody is waited for', async () => {
  const job = { job_id: 'inv_1', state: 'resting', trace_id: 'trace_1', rest: { ...rest, reason: 'sleep', input_request: undefined } };
  const ended = { ...job, result: { success: true, status: 'success', data: { bmi: 22 }, metadata } };
  await using server = await startScriptedServer(jsonAnswer(202, job), jsonAnswer(200, ended));
  expect(await call(server)).toMatchObject({ ok: true, data: { bmi: 22 } });
});
