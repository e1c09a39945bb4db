// A handler that asks its client in the middle of a call, for clients of the older revisions, at two gateways.
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { readServerSentEvents } from '#lib/client';
import { eventually, newNamespace, startTimeoutMs } from '#lib/testing';
import { startTestGateway, type TestGateway } from '../../test-gateway.js';
import type { McpExtension } from './server.js';

const revision = '2025-06-18';
const namespace = newNamespace();
let key: string;
let stranger: string;
let gateway: TestGateway;
let other: TestGateway;

/** `ask` asks for a name, `ask_twice` for a name and a word of the model at once. */
const asks: McpExtension = {
  attach(mcp) {
    mcp.server.setRequestHandler('tools/call', ({ params }, { mcpReq }): CallToolResult | InputRequiredResult => {
      const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
      const name = { method: 'elicitation/create' as const, params: { mode: 'form' as const, message: 'Who are you?', requestedSchema } };
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Say a word' } }];
      const word = { method: 'sampling/createMessage' as const, params: { messages, maxTokens: 10 } };
      const inputRequests = params.name === 'ask_twice' ? { name, word } : { name };
      if (mcpReq.inputResponses === undefined) return { resultType: 'input_required', inputRequests };
      return { content: [{ type: 'text', text: JSON.stringify(mcpReq.inputResponses) }] };
    });
  },
};

beforeAll(async () => {
  const options = { namespace, handler: () => null, mcpExtensions: [asks] };
  [gateway, other] = await Promise.all([startTestGateway(options), startTestGateway(options)]);
  [key, stranger] = await Promise.all([gateway.tenant.key(), gateway.tenant.key({ userId: 'user_other' })]);
}, startTimeoutMs);
afterAll(async () => {
  await Promise.all([gateway?.[Symbol.asyncDispose](), other?.[Symbol.asyncDispose]()]);
});

interface Sending {
  readonly at?: TestGateway;
  readonly as?: string;
  readonly session?: string;
  readonly signal?: AbortSignal;
}

async function post(body: unknown, { at = gateway, as = key, session, signal }: Sending = {}): Promise<Response> {
  return fetch(new URL('/mcp', at.url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${as}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      ...(session !== undefined && { 'mcp-session-id': session }),
    },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

async function sessionOf(capabilities: object): Promise<string> {
  const params = { protocolVersion: revision, capabilities, clientInfo: { name: 'old', version: '1' } };
  const response = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

const message = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
  result: z.looseObject({}).optional(),
});
type Message = z.infer<typeof message>;

/** A call that is open: its messages one by one. */
async function callOf(name: string, sending: Sending): Promise<() => Promise<Message>> {
  const response = await post({ jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name, arguments: {} } }, sending);
  if (!response.body) throw new Error('There is no stream');
  const events = readServerSentEvents(response.body)[Symbol.asyncIterator]();
  return async () => {
    for (;;) {
      const { value, done } = await events.next();
      if (done) throw new Error('The stream has ended');
      if (value.data) return message.parse(JSON.parse(value.data));
    }
  };
}

const accepted = (name: string) => ({ action: 'accept', content: { name } });
const answer = (id: unknown, result: unknown) => ({ jsonrpc: '2.0', id, result });
/** Requests to clients that a gateway waits for. */
const waited = async () => gateway.stores.redis.pubsub('CHANNELS', `${namespace}:mcp-answer:*`);
/** Leaving a channel takes a moment, and another connection. */
const nobodyWaits = async () => eventually(async () => (await waited()).length === 0);

describe('a call that asks its client', () => {
  test.each([
    ['the gateway that asked', () => gateway],
    ['another gateway', () => other],
  ])('goes on with the answer that came to %s', async (_which, at) => {
    const session = await sessionOf({ elicitation: {} });
    const next = await callOf('ask', { session });
    const asked = await next();
    expect(asked).toMatchObject({ method: 'elicitation/create', id: expect.stringMatching(/^[0-9a-f-]{36}$/), params: { mode: 'form' } });
    const response = await post(answer(asked.id, accepted('Ann')), { at: at(), session });
    expect([response.status, await response.text()]).toEqual([202, '']);
    expect(await next()).toMatchObject({ id: 5, result: { content: [{ text: JSON.stringify({ name: accepted('Ann') }) }] } });
    await nobodyWaits();
  });

  test('asks several things at once, also of two calls at once, under ids of their own', async () => {
    const session = await sessionOf({ elicitation: { form: {} }, sampling: {} });
    const calls = await Promise.all([callOf('ask_twice', { session }), callOf('ask_twice', { session, at: other })]);
    const said = { role: 'assistant', content: { type: 'text', text: 'word' }, model: 'm' };
    const asked = await Promise.all(calls.map(async (next) => [await next(), await next()]));
    expect(new Set(asked.flat().map(({ id }) => id)).size).toBe(4);
    const batch = asked.flat().map(({ id, method }) => answer(id, method === 'elicitation/create' ? accepted('Ann') : said));
    expect((await post(batch, { session })).status).toBe(202);
    for (const next of calls) expect(JSON.stringify((await next()).result)).toContain('word');
  });

  test('tells its client which other request is void once one has failed', async () => {
    const session = await sessionOf({ elicitation: {}, sampling: {} });
    const next = await callOf('ask_twice', { session });
    const [first, second] = [await next(), await next()];
    await post({ jsonrpc: '2.0', id: first.id, error: { code: -1, message: 'The user said no' } }, { session });
    expect(await next()).toMatchObject({ method: 'notifications/cancelled', params: { requestId: second.id } });
    expect(await next()).toMatchObject({ id: 5, result: { isError: true } });
    await nobodyWaits();
  });

  test('takes no answer of another caller, to another id, or a second one', async () => {
    const session = await sessionOf({ elicitation: {} });
    const next = await callOf('ask', { session });
    const { id } = await next();
    for (const [body, sending] of [
      [answer(id, accepted('Eve')), { as: stranger, session }],
      [answer(id, accepted('Eve')), { as: stranger, session, at: other }],
      [answer('00000000-0000-4000-8000-000000000000', accepted('Eve')), { session }],
      [answer(0, accepted('Eve')), { session }],
    ] as const)
      expect((await post(body, sending)).status).toBe(202);
    await setTimeout(100);
    expect(await waited()).toHaveLength(1);
    await post(answer(id, accepted('Ann')), { session });
    await post(answer(id, accepted('Eve')), { session });
    expect(JSON.stringify(await next())).toContain('Ann');
    expect((await post(answer(id, accepted('Eve')), { session })).status).toBe(202);
  });

  test('refuses an answer over the limit of bodies, and takes a smaller one afterwards', async () => {
    const session = await sessionOf({ elicitation: {} });
    const next = await callOf('ask', { session });
    const { id } = await next();
    expect((await post(answer(id, accepted('x'.repeat(300_000))), { session })).status).toBe(413);
    await post(answer(id, accepted('Ann')), { session });
    expect(JSON.stringify(await next())).toContain('Ann');
  });

  test.each([
    ['an error', { error: { code: -1, message: 'The user said no' } }, 'The user said no'],
    ['no valid result', { result: { action: 7 } }, 'failed'],
  ])('ends with an error after %s', async (_what, rest, words) => {
    const session = await sessionOf({ elicitation: {} });
    const next = await callOf('ask', { session });
    const { id } = await next();
    await post({ jsonrpc: '2.0', id, ...rest }, { session });
    expect(await next()).toMatchObject({ result: { isError: true, content: [{ text: expect.stringContaining(words) }] } });
  });

  test('waits no longer when its client has gone', async () => {
    const session = await sessionOf({ elicitation: {} });
    const leaving = new AbortController();
    const next = await callOf('ask', { session, signal: leaving.signal });
    const { id } = await next();
    leaving.abort();
    await nobodyWaits();
    expect((await post(answer(id, accepted('late')), { session })).status).toBe(202);
  });

  test.each([
    ['has declared nothing', async () => sessionOf({})],
    ['has declared something else', async () => sessionOf({ sampling: {} })],
    ['has no session', async () => undefined],
    ['has made up its session', async () => `x.${Buffer.from('{"elicitation":7}').toString('base64url')}`],
    ['has made up nonsense', async () => 'x.%%%.y'],
  ])('is refused for a client that %s', async (_what, sessionIdOf) => {
    const session = await sessionIdOf();
    const next = await callOf('ask', { ...(session !== undefined && { session }) });
    expect(await next()).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('did not declare') }] },
    });
    await nobodyWaits();
  });
});
