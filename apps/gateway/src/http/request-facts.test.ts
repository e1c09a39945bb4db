import { describe, expect, test } from '@jest/globals';
import { fastify } from 'fastify';
import type { Caller } from '#lib/contracts';
import { installRequestFacts, joinTrace, noteCaller } from './request-facts.js';

const caller: Caller = { tenantId: 't', userId: null, tier: 'free', scopes: [], credentialId: 'k' };

function setUp(carrier?: { traceparent: string }) {
  const aliases: string[] = [];
  const app = fastify();
  installRequestFacts(app, (_caller, outward) => aliases.push(outward));
  app.get('/', (request, reply) => {
    noteCaller(request.facts, caller);
    if (carrier) joinTrace(request, reply, carrier);
    const { requestId, traceId, derivedTraceId } = request.facts;
    return { requestId, traceId, derivedTraceId, caller: request.facts.caller };
  });
  return { app, aliases };
}

describe('Every answer', () => {
  test('has a trace id and a request id of ours, and is kept by no shared cache', async () => {
    const { app, aliases } = setUp();
    const [one, other] = [await app.inject('/'), await app.inject('/')];
    expect(one.headers).toMatchObject({ 'cache-control': 'no-store', vary: 'authorization, cookie' });
    expect(one.headers['x-trace-id']).toMatch(/^trace_\d{8}_[\da-f]{12}$/);
    expect(one.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
    expect(one.headers['x-request-id']).not.toBe(other.headers['x-request-id']);
    expect(aliases).toEqual([]);
  });

  test("has the caller's own ids where they are fit for a header", async () => {
    const { app, aliases } = setUp();
    const answer = await app.inject({ url: '/', headers: { 'x-trace-id': 'trace_mine', 'x-request-id': 'mine-1' } });
    expect(answer.headers).toMatchObject({ 'x-trace-id': 'trace_mine', 'x-request-id': 'mine-1' });
    expect(aliases).toEqual(['trace_mine']);
  });

  test.each([
    { 'x-trace-id': 'mine' },
    { 'x-trace-id': `trace_${'a'.repeat(65)}` },
    { 'x-request-id': 'a b' },
    { 'x-request-id': 'x'.repeat(129) },
    { 'x-request-id': '请' },
  ])('has ids of ours instead of %j', async (headers) => {
    const { app, aliases } = setUp();
    const answer = await app.inject({ url: '/', headers });
    for (const [name, value] of Object.entries(headers)) expect(answer.headers[name]).not.toBe(value);
    expect(aliases).toEqual([]);
  });
});

test('A trace id of a stranger or a guest is echoed and not remembered', async () => {
  const aliases: string[] = [];
  const app = fastify();
  installRequestFacts(app, (_caller, outward) => aliases.push(outward));
  app.get('/stranger', () => 'served');
  app.get('/guest', { config: { route: { access: 'guest', docs: null } } }, (request) => {
    request.facts.caller = caller;
    return 'served';
  });
  for (const url of ['/stranger', '/guest'])
    expect((await app.inject({ url, headers: { 'x-trace-id': 'trace_mine' } })).headers['x-trace-id']).toBe('trace_mine');
  expect(aliases).toEqual([]);
});

test('A message that names no valid trace changes nothing', async () => {
  const { app } = setUp({ traceparent: 'nonsense' });
  const answer = await app.inject('/');
  const { traceId }: { traceId: string } = answer.json();
  expect(traceId).toBe(answer.headers['x-trace-id']);
});
