import type { RequestListener } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '#lib/testing';
import { json, serve } from '../test-server.js';
import { AddressRefused } from '#lib/platform';
import { documents } from '../openapi/test-documents.js';
import { discover } from './discover.js';

const rules = { allowedHosts: [], allowPrivate: true, commands: {}, documents };
const server = {
  tenantId: null,
  name: 's',
  headers: {},
  credentials: {},
  connection: null,
  mayAsk: [],
  apps: { domains: [], permissions: [] },
  account: null,
};
const never = new AbortController().signal;
const definition = { name: 'echo', description: 'Say it again.', parameters: { type: 'object' } };

function discoverAt(url: URL, kind: 'auto' | 'mcp' | 'rest', options: { withinMs?: number; signal?: AbortSignal } = {}) {
  const connected: string[] = [];
  const found = discover({ ...server, url: url.href, stdio: null, kind }, rules, {
    signal: never,
    onConnected: () => void connected.push('connected'),
    withinMs: 15_000,
    ...options,
  });
  return { found, connected };
}

test('a server is asked for its tools, and the caller learns when the connection is there', async () => {
  await using server = await serve(json({ tools: [definition] }));
  const { found, connected } = discoverAt(server.url, 'rest');
  expect(await found).toMatchObject({ kind: 'rest', revision: null, tools: [{ name: 'echo' }], malformed: [] });
  expect(connected).toEqual(['connected']);
});

describe.each(['auto', 'mcp', 'rest'] as const)('a server of the kind %s', (kind) => {
  test.each<[string, RequestListener]>([
    ['never answers', () => undefined],
    ['sends headers and no body', (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()],
    [
      'sends its answer in drops',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const timer = setInterval(() => response.write(': still here\n\n'), 20).unref();
        response.on('close', () => clearInterval(timer));
      },
    ],
  ])('that %s is cut off', async (_name, listener) => {
    await using server = await serve(listener);
    await expect(discoverAt(server.url, kind, { withinMs: 300 }).found).rejects.toMatchObject({
      kind: 'timeout',
      message: "the server did not list its tools within 0.3 s; a larger 'timeout_ms' gives it more",
    });
  });
});

test.each(['auto', 'mcp', 'rest'] as const)('a server of the kind %s that was cut off keeps no connection', async (kind) => {
  let open = 0;
  await using server = await serve((_request, response) => {
    open++;
    response.on('close', () => open--);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': still here\n\n');
  });
  await expect(discoverAt(server.url, kind, { withinMs: 300 }).found).rejects.toMatchObject({ kind: 'timeout' });
  await eventually(() => open === 0);
});

test('a caller that stops gets its own reason, not that of the time limit', async () => {
  await using server = await serve(() => undefined);
  const stop = new AbortController();
  const { found } = discoverAt(server.url, 'mcp', { signal: stop.signal });
  stop.abort(new Error('the call was cancelled'));
  await expect(found).rejects.toThrow('the call was cancelled');
});

test('a command that is not on the list is refused', async () => {
  const to = { ...server, url: null, stdio: 'shell', kind: 'mcp' } as const;
  await expect(discover(to, rules, { signal: never, onConnected: () => undefined, withinMs: 15_000 })).rejects.toThrow(AddressRefused);
});
