// Messages of MCP whose head came before: the edge begins their calls, and every answer is that of the general way.
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { userScopes, type Outcome } from '#lib/contracts';
import { eventually, startTimeoutMs } from '#lib/testing';
import { Readiness } from '../../operations/readiness.js';
import type { TestAttempt } from '../../test-gateway.js';
import { TestEdge, told } from './test-edge.js';

let edge: TestEdge;
let key: string;
/** The jobs that a worker has run. */
const runs: string[] = [];
const { promise: held, resolve: release } = Promise.withResolvers<void>();

/** What is ordered says how it ends. */
async function make({ jobId, head }: TestAttempt): Promise<Outcome | null> {
  runs.push(jobId);
  const asked = JSON.stringify(head.input);
  if (asked.includes('held')) await held;
  if (asked.includes('later')) await setTimeout(1_500);
  if (asked.includes('never')) return null;
  if (asked.includes('fails')) return { ok: false, error: { family: 'RESOURCE_NOT_FOUND', code: 'SOLD_OUT', message: 'None is left' } };
  return { ok: true, data: { made: `of ${asked.length} characters, ä` } };
}

beforeAll(async () => {
  edge = await TestEdge.start({ OPEN_REQUESTS_PER_CREDENTIAL: '8' }, make);
}, startTimeoutMs);
afterAll(async () => edge?.[Symbol.asyncDispose]());
beforeEach(async () => {
  key = await edge.gateway.tenant.key();
});

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const newest = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'test_plain' };

interface Asked {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly to?: TestEdge;
}
interface Call extends Asked {
  readonly order?: unknown;
  readonly tool?: string;
  readonly id?: unknown;
  /** Of the message, in place of what it is. */
  readonly message?: unknown;
  readonly meta?: object;
  readonly more?: object;
}

const older: Asked = { headers: { 'mcp-protocol-version': '2025-11-25' } };
const ways: readonly (readonly [string, Asked])[] = [
  ['the newest revision', { headers: newest }],
  ['the newest revision, as data', { headers: newest, query: '?result=data' }],
  ['an older revision', older],
  ['an older revision, as text', { ...older, query: '?result=text' }],
  ['an older revision, in a session', { headers: { ...older.headers, 'mcp-session-id': '00000000-0000-4000-8000-000000000000' } }],
  ['an older revision, for people who read Chinese', { headers: { ...older.headers, 'accept-language': 'zh' } }],
];

function bodyOf({ headers = {}, order = crypto.randomUUID(), tool = 'test_plain', id = 1, meta: more = {}, ...call }: Call): string {
  const _meta = { ...('mcp-name' in headers && meta), ...more };
  const params = { name: tool, arguments: { order }, ...call.more, ...(Object.keys(_meta).length > 0 && { _meta }) };
  return JSON.stringify(call.message ?? { jsonrpc: '2.0', id, method: 'tools/call', params });
}

const headersFor = (headers: Readonly<Record<string, string>> = {}) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  ...headers,
});

async function send(call: Call) {
  const { to = edge, query = '', headers } = call;
  const before = to.begun;
  const response = await fetch(`${to.gateway.url}/mcp${query}`, { method: 'POST', headers: headersFor(headers), body: bodyOf(call) });
  const text = await response.text();
  const isBegun = to.begun > before;
  // What is learnt is learnt when the answer has been read.
  await setTimeout(20);
  return { status: response.status, headers: response.headers, text, isBegun };
}

/** Sends calls until the edge begins them. */
async function learn(asked: Asked, tool = 'test_plain') {
  for (let time = 0; time < 20; time++) if ((await send({ ...asked, tool })).isBegun) return;
  throw new Error('The edge has begun none');
}

/** The general way, in words that are known there. */
async function generally(asked: Asked, call: Call) {
  const headers = { ...asked.headers, 'x-other': crypto.randomUUID() };
  return send({ ...asked, ...call, headers });
}

describe.each(ways)('A message of a known head, in %s', (_way, asked) => {
  test.each([
    ['is made', { order: 'a gift', id: 'my-id' }],
    ['fails in its handler', { order: 'it fails' }],
    ['has a wrong parameter', { order: 7 }],
    ['has a trace id of its own', { more: { arguments: { order: 'a', _trace_id: 'trace_20261129_mine' } } }],
    ['wants to know more', { more: { arguments: { order: 'a', debug: true } } }],
  ] satisfies readonly (readonly [string, Call])[])('has the answer of the general way where its call %s', async (_, call: Call) => {
    await learn(asked);
    const begun = await send({ ...asked, ...call });
    const general = await generally(asked, call);
    expect([begun.isBegun, general.isBegun]).toEqual([true, false]);
    expect(told(begun)).toEqual(told(general));
    // One that was refused goes on by the SDK, which streams.
    expect([null, String(Buffer.byteLength(begun.text))]).toContain(begun.headers.get('content-length'));
  });
});

test.each([
  ['the newest revision', { headers: newest }],
  ['an older revision', older],
])('A call that takes long runs once, and the SDK ends it, in %s', async (_way, asked: Asked) => {
  await learn(asked);
  runs.length = 0;
  const begun = await send({ ...asked, order: 'later' });
  const general = await generally(asked, { order: 'later' });
  expect([begun.isBegun, runs.length]).toEqual([true, 2]);
  expect(told(begun)).toEqual(told(general));
});

describe('Nothing is begun for', () => {
  test.each([
    ['another tool', { tool: 'test_note' }],
    ['a tool that there is not', { tool: 'no_such_tool' }],
    ['a list', { message: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } }],
    ['a notification', { message: { jsonrpc: '2.0', method: 'notifications/initialized' } }],
    ['an answer', { message: { jsonrpc: '2.0', id: 1, result: {} } }],
    [
      'several messages',
      { message: [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'test_plain', arguments: { order: 'a' } } }] },
    ],
    ['an id that is none', { id: null }],
    ['arguments that are none', { more: { arguments: [] } }],
    ['a call that asks for progress', { meta: { progressToken: 7 } }],
    ['a call in a trace', { meta: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } }],
    ['an answer to a question', { more: { requestState: 'of nobody', inputResponses: {} } }],
    ['a name that reaches a prototype', { more: JSON.parse('{"arguments":{"__proto__":{"a":1}}}') }],
  ] satisfies readonly (readonly [string, Call])[])('%s', async (_, call: Call) => {
    await learn(older);
    const sent = await send({ ...older, ...call });
    const general = await generally(older, call);
    expect(sent.isBegun).toBe(false);
    expect(told(sent)).toEqual(told(general));
  });

  test('a search', async () => {
    const asked = { ...older, query: '?tools=search' };
    for (let time = 0; time < 5; time++) expect(await send(asked)).toMatchObject({ status: 200, isBegun: false });
  });
});

test('A tool that was not served before is learnt beside the others of its head', async () => {
  await learn(older);
  expect((await send({ ...older, tool: 'test_cached' })).isBegun).toBe(false);
  expect((await send({ ...older, tool: 'test_cached' })).isBegun).toBe(true);
  expect((await send(older)).isBegun).toBe(true);
});

test('A call that the cache answers is known as a whole from then on', async () => {
  await learn(older, 'test_cached');
  const call = { ...older, tool: 'test_cached', order: crypto.randomUUID() };
  for (const id of [1, 2]) expect(await send({ ...call, id })).toMatchObject({ isBegun: true, status: 200 });
  const before = edge.answers;
  const last = await send({ ...call, id: 'third' });
  expect([edge.answers, last.isBegun, last.status]).toEqual([before + 1, false, 200]);
  expect(last.text).toContain('"id":"third"');
});

test('A head does not outlive the right to its tool', async () => {
  const admin = await edge.gateway.caller({ userId: null, scopes: ['tenant:admin', ...userScopes] });
  const set = (tool: string) => ({ tools: [tool], rename: { [tool]: 'maker' } });
  await admin.request('/toolsets/few', { method: 'PUT', json: set('test_plain') });
  key = await edge.gateway.tenant.key({ toolset: 'few' });
  const call = { ...older, tool: 'maker' };
  await eventually(async () => (await send(call)).text.includes('"isError":false'));
  await learn(older, 'maker');
  await admin.request('/toolsets/few', { method: 'PUT', json: { tools: ['test_cached'] } });
  await eventually(async () => (await send(call)).text.includes('"error":{"code":-32602'));
});

describe('While a call waits', () => {
  test('its credential ends: it is cut off within a second, and cancelled', async () => {
    await learn(older);
    runs.length = 0;
    const waiting = send({ ...older, order: 'held' });
    await eventually(() => runs.length === 1);
    await edge.revoke(key);
    const answer = await waiting;
    expect([answer.isBegun, answer.text.includes('"isError":false')]).toEqual([true, false]);
    // A call that takes a second has a stream, which ends without an answer.
    if (answer.status !== 200) expect([answer.status, answer.text]).toEqual([401, expect.stringContaining('"code":"UNAUTHORIZED"')]);
    await eventually(async () => (await edge.stateOf(runs[0] ?? '')) === 'cancelled');
    expect(runs).toHaveLength(1);
  });

  test('its client goes away: it is cancelled, and its place is free', async () => {
    const post = (call: Call) =>
      edge.client(key, { path: '/mcp', body: bodyOf({ ...older, ...call }), headers: headersFor(older.headers) });
    await edge.learnFrom(() => post({}));
    // Before a second has passed, and after it, when the SDK has the call.
    for (const waitMs of [0, 1_500]) {
      runs.length = 0;
      const before = edge.begun;
      const clients = Array.from({ length: 8 }, (_, index) => post({ order: `never ${waitMs} ${index}` }));
      await eventually(() => runs.length === 8);
      expect(edge.begun - before).toBe(8);
      await setTimeout(waitMs);
      clients.forEach((client) => client.destroy());
      await eventually(async () => (await Promise.all(runs.map(async (run) => edge.stateOf(run)))).every((state) => state === 'cancelled'));
      const free = await Promise.all(Array.from({ length: 8 }, async () => send(older)));
      expect(free.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    }
  });
});

test(
  'A gateway that stops answers the calls that it has begun',
  async () => {
    await using stopping = await TestEdge.start({}, make);
    key = await stopping.gateway.tenant.key();
    const asked = { ...older, to: stopping };
    await learn(asked);
    runs.length = 0;
    const last = send({ ...asked, order: 'held' });
    await eventually(() => runs.length === 1);
    stopping.gateway.app.get(Readiness).stop();
    release();
    expect(await last).toMatchObject({ status: 200, isBegun: true, text: expect.stringContaining('"isError":false') });
  },
  startTimeoutMs,
);

test(
  'What is refused costs the same allowance',
  async () => {
    await using limited = await TestEdge.start({ REQUESTS_PER_CREDENTIAL: '4' }, make);
    const allowed = async (asked: Asked) => {
      key = await limited.gateway.tenant.key();
      for (let time = 0; time < 4; time++) await send({ ...asked, to: limited });
      const before = limited.begun;
      let count = 0;
      while (count < 100 && (await send({ ...asked, to: limited, order: 7 })).status === 200) count += 1;
      return { count, isBegun: limited.begun > before };
    };
    const [known, general] = [await allowed(older), await allowed({ ...older, query: '?tools=search' })];
    expect([known.isBegun, general.isBegun]).toEqual([true, false]);
    expect(known.count).toBeLessThan(60);
    expect(Math.abs(known.count - general.count)).toBeLessThanOrEqual(5);
  },
  startTimeoutMs,
);
