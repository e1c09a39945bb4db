// A head that came before, with a body that did not: the edge begins its call, and every answer is that of the general way.
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { userScopes, type Outcome } from '#lib/contracts';
import { eventually, startTimeoutMs } from '#lib/testing';
import { Readiness } from '../../operations/readiness.js';
import type { TestAttempt } from '../../test-gateway.js';
import { order, TestEdge, type Sent } from './test-edge.js';

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
  if (asked.includes('slow')) return null;
  if (asked.includes('fails')) return { ok: false, error: { family: 'RESOURCE_NOT_FOUND', code: 'SOLD_OUT', message: 'None is left' } };
  return { ok: true, data: { made: `of ${asked.length} characters, ä` }, ...(asked.includes('version') && { version: 'v1' }) };
}

beforeAll(async () => {
  edge = await TestEdge.start({ OPEN_REQUESTS_PER_CREDENTIAL: '8' }, make);
}, startTimeoutMs);
afterAll(async () => edge?.[Symbol.asyncDispose]());
beforeEach(async () => {
  key = await edge.gateway.tenant.key();
});

const path = '/tools/test_plain';
const slow = { path: '/tools/get_document', body: '{"document_id":"slow"}' };
/** Another head, which nobody knows. */
const unknown = () => ({ headers: { 'x-other': crypto.randomUUID() } });

/** Sends calls until the edge begins them. */
async function learn(sent: Sent = { path }, body: () => string = order) {
  const before = edge.begun;
  for (let time = 0; time < 20 && edge.begun === before; time++) {
    expect(await edge.send(key, { ...sent, body: body() })).toMatchObject({ status: 200 });
    // What is learnt is learnt when the answer has been read.
    await setTimeout(20);
  }
  expect(edge.begun).toBeGreaterThan(before);
}

async function begins<T>(send: () => Promise<T>): Promise<T> {
  const before = edge.begun;
  const sent = await send();
  expect(edge.begun).toBe(before + 1);
  return sent;
}

const ownOfOne = /^(x-trace-id|x-request-id|traceparent|content-length|date)$/;
const headersOf = (headers: Headers) => Object.fromEntries([...headers].filter(([name]) => !ownOfOne.test(name)));
const told = ({ status, headers, json: { data, error } }: Awaited<ReturnType<TestEdge['send']>>) => ({
  status,
  headers: headersOf(headers),
  data,
  error,
});

describe('A call whose head is known', () => {
  test.each([
    ['is made', order('a gift'), {}],
    ['fails in its handler', order('it fails'), {}],
    ['has a version', order('a version'), {}],
    ['has a parameter that the tool does not have', '{"order":"a","nose":1}', {}],
    ['has a wrong parameter', '{"order":7}', {}],
    ['has two faults', `{"order":"${'a'.repeat(101)}","note":"${'b'.repeat(11)}"}`, {}],
    ['has a request id among its parameters', '{"order":"a","request_id":"mine"}', {}],
    ['prefers not to wait', order('soon'), { prefer: 'wait=20' }],
  ])('has the answer of the general way where it %s', async (_, body, headers) => {
    await learn({ path, headers });
    const begun = await begins(async () => edge.send(key, { path, body, headers }));
    const general = await edge.send(key, { path, body, headers: { ...headers, ...unknown().headers } });
    expect(told(begun)).toEqual(told(general));
    expect(begun.headers.get('x-trace-id')).toBe(begun.json.metadata.trace_id);
    expect(begun.headers.get('content-length')).toBe(String(Buffer.byteLength(begun.text)));
  });

  test.each([
    ['no JSON', '{"order":"a"'],
    ['a name that reaches a prototype', '{"__proto__":{"a":1},"order":"a"}'],
    ['a NUL', '{"order":"a\\u0000"}'],
    ['too many levels', `{"order":${'['.repeat(70)}${']'.repeat(70)}}`],
    ['an option of its own', '{"order":"a","debug":true}'],
    ['a trace id of its own', '{"order":"a","_trace_id":"trace_mine"}'],
    ['much to read', `{"order":"a","note":"${'b'.repeat(3_000)}"}`],
    ['nothing', ''],
  ])('is not begun with %s', async (_, body) => {
    await learn();
    const before = edge.begun;
    const sent = await edge.send(key, { path, body });
    const general = await edge.send(key, { path, body, ...unknown() });
    expect(edge.begun).toBe(before);
    expect([sent.status, sent.json.error, headersOf(sent.headers)]).toEqual([
      general.status,
      general.json.error,
      headersOf(general.headers),
    ]);
  });

  test('runs once, whatever becomes of it', async () => {
    await learn();
    runs.length = 0;
    for (const name of ['one', 'one that fails', 'a version']) await begins(async () => edge.send(key, { path, body: order(name) }));
    expect([runs.length, new Set(runs).size]).toEqual([3, 3]);
  });

  test('that joins another has the trace id of that call', async () => {
    const shared = '/tools/test_shared';
    await learn({ path: shared });
    const before = edge.begun;
    const body = order('for all');
    const [one, other] = await Promise.all([edge.send(key, { path: shared, body }), edge.send(key, { path: shared, body })]);
    expect(edge.begun).toBe(before + 2);
    expect(other.json.metadata.trace_id).toBe(one.json.metadata.trace_id);
    for (const { headers, json } of [one, other]) expect(headers.get('x-trace-id')).toBe(json.metadata.trace_id);
  });

  test('with a trace id of its caller goes the general way, so that it is found by it', async () => {
    const before = edge.begun;
    const headers = { 'x-trace-id': 'trace_mine' };
    for (let time = 0; time < 4; time++) {
      const sent = await edge.send(key, { path, body: order(), headers });
      expect([sent.headers.get('x-trace-id'), sent.json.metadata.trace_id]).toEqual(['trace_mine', 'trace_mine']);
      await setTimeout(20);
    }
    expect(edge.begun).toBe(before);
  });

  test('is learnt from its cached answer, too', async () => {
    const cached = '/tools/test_cached';
    await learn({ path: cached });
    const body = order();
    await begins(async () => edge.send(key, { path: cached, body }));
    const repeated = await edge.repeated(key, { path: cached, body });
    expect(repeated.json.metadata.cache).toMatchObject({ hit: true });
  });

  test('is not known after a day of heads that never come again', async () => {
    await learn();
    for (let time = 0; time < 300; time++) await edge.send(key, { path, body: order(), ...unknown() });
    await begins(async () => edge.send(key, { path, body: order() }));
  });

  test('does not outlive the right to its tool', async () => {
    const admin = await edge.gateway.caller({ userId: null, scopes: ['tenant:admin', ...userScopes] });
    const set = (tool: string) => ({ tools: [tool], rename: { [tool]: 'maker' } });
    await admin.request('/toolsets/few', { method: 'PUT', json: set('test_plain') });
    key = await edge.gateway.tenant.key({ toolset: 'few' });
    const sent = { path: '/tools/maker' };
    await eventually(async () => (await edge.send(key, { ...sent, body: order() })).status === 200);
    await learn(sent);
    await admin.request('/toolsets/few', { method: 'PUT', json: set('test_cached') });
    await eventually(async () => {
      const body = order();
      await edge.send(key, { ...sent, body });
      return (await edge.send(key, { ...sent, body })).json.metadata.cache?.hit;
    });
  });
});

describe('While a call waits', () => {
  const learnSlow = async () => learn({ path: slow.path }, () => JSON.stringify({ document_id: crypto.randomUUID() }));
  /** Calls of eight clients that wait. @returns lets the clients go away */
  const eightWait = async (): Promise<() => void> => {
    const send = (id: string) => edge.client(key, { path: slow.path, body: JSON.stringify({ document_id: id }) });
    await edge.learnFrom(() => send(crypto.randomUUID()));
    runs.length = 0;
    const before = edge.begun;
    const clients = Array.from({ length: 8 }, (_, index) => send(`slow ${index}`));
    await eventually(() => runs.length === 8);
    expect(edge.begun - before).toBe(8);
    return () => clients.forEach((client) => client.destroy());
  };

  test('its credential ends: it is answered at once, and the call is cancelled', async () => {
    await learnSlow();
    runs.length = 0;
    const waiting = begins(async () => edge.send(key, slow));
    await eventually(() => runs.length === 1);
    await edge.revoke(key);
    const answer = await waiting;
    expect(answer).toMatchObject({ status: 401, json: { error: { code: 'UNAUTHORIZED' } } });
    expect(answer.headers.get('x-trace-id')).toBe(answer.json.metadata.trace_id);
    await eventually(async () => (await edge.stateOf(runs[0] ?? '')) === 'cancelled');
    expect(runs).toHaveLength(1);
  });

  test('its client goes away: it is cancelled, and its place is free', async () => {
    const leave = await eightWait();
    leave();
    await eventually(async () => (await Promise.all(runs.map(async (run) => edge.stateOf(run)))).every((state) => state === 'cancelled'));
    const free = Array.from({ length: 8 }, async () => edge.send(key, { path, body: order() }));
    expect((await Promise.all(free)).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
  });

  test('others are refused where no place is left, and are let in again', async () => {
    await learn();
    const leave = await eightWait();
    expect(await edge.send(key, { path, body: order() })).toMatchObject({ status: 429, json: { error: { code: 'RATE_LIMITED' } } });
    leave();
    await eventually(async () => (await edge.send(key, { path, body: order() })).status === 200);
    // None is lost by answers of the general way.
    for (let time = 0; time < 20; time++) expect((await edge.send(key, { path, body: '{"order":7}' })).status).toBe(400);
    await begins(async () => edge.send(key, { path, body: order() }));
  });
});

test('Calls in one connection, one after the other before any answer, are answered in their order', async () => {
  await learn();
  const { hostname, port } = new URL(edge.gateway.url);
  const head = `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`;
  const requestOf = (body: string, last = '') => `${head}${last}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const ask = async (text: string) =>
    new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(text));
      socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
      socket.on('error', reject).on('close', () => resolve(received));
    });
  const end = () => requestOf(order(), 'connection: close\r\n');
  for (let time = 0; time < 3; time++) await ask(`${requestOf(order())}${end()}`);
  const before = edge.begun;
  const answers = await ask(`${requestOf(order())}${requestOf('{"order":7}')}${requestOf(order('fails'))}${requestOf(order())}${end()}`);
  expect(answers.match(/HTTP\/1\.1 \d+/g)?.map((line) => line.slice(-3))).toEqual(['200', '400', '404', '200', '200']);
  expect(edge.begun - before).toBeGreaterThanOrEqual(4);
});

test(
  'What is refused costs the same allowance',
  async () => {
    await using limited = await TestEdge.start({ REQUESTS_PER_CREDENTIAL: '4' }, make);
    const allowed = async (headers: Readonly<Record<string, string>>, isKnown: boolean) => {
      const own = await limited.gateway.tenant.key();
      for (let time = 0; time < 3; time++) {
        await limited.send(own, { path, body: order(), headers });
        await setTimeout(20);
      }
      const before = limited.begun;
      let count = 0;
      while (count < 100 && (await limited.send(own, { path, body: '{"order":7}', headers })).status === 400) count += 1;
      expect(limited.begun > before).toBe(isKnown);
      return count;
    };
    const known = await allowed({}, true);
    // The general way: a body with an option of its own is not begun.
    const general = await allowed({ 'x-user-id': 'user_001' }, false);
    expect([known, Math.abs(known - general) <= 2]).toEqual([expect.any(Number), true]);
  },
  startTimeoutMs,
);

test(
  'A gateway that stops closes the connections of calls that it has begun',
  async () => {
    await using stopping = await TestEdge.start({}, make);
    const own = await stopping.gateway.tenant.key();
    const send = async (name?: string) => stopping.send(own, { path, body: order(name) });
    await eventually(async () => {
      expect((await send()).headers.get('connection')).toBe('keep-alive');
      return stopping.begun > 0;
    });
    runs.length = 0;
    const last = send('held');
    await eventually(() => runs.length === 1);
    stopping.gateway.app.get(Readiness).stop();
    release();
    expect(await last).toMatchObject({ status: 200 });
    expect((await last).headers.get('connection')).toBe('close');
  },
  startTimeoutMs,
);
