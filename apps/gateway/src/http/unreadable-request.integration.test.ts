import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TestHttpGateway } from '../test-http-gateway.js';

let gateway: TestHttpGateway;
beforeAll(async () => {
  gateway = await TestHttpGateway.start();
});
afterAll(async () => gateway[Symbol.asyncDispose]());

test('a request about the server as a whole is answered as one for an unknown path', async () => {
  const { status, headers, body } = await gateway.send('*', { method: 'OPTIONS', authorization: gateway.user });
  expect([status, JSON.parse(body)]).toMatchObject([
    404,
    { success: false, error: { code: 'RESOURCE_NOT_FOUND' }, metadata: { trace_id: headers['x-trace-id'] } },
  ]);
});

test.each(['x', '', '200-ok, 100-continue'])('an expectation that nobody knows is ignored: %j', async (expectation) => {
  const { status, headers } = await gateway.send('/tools', { authorization: gateway.user, headers: { expect: expectation } });
  expect([status, headers['x-trace-id']]).toEqual([200, expect.stringMatching(/^trace_/)]);
});

test.each([
  ['{"a":', 400, 'INVALID_PARAMS', expect.stringContaining('not valid JSON')],
  ['"'.padEnd(300_000, 'x'), 413, 'PAYLOAD_TOO_LARGE', expect.stringContaining('262144')],
])('a refused body of a request that another site announces has an envelope: %.10s', async (sent, expected, code, message) => {
  const headers = { 'content-length': String(sent.length), origin: 'http://a.example', 'access-control-request-method': 'POST' };
  const { status, body } = await gateway.send('/nothing', { method: 'OPTIONS', authorization: gateway.user, headers, body: sent });
  expect([status, JSON.parse(body)]).toMatchObject([expected, { success: false, error: { code, message } }]);
});

test.each(['/livez', '/tools'])('a request of HTTP/1.1 without a Host is refused with an envelope: %s', async (path) => {
  const socket = connect(gateway.port, '127.0.0.1');
  socket.end(`GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 400 [^]*x-trace-id: trace_/);
  expect(JSON.parse(body)).toMatchObject({ error: { message: 'The Host header is missing' } });
});

test('a CONNECT is refused with an envelope', async () => {
  const socket = connect(gateway.port, '127.0.0.1');
  socket.write('CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n');
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 405 [^]*x-trace-id: trace_[^]*allow:/i);
  expect(JSON.parse(body)).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED', message: expect.stringContaining('no proxy') } });
});

test('a part of the path that is too long is refused, and the answer says how long it may be', async () => {
  const { status, body } = await gateway.send(`/jobs/${'a'.repeat(301)}`, { authorization: gateway.user });
  expect([status, JSON.parse(body)]).toMatchObject([400, { error: { message: expect.stringContaining('300 characters') } }]);
});

const ping = {
  method: 'POST',
  body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  headers: { accept: 'application/json, text/event-stream' },
};
const pong = { status: 200, body: expect.stringContaining('"result":{}') };

test.each(['http://127.0.0.1/mcp', 'http://localhost:1/mcp', 'http://a@b/mcp', 'HTTPS://x/mcp?a=b'])(
  'MCP is served where the target has a server in front of the path: %s',
  async (target) => {
    expect(await gateway.send(target, { ...ping, authorization: gateway.user })).toMatchObject(pong);
  },
);

test('MCP is served behind a proxy whatever the Host says', async () => {
  await using open = await TestHttpGateway.start({ HOST: '0.0.0.0' });
  for (const host of ['tools.example.com', '[', 'a b', 'a:b', '%', 'a/b?c', '']) {
    const answer = await open.send('/mcp', { ...ping, authorization: open.user, headers: { ...ping.headers, host } });
    expect({ host, ...answer }).toMatchObject({ host, ...pong });
  }
});
