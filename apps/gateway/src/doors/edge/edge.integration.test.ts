// What comes again word for word has the answer that the general way gives, and what differs in a byte goes that way.
import { connect } from 'node:net';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTimeoutMs } from '#lib/testing';
import { order, TestEdge, type Sent } from './test-edge.js';

let edge: TestEdge;

beforeAll(async () => {
  edge = await TestEdge.start({});
}, startTimeoutMs);
afterAll(async () => edge?.[Symbol.asyncDispose]());

describe('A request that comes again', () => {
  test('has the answer that it had, by the general way, with ids, time and life of its own', async () => {
    const key = await edge.gateway.tenant.key();
    const sent = { body: order() };
    await edge.send(key, sent);
    const general = await edge.send(key, sent);
    expect(general).toMatchObject({ repeated: false, json: { metadata: { cache: { hit: true } } } });
    const again = await edge.repeated(key, sent);
    expect(again.json.data).toEqual(general.json.data);
    expect(shapeOf(again.json)).toEqual(shapeOf(general.json));
    expect([...again.headers.keys()].toSorted()).toEqual([...general.headers.keys()].toSorted());
    expect(again.headers.get('content-length')).toBe(String(Buffer.byteLength(again.text)));
    expect(again.headers.get('x-request-id')).not.toBe(general.headers.get('x-request-id'));
    expect(again.headers.get('x-trace-id')).toBe(again.json.metadata.trace_id);
    const constant = [...again.headers].filter(([name]) => !/^(x-trace-id|x-request-id|traceparent|content-length|date)$/.test(name));
    for (const [name, value] of constant) expect([name, general.headers.get(name)]).toEqual([name, value]);
  });

  test('is counted like any other', async () => {
    const key = await edge.gateway.tenant.key();
    const sent = { body: order() };
    await edge.repeated(key, sent);
    const counted = async () => {
      const { values } = await edge.gateway.stores.metrics.toolCalls.get();
      return (
        values.find(({ labels }) => labels.tool === 'test_cached' && labels.cache === 'hit' && labels.result === 'success')?.value ?? 0
      );
    };
    const before = await counted();
    await edge.repeated(key, sent);
    expect(await counted()).toBeGreaterThan(before);
  });

  test('keeps the request id of its caller where it is fit for a header', async () => {
    const key = await edge.gateway.tenant.key();
    const sent = { body: order() };
    await edge.repeated(key, sent);
    const traceparent = `00-${randomUUID().replaceAll('-', '')}-00f067aa0ba902b7-01`;
    const named = await edge.repeated(key, { ...sent, headers: { traceparent, 'x-request-id': 'mine-1' } });
    expect(named.headers.get('x-request-id')).toBe('mine-1');
    const wrong = await edge.send(key, { ...sent, headers: { 'x-request-id': 'not fit' } });
    expect(wrong.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    const own = await edge.send(key, { ...sent, headers: { 'x-trace-id': 'trace_mine' } });
    const ownAgain = await edge.send(key, { ...sent, headers: { 'x-trace-id': 'trace_mine' } });
    expect([own, ownAgain].map(({ json, repeated: isRepeated }) => [json.metadata.trace_id, isRepeated])).toEqual([
      ['trace_mine', false],
      ['trace_mine', false],
    ]);
  });

  test.each([
    ['a body that differs in one byte', { body: '{"order":"same", "note":"n"}' }],
    ['a parameter that the tool does not have', { body: '{"order":"same","nose":"n"}' }],
    ['a value that is too long', { body: `{"order":"same","note":"${'n'.repeat(11)}"}` }],
    ['no JSON', { body: '{"order":"same","note":"n"]' }],
    ['another content type', { headers: { 'content-type': 'text/plain' } }],
    ['an encoding', { headers: { 'content-encoding': 'gzip' } }],
    ['no cache', { headers: { 'cache-control': 'no-cache' } }],
    ['another origin', { headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } }],
    ['a wrong option', { path: '/tools/test_cached?enable_cache=maybe' }],
    ['a tool that is not there', { path: '/tools/test_cached%00' }],
    ['a credential that is none', { headers: { authorization: 'Bearer invoq_none' } }],
    ['a credential of another scheme', { headers: { authorization: 'Basic abc' } }],
    ['a user that it may not act for', { headers: { 'x-user-id': 'somebody' } }],
    ['an idempotency key', { headers: { 'idempotency-key': 'k-1' } }],
  ] satisfies readonly (readonly [string, Sent])[])('is none with %s', async (_, differs: Sent) => {
    const key = await edge.gateway.tenant.key();
    const sent = { body: '{"order":"same","note":"n"}' };
    await edge.repeated(key, sent);
    const plain = await edge.send(key, { ...sent, ...differs });
    expect(plain.repeated).toBe(false);
    // Nor does it become what comes again where it is refused.
    const again = await edge.send(key, { ...sent, ...differs });
    expect(again.status).toBe(plain.status);
    if (plain.status !== 200) expect([again.repeated, again.json.error?.code]).toEqual([false, plain.json.error?.code]);
  });
});

describe('Requests as no client sends them', () => {
  const raw = async (text: string | readonly string[]) =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(edge.gateway.url);
      const socket = connect({ host: hostname, port: Number(port) });
      let received = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
      socket.on('error', reject).on('close', () => resolve(received));
      void (async () => {
        for (const part of [text].flat()) {
          socket.write(part);
          await new Promise((done) => setTimeout(done, 50));
        }
      })();
    });
  const requestOf = (key: string, body: string, last = '') =>
    `POST /tools/test_cached HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${last}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const close = 'Connection: close\r\n';

  test('in one packet, in pieces, after one another and in chunks have the same answers', async () => {
    const key = await edge.gateway.tenant.key();
    const body = order();
    const whole = requestOf(key, body, close);
    const before = edge.answers;
    const answers = [await raw(whole), await raw(whole), await raw(whole)];
    expect(edge.answers).toBeGreaterThan(before);
    for (let cut = 10; cut < whole.length; cut += 37) answers.push(await raw([whole.slice(0, cut), whole.slice(cut)]));
    const data = answers.map((answer) => /"data":(\{.*?\}),"metadata"/.exec(answer)?.[1]);
    expect(new Set(data).size).toBe(1);
    const pipelined = await raw(
      `${requestOf(key, body)}${requestOf(key, body)}${requestOf(key, '{"order":1}')}${requestOf(key, body, close)}`,
    );
    expect(pipelined.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400', 'HTTP/1.1 200']);
    const chunked = `POST /tools/test_cached HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${close}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    expect(await raw(chunked)).toContain(data[0] ?? 'no data');
  });

  test('with a credential that is given twice are refused, whatever came before', async () => {
    const key = await edge.gateway.tenant.key();
    const body = order();
    for (let time = 0; time < 3; time++) await raw(requestOf(key, body, close));
    const twice = await raw(requestOf(key, body, `${close}Authorization: Bearer ${key}\r\n`));
    expect(twice).toMatch(/^HTTP\/1\.1 400/);
  });
});

/** The names of an object and of those in it. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shapeOf(item)]));
}
