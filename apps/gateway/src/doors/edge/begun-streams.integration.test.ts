// Streams whose head came before: the edge begins their calls, and every event is that of the general way.
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Outcome } from '#lib/contracts';
import { eventually, startTimeoutMs } from '#lib/testing';
import { EventStreams } from '../../http/event-streams.js';
import { Readiness } from '../../operations/readiness.js';
import type { TestAttempt } from '../../test-gateway.js';
import { order, TestEdge, told, type Sent } from './test-edge.js';

let edge: TestEdge;
let key: string;
/** The jobs that a worker has run. */
const runs: string[] = [];
const held: (() => void)[] = [];
const release = (): void => held.splice(0).forEach((goOn) => goOn());

/** What is ordered says how it ends. */
async function make({ jobId, head }: TestAttempt): Promise<Outcome> {
  runs.push(jobId);
  const asked = JSON.stringify(head.input);
  if (asked.includes('held')) await new Promise<void>((resolve) => held.push(resolve));
  if (asked.includes('fails')) return { ok: false, error: { family: 'RESOURCE_NOT_FOUND', code: 'SOLD_OUT', message: 'None is left' } };
  return { ok: true, data: { made: `of ${asked.length} characters, ä` }, ...(asked.includes('version') && { version: 'v1' }) };
}

beforeAll(async () => {
  edge = await TestEdge.start({ OPEN_REQUESTS_PER_CREDENTIAL: '8' }, make);
}, startTimeoutMs);
afterAll(async () => edge?.[Symbol.asyncDispose]());
beforeEach(async () => {
  release();
  key = await edge.gateway.tenant.key();
});

const ways: Readonly<Record<string, Sent>> = {
  'at an address of its own': { path: '/tools/test_plain/sse' },
  'at the address of its tool': { path: '/tools/test_plain', headers: { accept: 'text/event-stream' } },
  'in Chinese': { path: '/tools/test_plain/sse', headers: { 'accept-language': 'zh', accept: 'text/event-stream' } },
};
const [plain] = Object.values(ways);
if (!plain) throw new Error('There are no ways');

async function open({ path, body = order(), headers = {} }: Sent, at: TestEdge = edge) {
  const before = at.begun;
  const response = await fetch(`${at.gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body,
  });
  return { response, isBegun: at.begun > before };
}

async function send(sent: Sent, at: TestEdge = edge) {
  const { response, isBegun } = await open(sent, at);
  const text = await response.text();
  // What is learnt is learnt when the answer has been read.
  await setTimeout(20);
  return { status: response.status, headers: response.headers, text, isBegun };
}

/** Sends calls until the edge begins them. */
async function learn(sent: Sent, at: TestEdge = edge) {
  for (let time = 0; time < 20; time++) if ((await send(sent, at)).isBegun) return;
  throw new Error('The edge has begun none');
}

const generally = async (sent: Sent) => send({ ...sent, headers: { ...sent.headers, 'x-other': crypto.randomUUID() } });

describe.each(Object.entries(ways))('A stream of a known head %s', (_way, sent) => {
  test.each([
    ['is made', order('a gift')],
    ['fails in its handler', order('it fails')],
    ['has a version', order('a version')],
    ['has a wrong parameter', '{"order":7}'],
    ['has a parameter that there is not', '{"order":"a","nose":1}'],
  ])('has the events of the general way where its call %s', async (_, body) => {
    await learn(sent);
    const begun = await send({ ...sent, body });
    const general = await generally({ ...sent, body });
    expect([begun.isBegun, general.isBegun]).toEqual([true, false]);
    expect(told(begun)).toEqual(told(general));
    expect(begun.text).toContain(begun.headers.get('x-trace-id') ?? 'none');
  });

  test.each([
    ['an option of its own', '{"order":"a","debug":true}'],
    ['a trace id of its own', '{"order":"a","_trace_id":"trace_mine"}'],
    ['no JSON', '{"order":"a"'],
  ])('is not begun with %s', async (_, body) => {
    await learn(sent);
    const other = await send({ ...sent, body });
    const general = await generally({ ...sent, body });
    expect(other.isBegun).toBe(false);
    expect(other.status).toBe(general.status);
  });
});

test('A reader that comes back gets the rest, and the call does not run again', async () => {
  await learn(plain);
  runs.length = 0;
  const { text } = await send(plain);
  const [first = ''] = text.match(/(?<=^id: ).+$/gm) ?? [];
  const rest = await send({ ...plain, headers: { 'last-event-id': first } });
  expect([rest.isBegun, rest.status, runs.length]).toEqual([false, 200, 1]);
  expect(text.endsWith(rest.text.replace('retry: 2000\n\n', ''))).toBe(true);
});

test('A call that the cache answers is known as a whole from then on', async () => {
  const sent = { path: '/tools/test_cached/sse' };
  await learn(sent);
  const body = order();
  const made = await send({ ...sent, body });
  expect(made).toMatchObject({ status: 200, isBegun: true });
  await send({ ...sent, body });
  const before = edge.answers;
  expect(await send({ ...sent, body })).toMatchObject({ status: 200, isBegun: false });
  expect(edge.answers).toBe(before + 1);
});

describe('While a call runs', () => {
  test('its first event has come, and its end comes when it ends', async () => {
    await learn(plain);
    runs.length = 0;
    const { response, isBegun } = await open({ ...plain, body: order('held') });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('event: ')) text += (await reader?.read())?.value ?? '';
    expect([isBegun, text.includes('tool_result')]).toEqual([true, false]);
    await eventually(() => runs.length === 1);
    release();
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) text += next.value;
    expect(text).toContain('"success":true');
  });

  test('its reader goes away: the call goes on, and its place is free', async () => {
    const post = (body: string) => edge.client(key, { ...plain, body });
    await edge.learnFrom(() => post(order()));
    runs.length = 0;
    const before = edge.begun;
    const clients = Array.from({ length: 8 }, (_, index) => post(order(`held ${index}`)));
    await Promise.all(clients.map(async (client) => once(client, 'response')));
    await eventually(() => runs.length === 8);
    expect([edge.begun - before, (await send(plain)).status]).toEqual([8, 429]);
    clients.forEach((client) => client.destroy());
    await eventually(async () => (await send(plain)).status === 200);
    expect(await Promise.all(runs.slice(0, 8).map(async (run) => edge.stateOf(run)))).not.toContain('cancelled');
  });

  test('its credential ends: the stream does', async () => {
    await learn(plain);
    const { response, isBegun } = await open({ ...plain, body: order('held') });
    await edge.revoke(key);
    const startedAt = performance.now();
    expect([isBegun, (await response.text()).includes('"success":true')]).toEqual([true, false]);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    release();
  });
});

test(
  'A gateway that drains ends its streams, and begins none',
  async () => {
    await using stopping = await TestEdge.start({}, make);
    key = await stopping.gateway.tenant.key();
    await learn(plain, stopping);
    const { response, isBegun } = await open({ ...plain, body: order('held') }, stopping);
    stopping.gateway.app.get(Readiness).stop();
    stopping.gateway.app.get(EventStreams).closeAll();
    expect([isBegun, (await response.text()).includes('"success":true')]).toEqual([true, false]);
    expect((await send(plain, stopping)).isBegun).toBe(false);
    release();
  },
  startTimeoutMs,
);
