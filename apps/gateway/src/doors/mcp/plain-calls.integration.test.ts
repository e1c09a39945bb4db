// A call in words that the SDK has served before has the answer that the SDK gives, and whatever changes is seen by it.
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { McpServer } from '@modelcontextprotocol/server';
import { eventually, startTimeoutMs, Tenant, givenStores } from '#lib/testing';
import { startTestGateway, type TestGateway } from '../../test-gateway.js';

const modern = '2026-07-28';
let gateway: TestGateway;
let key: string;
const tenants: Tenant[] = [];
/** Called for each request that the SDK serves. */
const bySdk = jest.spyOn(McpServer.prototype, 'connect');

beforeAll(async () => {
  gateway = await startTestGateway({
    handler: async ({ head }) => {
      const order = String(head.input['order']);
      if (order === 'sold out')
        return { ok: false, error: { code: 'RESOURCE_NOT_FOUND', family: 'RESOURCE_NOT_FOUND', message: 'None left' } };
      if (order === 'slow') await setTimeout(2_500);
      return { ok: true, data: { made: order, with: 'ä   "quotes"' } };
    },
  });
  key = await gateway.tenant.key();
}, startTimeoutMs);
afterAll(async () => {
  bySdk.mockRestore();
  for (const one of tenants) await one[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

interface Sent {
  readonly credential?: string;
  readonly revision?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly id?: unknown;
  readonly params?: object;
  readonly meta?: object;
}

function headersOf({ credential = key, revision = modern, headers = {} }: Sent): Record<string, string> {
  return {
    authorization: `Bearer ${credential}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': revision,
    ...(revision === modern && { 'mcp-method': 'tools/call', 'mcp-name': 'test_plain' }),
    ...headers,
  };
}

function bodyOf(order: unknown, { revision = modern, id = 1, params = {}, meta = {} }: Sent): string {
  const said = {
    'io.modelcontextprotocol/protocolVersion': modern,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const _meta = { ...(revision === modern && said), ...meta };
  const call = { name: 'test_plain', arguments: { order }, ...params, ...(Object.keys(_meta).length > 0 && { _meta }) };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: call });
}

/** Sends a call, and tells whether the SDK has served it. Nothing else may be sent meanwhile. */
async function send(order: unknown, sent: Sent = {}) {
  const before = bySdk.mock.calls.length;
  const response = await fetch(`${gateway.url}/mcp${sent.query ?? ''}`, {
    method: 'POST',
    headers: headersOf(sent),
    body: bodyOf(order, sent),
  });
  const text = await response.text();
  // What the SDK has served is learnt when it has been read.
  await setTimeout(20);
  return { status: response.status, headers: response.headers, text, plain: bySdk.mock.calls.length === before };
}

/** What is of one call alone is left out. */
const alike = (text: string) =>
  text
    .replaceAll(/trace_\d+_[\w-]+|inv_[\w-]+|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…')
    .replaceAll(/(\\*"(?:trace_id|job_id|request_id|execution_time_ms|\w+_ms|at|timestamp)\\*":)(\\*"[^"\\]*\\*"|[\d.]+)/g, '$1…');

describe.each([
  ['the newest revision', { revision: modern }],
  ['the newest revision, as data', { revision: modern, query: '?result=data' }],
  ['the newest revision, as text', { revision: modern, query: '?result=text' }],
  ['an older revision', { revision: '2025-11-25' }],
  ['an older revision, as data', { revision: '2025-11-25', query: '?result=data' }],
  ['an older revision, as JSON', { revision: '2025-06-18', headers: { accept: 'application/json' } }],
])('A call that comes again in %s', (_what, sent: Sent) => {
  test('has the answer of the SDK', async () => {
    const first = await send('a', sent);
    const again = await send('b', { ...sent, id: 'another "id"' });
    expect([first.plain, again.plain, again.status]).toEqual([false, true, 200]);
    const [id, other] = [JSON.stringify(1), JSON.stringify('another "id"')];
    expect(alike(again.text)).toBe(
      alike(first.text)
        .replaceAll(/(made\\*":\\*")a/g, '$1b')
        .replace(`"id":${id}}`, `"id":${other}}`),
    );
    const constant = [...first.headers].filter(
      ([name]) => !/^(x-trace-id|x-request-id|traceparent|content-length|transfer-encoding|date|keep-alive)$/.test(name),
    );
    for (const [name, value] of constant) expect([name, again.headers.get(name)]).toEqual([name, value]);
  });

  test('is refused as the SDK tells it', async () => {
    await send('a', sent);
    for (const wrong of ['sold out', 7]) {
      const plain = await send(wrong, sent);
      const served = await send(wrong, { ...sent, headers: { ...sent.headers, 'x-new': String(wrong) } });
      expect([plain.plain, served.plain, plain.text.includes('"isError":true')]).toEqual([true, false, true]);
      expect(alike(plain.text)).toBe(alike(served.text));
    }
  });
});

describe('The SDK serves', () => {
  test.each([
    ['another header', { headers: { 'x-some': 'thing' } }],
    ['a header that names another tool', { headers: { 'mcp-name': 'test_cached' } }],
    ['another header of the revision', { headers: { 'mcp-protocol-version': '2025-11-25' } }],
    ['a type that is none', { headers: { accept: 'text/html' } }],
    ['a parameter in a header', { headers: { 'mcp-param-order': 'a' } }],
    ['another tool', { params: { name: 'test_cached' } }],
    ['another field of the call', { params: { more: true } }],
    ['an answer to a question', { params: { requestState: 'of nobody', inputResponses: {} } }],
    ['another client', { meta: { 'io.modelcontextprotocol/clientInfo': { name: 'other', version: '2' } } }],
    ['a token for progress', { meta: { progressToken: 1 } }],
    ['arguments that are none', { params: { arguments: [] } }],
    ['an id that is none', { id: 1.5 }],
    ['a header that is very long', { headers: { 'x-long': 'x'.repeat(5_000) } }],
  ] satisfies readonly (readonly [string, Sent])[])('%s', async (_what, differs: Sent) => {
    await send('a');
    expect((await send('a')).plain).toBe(true);
    const other = await send('a', differs);
    expect(other.plain && other.status === 200 && !other.text.includes('"error":')).toBe(false);
  });

  test('the end of a call that takes longer', async () => {
    const sent = { revision: '2025-11-25' };
    await send('a', sent);
    const slow = await send('slow', sent);
    expect([slow.plain, slow.status, slow.text.match(/^event: message$/gm)?.length, slow.text.includes('"isError":false')]).toEqual([
      false,
      200,
      1,
      true,
    ]);
  });
});

describe('Between two calls in the same words', () => {
  test('a key that is revoked ends within a second, with and without a session', async () => {
    const headers = { 'mcp-session-id': '00000000-0000-4000-8000-000000000000' };
    for (const sent of [{ revision: '2025-11-25' }, { revision: '2025-11-25', headers }, {}]) {
      const credential = await gateway.tenant.key();
      await send('a', { ...sent, credential });
      expect(await send('a', { ...sent, credential })).toMatchObject({ plain: true, status: 200 });
      const id = /^invoq_([^_]+)/.exec(credential)?.[1] ?? '';
      await gateway.stores.database.apiKey.update({ where: { id }, data: { revokedAt: new Date() } });
      await eventually(async () => (await send('a', { ...sent, credential })).status === 401, { withinMs: 3_000 });
      expect((await send('a', { ...sent, credential })).status).toBe(401);
    }
  });

  test('a key that is revoked meanwhile cuts its call off', async () => {
    const credential = await gateway.tenant.key();
    const sent = { credential, revision: '2025-11-25' };
    await send('a', sent);
    const cut = send('slow', sent).catch(() => null);
    const id = /^invoq_([^_]+)/.exec(credential)?.[1] ?? '';
    await gateway.stores.database.apiKey.update({ where: { id }, data: { revokedAt: new Date() } });
    expect((await cut)?.text ?? '').not.toContain('"isError":false');
    expect(await send('a')).toMatchObject({ status: 200 });
  });

  test('other credentials have their own rights, on one connection too', async () => {
    const other = await Tenant.create(givenStores().databaseUrl);
    tenants.push(other);
    const narrow = await gateway.tenant.key({ tools: ['test_cached'] });
    const keys = [key, await other.key(), narrow, 'invoq_none', key];
    await send('a');
    const { hostname, port, host } = new URL(gateway.url);
    const requests = keys.map((credential, index) => {
      const body = bodyOf('a', { id: index });
      const head = Object.entries(headersOf({ credential })).map(
        ([name, value]) => `${index % 2 === 0 ? name : name.toUpperCase()}: ${value}\r\n`,
      );
      return `POST /mcp HTTP/1.1\r\nHost: ${host}\r\n${head.join('')}Content-Length: ${Buffer.byteLength(body)}\r\n${index === keys.length - 1 ? 'Connection: close\r\n' : ''}\r\n${body}`;
    });
    const received = await new Promise<string>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port) });
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      socket.on('error', reject).on('close', () => resolve(text));
      socket.write(requests.join(''));
    });
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['200', '200', '200', '401', '200'].map((status) => `HTTP/1.1 ${status}`));
    expect(received.match(/"isError":false/g)).toHaveLength(3);
  });

  test(
    '64 callers at once take no more than the limit',
    async () => {
      await using limited = await startTestGateway({
        settings: { RATE_LIMIT_FREE: '40', TOOL_QUOTA_FREE: '1000' },
        handler: () => ({ ok: true, data: { made: 'x' } }),
      });
      const credential = await limited.tenant.key({ tier: 'free' });
      const startedAt = performance.now();
      const texts = await Promise.all(
        Array.from({ length: 64 }, async (_, index) => {
          const sent = { credential, id: index };
          const response = await fetch(`${limited.url}/mcp`, { method: 'POST', headers: headersOf(sent), body: bodyOf(`o${index}`, sent) });
          return response.text();
        }),
      );
      const passed = texts.filter((text) => text.includes('"isError":false')).length;
      const seconds = Math.ceil((performance.now() - startedAt) / 1_000) + 1;
      expect([passed >= 40, passed <= 40 * seconds, passed + texts.filter((text) => text.includes('RATE_LIMITED')).length]).toEqual([
        true,
        true,
        64,
      ]);
    },
    startTimeoutMs,
  );
});
