// The edge answers what comes again at every door in the form of that door.
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually, startTimeoutMs } from '#lib/testing';
import { order, TestEdge } from './test-edge.js';

let edge: TestEdge;

beforeAll(async () => {
  edge = await TestEdge.start({});
}, startTimeoutMs);
afterAll(async () => edge?.[Symbol.asyncDispose]());

interface Door {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body for these parameters, as text, in the message of this id. */
  readonly body: (parameters: string, id: number | string) => string;
}

const plain = (parameters: string): string => parameters;
const stream = { accept: 'text/event-stream' };
const mcp = { accept: 'application/json, text/event-stream' };
const meta = JSON.stringify({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
});
const doors: Readonly<Record<string, Door>> = {
  'data alone': { path: '/tools/test_cached?result=data', body: plain },
  stream: { path: '/tools/test_cached/sse', headers: stream, body: plain },
  'stream at the address of the tool': { path: '/tools/test_cached', headers: stream, body: plain },
  'MCP of 2025': {
    path: '/mcp',
    headers: { ...mcp, 'mcp-protocol-version': '2025-11-25' },
    body: (parameters, id) =>
      `{"method":"tools/call","params":{"name":"test_cached","arguments":${parameters}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`,
  },
  'MCP of 2026': {
    path: '/mcp?result=data',
    headers: { ...mcp, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'test_cached' },
    body: (parameters, id) =>
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":{"name":"test_cached","arguments":${parameters},"_meta":${meta}}}`,
  },
};

async function send(credential: string, { path, headers = {}, body }: Door, parameters: string, id: number | string) {
  const before = edge.answers;
  const response = await fetch(`${edge.gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json', ...headers },
    body: body(parameters, id),
  });
  const text = await response.text();
  const atEdge = edge.answers > before;
  // What is learnt is learnt when the answer has been read.
  await setTimeout(20);
  return { status: response.status, headers: response.headers, text, atEdge };
}

/** What is of one answer alone is left out. */
const alike = (text: string) =>
  text
    .replaceAll(/trace_\d+_[\w-]+|evt_[\w-]+|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…')
    .replaceAll(/(\\*"(?:total_ms|ttl_remaining)\\*":)[\d.]+/g, '$1…');

describe.each(Object.entries(doors))('%s', (_name, door) => {
  test('is answered as by the general way, and seen by the limits and rights of its caller', async () => {
    const key = await edge.gateway.tenant.key();
    const parameters = order();
    let general = await send(key, door, parameters, 1);
    let last = general;
    for (let id = 2; id < 30 && !last.atEdge; id++) {
      general = last;
      last = await send(key, door, parameters, id);
    }
    expect([last.atEdge, last.status, alike(last.text)]).toEqual([true, 200, expect.any(String)]);
    const ofMessage = (text: string) => text.replace(/"id":\d+(?=[,}])/, '"id":…');
    expect(ofMessage(alike(last.text))).toBe(ofMessage(alike(general.text)));
    const constant = [...general.headers].filter(
      ([name]) => !/^(x-trace-id|x-request-id|traceparent|content-length|transfer-encoding|date|keep-alive|connection)$/.test(name),
    );
    for (const [name, value] of constant) expect([name, last.headers.get(name)]).toEqual([name, value]);
    const text = await send(key, door, parameters, 'text-7');
    expect(text.atEdge).toBe(true);
    if (door.path.startsWith('/mcp')) expect(text.text).toContain('"id":"text-7"');
    // Ids that are found in no place, and other words, are left to the general way.
    for (const [given, id] of [
      [order(), 1],
      [parameters, 1.5],
      [parameters.replace('{', '{ '), 1],
    ] as const)
      if (given !== parameters || door.path.startsWith('/mcp')) expect((await send(key, door, given, id)).atEdge).toBe(false);
    const other = await edge.gateway.tenant.key({ tools: ['test_plain'] });
    expect((await send(other, door, parameters, 1)).atEdge).toBe(false);
    const id = /^invoq_([^_]+)/.exec(key)?.[1] ?? '';
    await edge.gateway.stores.database.apiKey.update({ where: { id }, data: { revokedAt: new Date() } });
    await eventually(async () => (await send(key, door, parameters, 1)).status === 401, { withinMs: 3_000 });
    expect(await send(key, door, parameters, 1)).toMatchObject({ status: 401, atEdge: false });
  });
});
