// Whatever an outside server answers, a call of its tool ends as the server's fault, not as ours.
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { call, openServices, register, tool, withServer, withStores } from './test-upstreams.js';

withStores();

const json = { 'content-type': 'application/json' };
const raw = (text: string) => (response: ServerResponse) => void response.socket?.end(text);

const ways: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  nothing: (response) => response.writeHead(200, json).end(),
  'no content': (response) => response.writeHead(204).end(),
  'a page': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
  'a page called JSON': (response) => response.writeHead(200, json).end('<html>'),
  'any JSON': (response) => response.writeHead(200, json).end('[null,{"jsonrpc":1}]'),
  'JSON without end': (response) => response.writeHead(200, json).end('{"a":'.repeat(100_000)),
  'deep JSON': (response) => response.writeHead(200, json).end(`${'['.repeat(20_000)}${']'.repeat(20_000)}`),
  'another alphabet': (response) => response.writeHead(200, { 'content-type': 'application/json; charset=utf-16' }).end('{"a":1}'),
  'what is not compressed': (response) => response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end('{"a":1}'),
  'what is half compressed': (response) =>
    response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync('{"a":1}'.repeat(99)).subarray(0, 12)),
  'a way to nowhere': (response) => response.writeHead(307, { location: 'http://[' }).end(),
  'a way to a file': (response) => response.writeHead(307, { location: 'file:///etc/passwd' }).end(),
  'a way to itself': (response) => response.writeHead(307, { location: '' }).end(),
  'too many headers': (response) =>
    response.writeHead(200, Array.from({ length: 3_000 }, (_, index) => [`x-${index}`, 'a'.repeat(9)]).flat()).end('{}'),
  'too much': (response) => response.writeHead(200, json).end(`"${' '.repeat(9 * 2 ** 20)}"`),
  'no HTTP': raw('SSH-2.0-x\r\n'),
  'a status that is none': raw('HTTP/1.1 999 x\r\n\r\n'),
  'a length that is none': raw('HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n'),
  'a chunk that is none': raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
  'an error of its own': (response) => response.writeHead(500, json).end('{}'),
  'an error that is none': (response) => response.writeHead(400, json).end('{"error":{"message":null}}'),
};

const names = Object.keys(ways);
type Result = Awaited<ReturnType<typeof call>>;

describe.each(['mcp', 'rest'] as const)('of a server of %s', (shape) => {
  let at: Awaited<ReturnType<typeof withServer>>;
  beforeAll(async () => {
    at = await withServer(shape);
    at.server.tools = [tool('steady', { annotations: { readOnlyHint: true } })];
    await using services = openServices();
    expect(await register(services, { name: at.name, url: at.url })).toMatchObject({ kind: 'done' });
  });
  afterAll(() => at[Symbol.asyncDispose]());

  /** How a call ends when every answer is spoiled from now on. */
  async function callWith(name: string, services: ReturnType<typeof openServices>): Promise<Result> {
    at.server.before = (_, response) => (ways[name]?.(response), true);
    try {
      return await call(services, at.name, 'steady');
    } finally {
      at.server.before = () => false;
    }
  }

  test.each(names)('%s, to a connection', async (name) => {
    await using services = openServices({}, 60_000);
    expectNotOurs(await callWith(name, services));
  });

  test.each(names)('%s, to a call', async (name) => {
    await using services = openServices({}, 60_000);
    expect(await call(services, at.name, 'steady')).toMatchObject({ kind: 'done' });
    expectNotOurs(await callWith(name, services));
    // The connection is not used again when its state is unknown.
    expect(await call(services, at.name, 'steady')).toMatchObject({ kind: 'done' });
  });
});

test('data that the tool itself has not declared is given with a warning that names the field', async () => {
  await using services = openServices();
  await using at = await withServer();
  const outputSchema = { type: 'object' as const, properties: { word: { type: 'string' } }, required: ['word'] };
  at.server.tools = [tool('strict', { outputSchema })];
  at.server.answer = () => ({ content: [], structuredContent: { word: 1 } });
  await register(services, { name: at.name, url: at.url });
  expect(await call(services, at.name, 'strict')).toMatchObject({
    kind: 'done',
    data: { word: 1 },
    warnings: [expect.stringContaining("the field 'word' must be string, not number")],
  });
});

/** Some of the answers are data to a server of REST, which may answer any JSON. */
function expectNotOurs(result: Result): void {
  if (result.kind === 'failed') expect(result).not.toMatchObject({ failure: 'internal' });
  else expect(['done', 'refused']).toContain(result.kind);
}
