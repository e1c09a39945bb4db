// What real clients send to `/mcp` that the standard does not quite say. None of it does harm.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTimeoutMs } from '#lib/testing';
import { startTestGateway, type TestGateway } from '../../test-gateway.js';

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startTestGateway({ handler: async ({ head }) => ({ ok: true, data: { made: String(head.input['order']) } }) });
  key = await gateway.tenant.key();
}, startTimeoutMs);
afterAll(async () => gateway?.[Symbol.asyncDispose]());

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
}

async function post(body: unknown, { headers = {}, path = '/mcp' }: Sent = {}) {
  const response = await fetch(gateway.url.replace(/\/$/, '') + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const type = response.headers.get('content-type');
  const [, data = text] = /^data: (.*)$/m.exec(text) ?? [];
  return { status: response.status, type, body: data === '' ? null : JSON.parse(data), text };
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
};
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'make_thing', arguments: { order: 'a' } } };
const greeted = { status: 200, body: { id: 1, result: { serverInfo: { name: 'invoq' } } } };
const listed = { status: 200, body: { id: 1, result: { tools: expect.any(Array) } } };

describe('an Accept', () => {
  test.each(['*/*', 'application/json', 'application/*', 'application/json, */*;q=0.1', 'text/html, */*', ''])(
    'of %j is answered with JSON',
    async (accept) => {
      for (const message of [initialize, list])
        expect(await post(message, { headers: { accept } })).toMatchObject({
          status: 200,
          type: expect.stringContaining('application/json'),
          body: { id: 1, result: expect.anything() },
        });
    },
  );

  test.each([
    'text/event-stream',
    'text/event-stream, application/json',
    'application/json, text/event-stream',
    'TEXT/EVENT-STREAM',
    'application/json;q=0.9, text/event-stream;q=0.8',
  ])('of %j is answered', async (accept) => expect(await post(list, { headers: { accept } })).toMatchObject(listed));
});

describe('a batch', () => {
  test.each(['application/json', 'application/json, text/event-stream'])('has each of its lists whole, as %s', async (accept) => {
    const messages = [list, { ...list, id: 2, method: 'ping' }, { ...list, id: 2.5 }];
    const { text } = await post(messages, { headers: { accept } });
    const events = [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => data);
    const { tools } = (await post(list)).body.result;
    expect(tools.length).toBeGreaterThan(10);
    const answers: { readonly id: number }[] = JSON.parse(events.length > 0 ? `[${events.join()}]` : text);
    expect(answers.toSorted((one, other) => one.id - other.id)).toEqual([
      { jsonrpc: '2.0', id: 1, result: { tools } },
      { jsonrpc: '2.0', id: 2, result: {} },
      { jsonrpc: '2.0', id: 2.5, result: { tools } },
    ]);
  });
});

test.each(['application/json', 'application/json, text/event-stream'])(
  'a line separator within a text costs no answer: %s',
  async (accept) => {
    for (const id of [7, 2.5]) {
      const params = { name: 'test_plain', arguments: { order: 'a\u2028b\u2029c\u0085d' } };
      const response = await fetch(`${gateway.url}/mcp?result=data`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept },
        body: JSON.stringify({ ...call, id, params }),
      });
      const text = await response.text();
      const [, data = text] = /^data: ([^\n]*)$/m.exec(text) ?? [];
      expect(JSON.parse(data)).toMatchObject({ id, result: { structuredContent: { made: params.arguments.order } } });
    }
  },
);

describe('an address', () => {
  test.each(['/mcp/', '/mcp?', '/mcp/?result=data', '/mcp?utm_source=x', '//mcp', '/mcp//', '///mcp//?result=data'])(
    'of %s is ours',
    async (path) => {
      expect(await post(list, { path })).toMatchObject(listed);
    },
  );
});

describe('a header', () => {
  test.each([
    ['content-type', 'application/json-rpc'],
    ['content-type', 'application/jsonrequest; charset=utf-8'],
    ['content-type', 'application/vnd.api+json'],
    ['mcp-protocol-version', ''],
    ['mcp-protocol-version', '2025-06-18, 2025-06-18'],
    ['mcp-session-id', ''],
    ['mcp-session-id', 'x'.repeat(4_000)],
  ])('%s of %j does no harm', async (name, value) => {
    expect(await post(list, { headers: { [name]: value } })).toMatchObject(listed);
  });

  test.each(['1999-01-01', '2025-06-18, 2025-03-26'])('that names the revision %s is refused', async (value) => {
    const { status, body } = await post(list, { headers: { 'mcp-protocol-version': value } });
    expect([status, body]).toMatchObject([400, { error: { message: expect.stringContaining('version') } }]);
  });
});

describe('a greeting', () => {
  test.each<[string, object]>([
    ['capabilities that are null', { capabilities: null }],
    ['no capabilities', { capabilities: undefined }],
    ['capabilities that nobody knows', { capabilities: { tools: null, roots: null, sampling: true, experimental: null, extensions: [] } }],
    ['no name', { clientInfo: undefined }],
    ['a name that is null', { clientInfo: null }],
    ['half a name', { clientInfo: { name: 'c' } }],
    ['a revision that there is not', { protocolVersion: '2031-01-01' }],
    ['a revision of another kind', { protocolVersion: 'DRAFT-2026-v1' }],
    ['no revision', { protocolVersion: undefined }],
    ['fields that nobody knows', { more: 1, _meta: null }],
  ])('with %s is answered', async (_what, more) => {
    expect(await post({ ...initialize, params: { ...initialize.params, ...more } })).toMatchObject(greeted);
  });
});

describe('a message', () => {
  test.each<[string, object]>([
    ['params that are null', { params: null }],
    ['params that are a list', { params: [] }],
    ['a cursor that is null', { params: { cursor: null } }],
    ['a _meta that is null', { params: { _meta: null } }],
    ['a _meta that is text', { params: { _meta: 'x' } }],
    ['a token for progress that is half a number', { params: { _meta: { progressToken: 1.5 } } }],
    ['a token for progress that is an object', { params: { _meta: { progressToken: { a: 1 } } } }],
    ['fields that nobody knows', { session: 1, meta: {}, params: { more: 1 } }],
    ['no version', { jsonrpc: undefined }],
  ])('with %s is answered', async (_what, more) => {
    expect(await post({ ...list, ...more })).toMatchObject(listed);
  });

  test.each([0, -1, 'a', '', '0', 'x'.repeat(200), 1.5, 9_007_199_254_740_991, null])('with the id %j is answered with it', async (id) => {
    for (const accept of ['application/json', 'text/event-stream'])
      expect(await post({ ...list, id }, { headers: { accept } })).toMatchObject({
        status: 200,
        body: { id, result: { tools: expect.any(Array) } },
      });
  });

  test.each<[string, object]>([
    ['arguments that are null', { arguments: null }],
    ['no arguments', {}],
    ['a task that is null', { task: null }],
  ])('that calls a tool with %s is a call without parameters', async (_what, more) => {
    const { body } = await post({ ...call, params: { name: 'get_weather', ...more } });
    expect(body.result).toMatchObject({ isError: true, structuredContent: { error: { message: 'Missing required parameter: location' } } });
  });
});

describe('a fault is one of JSON-RPC, and says in words what is wrong', () => {
  test.each<[string, unknown, number, RegExp]>([
    ['a call without a name', { ...call, params: {} }, -32_602, /name/],
    ['a name that is a number', { ...call, params: { name: 5 } }, -32_602, /name/],
    ['arguments that are text', { ...call, params: { name: 'get_weather', arguments: '{}' } }, -32_602, /arguments/],
    ['arguments that are a list', { ...call, params: { name: 'get_weather', arguments: [] } }, -32_602, /arguments/],
    ['a tool that there is not', { ...call, params: { name: 'none' } }, -32_602, /none/],
    ['a method that there is not', { ...call, method: 'tools/none' }, -32_601, /ethod/],
    ['a method that is a number', { ...call, method: 5 }, -32_600, /method/],
    ['no method', { jsonrpc: '2.0', id: 1 }, -32_600, /method/],
    ['an id that is an object', { ...list, id: {} }, -32_600, /id/],
    ['params that are text', { ...list, params: 'x' }, -32_602, /params/],
    ['a cursor that is a number', { ...list, params: { cursor: 5 } }, -32_602, /cursor/],
    ['a message that is text', 'hello', -32_600, /object/],
    ['an empty batch', [], -32_600, /batch/i],
    ['a batch with a message that is none', [list, 5], -32_600, /object/],
  ])('%s', async (_what, message, code, words) => {
    for (const accept of ['application/json', 'application/json, text/event-stream']) {
      const { body, text, status } = await post(message, { headers: { accept } });
      expect(body).toMatchObject({ jsonrpc: '2.0', error: { code, message: expect.stringMatching(words) } });
      expect(status).toBeLessThan(500);
      expect(text).not.toMatch(/"code\\?":\s*\\?"invalid_|invalid_union|invalid_type|ZodError|\\n/);
    }
  });
});

test.each([
  ['an answer', { jsonrpc: '2.0', id: 'none', result: {} }],
  ['a fault', { jsonrpc: '2.0', id: 7, error: { code: 1, message: 'x' } }],
  ['a fault that answers nothing', { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'x' } }],
  ['a batch of them', [{ jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'x' } }]],
])('%s is taken without a word', async (_what, message) => {
  expect(await post(message)).toMatchObject({ status: 202, body: null });
});
