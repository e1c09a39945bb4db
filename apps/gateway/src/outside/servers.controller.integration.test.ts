import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TestHttpGateway } from '../test-http-gateway.js';

let gateway: TestHttpGateway;
beforeAll(async () => {
  gateway = await TestHttpGateway.start();
});
afterAll(async () => gateway[Symbol.asyncDispose]());

test.each(['a\r\nb', '中文', 'a\u007f'])('a header that HTTP cannot send is named: %j', async (value) => {
  const server = { name: 'docs', url: 'https://tools.example.com/mcp', headers: { 'x-token': value } };
  const { status, body } = await gateway.post('/mcp/servers', server, gateway.admin);
  expect([status, JSON.parse(body)]).toMatchObject([400, { error: { code: 'INVALID_PARAMS', details: [{ path: 'headers.x-token' }] } }]);
});
