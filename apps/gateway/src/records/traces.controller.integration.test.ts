import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TraceStore } from '#lib/transport';
import { TestHttpGateway } from '../test-http-gateway.js';

let gateway: TestHttpGateway;
beforeAll(async () => {
  gateway = await TestHttpGateway.start();
});
afterAll(async () => gateway[Symbol.asyncDispose]());

const start = Date.now() - 60_000;
interface Given {
  readonly name: string;
  readonly at?: number;
  readonly under?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}
const span = (traceId: string, { name, at = 0, under, attributes = {} }: Given) => ({
  trace_id: traceId,
  span_id: name,
  parent_span_id: under ?? null,
  name,
  start: start + at,
  duration_ms: 10,
  attributes,
});
const own = () => ({ 'invoq.tenant': gateway.tenant.id, 'invoq.user': 'user_001' });

async function stored(...spans: Parameters<typeof span>[1][]): Promise<string> {
  const traceId = randomBytes(16).toString('hex');
  await gateway.app.get(TraceStore).append(spans.map((one) => span(traceId, one)));
  return `trace_20261122_${traceId.slice(0, 12)}`;
}

const read = async (id: string, authorization = gateway.user) => gateway.send(`/traces/${id}`, { authorization });

describe('A trace', () => {
  test('shows the spans of all processes in order, to whoever made it', async () => {
    const id = await stored({ name: 'attempt', at: 5, attributes: own() }, { name: 'POST /tools/:name', attributes: own() });
    const { status, body } = await read(id);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      trace_id: id,
      w3c_trace_id: expect.stringMatching(new RegExp(`^${id.slice(-12)}`)),
      started_at: new Date(start).toISOString(),
      duration_ms: 15,
      spans: [
        { name: 'POST /tools/:name', offset_ms: 0, duration_ms: 10 },
        { name: 'attempt', offset_ms: 5 },
      ],
    });
  });

  test('shows the steps of its request as spans below it', async () => {
    const id = await stored({ name: 'POST /tools/:name', attributes: { ...own(), 'invoq.steps': 'validation 200 100, wait 1000 8500' } });
    const { spans } = JSON.parse((await read(id)).body);
    expect(spans).toMatchObject([
      { name: 'POST /tools/:name', attributes: own() },
      { name: 'validation', kind: 'internal', parent_span_id: spans[0].span_id, offset_ms: 0.2, duration_ms: 0.1, attributes: {} },
      { name: 'wait', parent_span_id: spans[0].span_id, offset_ms: 1, duration_ms: 8.5 },
    ]);
    expect(spans[0].attributes).not.toHaveProperty('invoq.steps');
  });

  test.each([
    ['another user', () => ({ ...own(), 'invoq.user': 'user_002' })],
    ['another tenant', () => ({ ...own(), 'invoq.tenant': 'other' })],
    ['the tenant itself', () => ({ ...own(), 'invoq.user': '' })],
    ['nobody', () => ({})],
  ])('of %s is not found, except by an administrator', async (_, owner) => {
    const id = await stored({ name: 'request', attributes: owner() });
    expect((await read(id)).status).toBe(404);
    expect((await read(id, gateway.admin)).status).toBe(200);
  });

  test('that callers of one tenant, or of several, have joined shows each what is its own', async () => {
    const ofOther = { ...own(), 'invoq.user': 'user_002' };
    const ofStranger = { ...own(), 'invoq.tenant': 'other' };
    const id = await stored(
      { name: 'one', attributes: own() },
      { name: 'attempt of one', under: 'one', at: 1, attributes: own() },
      { name: 'other', attributes: ofOther, at: 2 },
      { name: 'attempt of the other', under: 'other', at: 3, attributes: ofOther },
      { name: 'nobody', under: 'nobody', at: 4 },
      { name: 'stranger', under: 'one', at: 5, attributes: ofStranger },
    );
    const { status, body } = await read(id);
    expect(status).toBe(200);
    const { spans } = JSON.parse(body);
    expect(spans.map(({ name }: Given) => name)).toEqual(['one', 'attempt of one']);
    expect(JSON.parse((await read(id, gateway.admin)).body).spans).toHaveLength(6);
  });

  test('tells administrators what a tool threw, and nobody else', async () => {
    const thrown = { 'exception.type': 'TypeError', 'exception.message': 'the shelf is empty', 'exception.stacktrace': 'at shelf.ts' };
    const id = await stored({ name: 'attempt', attributes: { ...own(), ...thrown, 'invoq.code': 'EXECUTION_ERROR' } });
    const { body } = await read(id);
    expect(JSON.parse(body).spans).toMatchObject([{ attributes: { 'invoq.code': 'EXECUTION_ERROR' } }]);
    expect(body).not.toMatch(/exception|shelf/);
    expect(JSON.parse((await read(id, gateway.admin)).body).spans).toMatchObject([{ attributes: thrown }]);
  });

  test.each(['x', 'a'.repeat(290), 'trace_20261122_000000000000'])('that does not exist is not found: %s', async (id) => {
    expect((await read(id)).status).toBe(404);
  });
});
