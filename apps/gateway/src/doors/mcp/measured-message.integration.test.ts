// Messages are measured by OpenTelemetry's conventions for MCP, whichever way they are answered.
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CollectedMeasures, eventually, startTimeoutMs } from '#lib/testing';
import { startTestGateway, type TestGateway } from '../../test-gateway.js';

const revision = '2025-11-25';
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway({
    handler: async ({ head }) =>
      head.input['order'] === 'sold out'
        ? { ok: false, error: { code: 'RESOURCE_NOT_FOUND', family: 'RESOURCE_NOT_FOUND', message: 'None left' } }
        : { ok: true, data: { made: head.input['order'] } },
  });
  key = await gateway.tenant.key();
}, startTimeoutMs);
afterAll(async () => gateway?.[Symbol.asyncDispose]());

async function send(message: object | string, headers: Readonly<Record<string, string>> = {}, method = 'POST'): Promise<Response> {
  const response = await fetch(`${gateway.url}/mcp`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      ...headers,
    },
    ...(method === 'POST' && { body: JSON.stringify(message) }),
  });
  await response.text();
  // What the SDK has served is learnt when it has been read.
  await setTimeout(20);
  return response;
}

const called = (name: string, order = 'tea') => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: { order } },
});
const connection = {
  'mcp.protocol.version': revision,
  'network.transport': 'tcp',
  'network.protocol.name': 'http',
  'network.protocol.version': '1.1',
};
const ofTool = (name: string) => ({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name });
const operation = 'mcp.server.operation.duration';

test('each by its method, its tool and what became of it', async () => {
  await using measures = new CollectedMeasures();
  // By the SDK, and in words that it has served before.
  for (let n = 0; n < 4; n++) await send(called('test_plain', `tea ${n}`));
  await send(called('test_plain', 'sold out'));
  await send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  const points = await eventually(
    async () => {
      const all = await measures.of(operation);
      return all.reduce((sum, { count }) => sum + count, 0) === 6 ? all : null;
    },
    { what: 'six messages' },
  );
  const call = { ...connection, 'mcp.method.name': 'tools/call', ...ofTool('test_plain') };
  expect(points.map(({ attributes, count }) => ({ attributes, count }))).toEqual(
    expect.arrayContaining([
      { attributes: call, count: 4 },
      { attributes: { ...call, 'error.type': 'tool_error' }, count: 1 },
      { attributes: { ...connection, 'mcp.method.name': 'tools/list' }, count: 1 },
    ]),
  );
  expect(points.every(({ sum, count }) => sum > 0 && sum < count * 30)).toBe(true);
});

test('what the edge answers again is counted again', async () => {
  await using measures = new CollectedMeasures();
  for (let n = 0; n < 12; n++) await send(called('test_cached', 'coffee'));
  await eventually(
    async () => {
      const [point, ...others] = await measures.of(operation);
      return point?.count === 12 && others.length === 0 && point.attributes['gen_ai.tool.name'] === 'test_cached';
    },
    { what: 'twelve calls' },
  );
});

test('words of strangers make no series', async () => {
  await using measures = new CollectedMeasures();
  for (let n = 0; n < 5; n++) {
    await send({ jsonrpc: '2.0', id: 1, method: `stranger/${n}` }, { 'mcp-protocol-version': revision });
    await send(called(`stranger_${n}`));
    await send({ jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: `stranger_${n}` } });
    await send({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-protocol-version': `stranger-${n}` });
  }
  const points = await eventually(
    async () => {
      const all = await measures.of(operation);
      return all.reduce((sum, { count }) => sum + count, 0) === 20 ? all : null;
    },
    { what: 'twenty messages' },
  );
  expect(JSON.stringify(points)).not.toContain('stranger');
  expect(points).toHaveLength(4);
  const unknown = points.find(({ attributes }) => attributes['mcp.method.name'] === '_OTHER');
  // The fault is the sender's: by the convention no error of ours.
  expect(unknown?.attributes).toEqual({ ...connection, 'mcp.method.name': '_OTHER', 'rpc.response.status_code': '-32601' });
});

test('a session is measured when its client ends it, and only one of ours', async () => {
  await using measures = new CollectedMeasures();
  const greeting = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  };
  const id = (await send(greeting)).headers.get('mcp-session-id') ?? '';
  await setTimeout(50);
  await send('', { 'mcp-session-id': id }, 'DELETE');
  for (const other of ['x', 'ffffffff-ffff-7fff-8fff-ffffffffffff', '0198c0de-0000-4000-8000-000000000000'])
    await send('', { 'mcp-session-id': other }, 'DELETE');
  const points = await measures.of('mcp.server.session.duration');
  const { 'network.protocol.version': _version, ...attributes } = connection;
  expect(points).toEqual([{ attributes, count: 1, sum: expect.any(Number) }]);
  expect(points[0]?.sum).toBeGreaterThan(0.04);
  expect(points[0]?.sum).toBeLessThan(30);
});
