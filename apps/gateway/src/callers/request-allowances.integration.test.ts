import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TestHttpGateway, type TestAnswer } from '../test-http-gateway.js';

let gateway: TestHttpGateway;
beforeAll(async () => {
  gateway = await TestHttpGateway.start({ REQUESTS_PER_CREDENTIAL: '4', REQUESTS_PER_ADDRESS: '4' });
});
afterAll(async () => gateway[Symbol.asyncDispose]());

const newUser = async (): Promise<string> => `Bearer ${await gateway.tenant.key()}`;
/** Sends one request again and again, until one is refused for coming too fast or so many were sent. */
async function flood(send: () => Promise<TestAnswer>, most = 60): Promise<{ readonly sent: number; readonly last: TestAnswer }> {
  for (let sent = 1; ; sent++) {
    const last = await send();
    if (last.status === 429 || sent === most) return { sent, last };
  }
}
const mcp = (method: string, params: object, authorization: string, query = '') =>
  gateway.send(`/mcp${query}`, {
    method: 'POST',
    authorization,
    headers: { accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });

describe('every request of a credential takes from its allowance', () => {
  test.each([
    ['reads', 60, (key: string) => gateway.send('/jobs', { authorization: key })],
    ['documents', 60, (key: string) => gateway.send('/openapi.json', { authorization: key })],
    ['tickets', 60, (key: string) => gateway.post('/tickets', {}, key)],
    ['unknown paths', 60, (key: string) => gateway.send('/no/such/path', { authorization: key })],
    ['methods that are not there', 60, (key: string) => gateway.send('/jobs', { method: 'PUT', authorization: key })],
    ['calls that break the contract', 60, (key: string) => gateway.post('/tools/calc_metrics', { height_cm: 'tall' }, key)],
    ['calls of unknown tools', 60, (key: string) => gateway.post('/tools/no_such_tool', {}, key)],
    ['native calls that break the contract', 60, (key: string) => gateway.post('/aurawell/CalcMetrics', {}, key)],
    [
      'bodies that are no JSON',
      60,
      (key: string) => gateway.send('/tools/calc_metrics', { method: 'POST', authorization: key, body: '{' }),
    ],
    ['lists of MCP', 60, (key: string) => mcp('tools/list', {}, key)],
    ['refused calls of MCP', 60, (key: string) => mcp('tools/call', { name: 'calc_metrics', arguments: {} }, key)],
    ['calls of unknown tools over MCP', 60, (key: string) => mcp('tools/call', { name: 'no_such_tool', arguments: {} }, key)],
    [
      'calls over MCP of tools that the address does not have',
      60,
      (key: string) => mcp('tools/call', { name: 'calc_metrics', arguments: {} }, key, '?domain=memotree'),
    ],
    ['searches of MCP', 10, (key: string) => mcp('tools/call', { name: 'search_tools', arguments: { query: 'x' } }, key, '?tools=search')],
    [
      'searches of MCP as calls of the tool that calls others',
      10,
      (key: string) =>
        mcp('tools/call', { name: 'call_tool', arguments: { name: 'search_tools', arguments: { query: 'x' } } }, key, '?tools=search'),
    ],
    [
      'calls over MCP of tools that are not found',
      60,
      (key: string) => mcp('tools/call', { name: 'call_tool', arguments: { name: 'none', arguments: {} } }, key, '?tools=search'),
    ],
    ['scopes that are lacking', 60, (key: string) => gateway.send('/keys', { authorization: key })],
  ])('%s', async (...[, most, send]) => {
    const key = await newUser();
    const { sent, last } = await flood(() => send(key), most);
    expect(last.status).toBe(429);
    expect(sent).toBeGreaterThan(2);
    expect(last.headers).toMatchObject({ 'retry-after': expect.stringMatching(/^[1-9]$/), 'ratelimit-policy': '"default";q=4;w=1' });
    // Nobody else is any slower.
    expect((await gateway.send('/jobs', { authorization: await newUser() })).status).toBe(200);
  });

  test.each([
    ['many values', `{"a":[${'1,'.repeat(19_000)}1]}`],
    ['many bytes', `{"a":"${'x'.repeat(250_000)}"}`],
    ['many names', `{${Array.from({ length: 19_000 }, (_, index) => `"k${index}":1`).join(',')}}`],
    ['too many values', `{"a":[${'1,'.repeat(120_000)}1]}`],
  ])('a body of %s counts as several requests', async (_what, body) => {
    const key = await newUser();
    // The burst is 20 points, and a refused call takes one.
    const { sent, last } = await flood(() => gateway.send('/tools/calc_metrics', { method: 'POST', authorization: key, body }));
    expect(last.status).toBe(429);
    expect(sent).toBeLessThanOrEqual(10);
  });

  test.each([
    [
      'dear bodies',
      async (key: string) =>
        gateway.send('/tools/calc_metrics', { method: 'POST', authorization: key, body: `{"a":[${'1,'.repeat(19_000)}1]}` }),
    ],
    [
      'batches of MCP',
      async (key: string) =>
        gateway.send('/mcp', {
          method: 'POST',
          authorization: key,
          headers: { accept: 'application/json, text/event-stream' },
          body: JSON.stringify(Array.from({ length: 50 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }))),
        }),
    ],
  ])('many %s that come at once are not all worked on', async (_what, send) => {
    const key = await newUser();
    const statuses = (await Promise.all(Array.from({ length: 20 }, async () => send(key)))).map(({ status }) => status);
    expect(statuses.filter((status) => status < 429).length).toBeLessThanOrEqual(4);
  });

  test('a batch of many lines counts as several requests', async () => {
    const key = await newUser();
    const calls = Array.from({ length: 3_000 }, () => ({ name: 'none', arguments: {} }));
    expect((await flood(() => gateway.post('/batches', { calls }, key), 8)).sent).toBeLessThanOrEqual(2);
  });

  test('so does one that MCP refuses', async () => {
    const key = await newUser();
    const { sent } = await flood(() =>
      mcp('ping', Object.fromEntries(Array.from({ length: 19_000 }, (_, index) => [`k${index}`, 1])), key),
    );
    expect(sent).toBeLessThanOrEqual(4);
  });

  test('a visitor that sends dear bodies takes more of the allowance of its address', async () => {
    const body = `{"a":[${'1,'.repeat(19_000)}1]}`;
    const { sent } = await flood(() => gateway.send('/chat/v5/guest/stream', { method: 'POST', body }));
    expect(sent).toBeLessThanOrEqual(3);
  });

  test('a batch of refused calls counts as each of them', async () => {
    const key = await newUser();
    const calls = Array.from({ length: 30 }, (_, id) => ({ id, name: 'no_such_tool' }));
    expect((await gateway.post('/tools/batch', { calls }, key)).status).toBe(200);
    expect((await gateway.send('/jobs', { authorization: key })).status).toBe(429);
  });

  test('a refusal has the form of its door', async () => {
    const key = await newUser();
    await flood(() => gateway.send('/jobs', { authorization: key }));
    expect(JSON.parse((await mcp('tools/list', {}, key)).body)).toMatchObject({
      jsonrpc: '2.0',
      error: { data: { code: 'RATE_LIMITED' } },
    });
    expect(JSON.parse((await gateway.send('/tools', { authorization: key })).body)).toMatchObject({
      success: false,
      error: { code: 'RATE_LIMITED', retryable: true },
    });
  });
});

describe('requests without a credential', () => {
  test('take from the allowance of their address, and keep nobody out who has one', async () => {
    const { last } = await flood(() => gateway.send('/skills'));
    expect(last.status).toBe(429);
    expect((await gateway.post('/chat/v5/guest/stream', { message: 'hi' }, '')).status).toBe(429);
    expect((await gateway.send('/jobs', { authorization: await newUser() })).status).toBe(200);
    // Who watches over the process is always answered.
    expect((await gateway.send('/healthz')).status).toBe(200);
  });
});
