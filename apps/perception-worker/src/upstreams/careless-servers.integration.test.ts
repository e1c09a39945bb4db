// Servers as the world has them: the SDK's clients refuse them, and we do not.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '#lib/testing';
import { json, serve } from '../test-server.js';
import { replyTo, serveRaw, type RawAnswers } from './test-raw-server.js';
import { call, newName, openServices, register, withStores } from './test-upstreams.js';

withStores();

const good = { name: 'good', description: 'Does good.', inputSchema: { type: 'object' } };
const said = (of: string) => ({ kind: 'done', data: { content: [{ type: 'text', text: of }] } });

async function registered(answers: RawAnswers, more: object = {}) {
  const services = openServices({}, 60_000);
  const server = await serveRaw(answers);
  const name = newName();
  const result = await register(services, { name, url: server.url, ...more });
  return {
    services,
    server,
    name,
    result,
    [Symbol.asyncDispose]: async () => {
      await services[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test('one bad definition costs itself alone, and is told by name with the reason', async () => {
  const bad = { name: 'bad', inputSchema: 'text' };
  await using at = await registered({
    list: () => ({ tools: [good, bad, { ...good, name: 'careless', description: null, annotations: { title: null } }, null] }),
  });
  expect(at.result).toMatchObject({
    kind: 'done',
    data: {
      tools: [{ tool: 'good' }, { tool: 'careless' }],
      rejected: [
        { tool: 'bad', reason: 'its inputSchema must be an object, a JSON Schema' },
        { tool: '#4', reason: expect.stringContaining('its name') },
      ],
    },
  });
});

test('a list is read to its last page, however it ends', async () => {
  const pages = (cursor: string | undefined) => {
    const page = Number(cursor ?? 0);
    return { tools: [{ ...good, name: `t${page}` }], nextCursor: page < 119 ? String(page + 1) : null };
  };
  await using at = await registered({ list: pages });
  expect(Object(at.result).data.tools).toHaveLength(120);
});

test('a server that says little of itself is greeted', async () => {
  await using at = await registered({
    greeting: {
      protocolVersion: '2025-03-26',
      capabilities: { tools: { listChanged: true }, prompts: null, logging: true },
      serverInfo: null,
      instructions: null,
    },
  });
  expect(at.result).toMatchObject({ kind: 'done', data: { tools: [{ tool: 'echo' }] } });
});

test.each<[string, object, unknown]>([
  ['structured content and no blocks', { structuredContent: { a: 1 } }, { a: 1 }],
  ['blocks without a type', { content: [{ text: 'a' }] }, { content: [{ type: 'text', text: 'a' }] }],
  ['content that is null', { content: null, structuredContent: null, isError: null }, { content: [] }],
  ['a block that nobody knows', { content: [{ type: 'chart', series: [1] }] }, { content: [{ type: 'chart', series: [1] }] }],
])('an answer with %s is given', async (_what, answer, data) => {
  await using at = await registered({ call: () => answer });
  expect(await call(at.services, at.name, 'echo')).toMatchObject({ kind: 'done', data });
});

test('lines that end with CR alone are read', async () => {
  const send = (response: ServerResponse, message: object) =>
    void response.setHeader('content-type', 'text/event-stream').end(`event: message\rdata: ${JSON.stringify(message)}\r\r`);
  await using at = await registered({ send });
  expect(await call(at.services, at.name, 'echo')).toMatchObject(said('said'));
});

describe('a server that was restarted', () => {
  const rpc = (code: number, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } });
  test.each<[string, number, object | string]>([
    ['its example', 400, rpc(-32_000, 'Bad Request: No valid session ID provided')],
    ['the standard', 404, rpc(-32_001, 'Session not found')],
    ['the standard, without a word', 404, ''],
    ['one that is gone', 410, ''],
    ['one that forgot who greeted it', 400, rpc(-32_000, 'Bad Request: Server not initialized')],
    ['one that means the header', 400, rpc(-32_600, 'Missing session ID')],
    ['one that speaks of time', 401, 'session expired'],
    ['one in the answer of a call', 200, rpc(-32_000, 'Invalid or expired session')],
  ])('in the words of %s is greeted again, and the call goes on', async (_what, status, body) => {
    let calls = 0;
    const unknownSession = (response: ServerResponse) =>
      void response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(typeof body === 'string' ? body : JSON.stringify({ ...body, id: lastId() }));
    const lastId = (): unknown => at.server.asked.at(-1)?.id;
    await using at = await registered({ unknownSession, call: () => ({ content: [{ type: 'text', text: `call ${++calls}` }] }) });
    expect(await call(at.services, at.name, 'echo')).toMatchObject(said('call 1'));
    at.server.sessions.clear();
    expect(await call(at.services, at.name, 'echo')).toMatchObject(said('call 2'));
    // It writes, so it must not run twice.
    expect(calls).toBe(2);
  });

  test('and knows no session ever again is given up, with the reason', async () => {
    const known = new Set<string>();
    await using at = await registered({ unknownSession: (response) => void response.writeHead(404).end() });
    at.server.sessions.clear();
    at.server.sessions.add = () => known;
    expect(await call(at.services, at.name, 'echo')).toMatchObject({ kind: 'failed', failure: 'network' });
  });

  test('and fails twice in a row in words of its own is asked on a new connection', async () => {
    let isBroken = false;
    const send = (response: ServerResponse, message: object) =>
      isBroken && 'result' in message && JSON.stringify(message).includes('said')
        ? void response.writeHead(500).end('worker 7 has no state')
        : void response.setHeader('content-type', 'application/json').end(JSON.stringify(message));
    await using at = await registered({ send });
    const greetings = () => at.server.asked.filter(({ method }) => method === 'initialize').length;
    expect(await call(at.services, at.name, 'echo')).toMatchObject(said('said'));
    isBroken = true;
    const before = greetings();
    for (let time = 0; time < 2; time++)
      expect(await call(at.services, at.name, 'echo')).toMatchObject({ kind: 'failed', failure: 'service' });
    expect(greetings()).toBe(before);
    isBroken = false;
    expect(await call(at.services, at.name, 'echo')).toMatchObject(said('said'));
    expect(greetings()).toBe(before + 1);
  });
});

test('a server of the transport of 2024 is spoken to in it', async () => {
  const streams = new Map<string, ServerResponse>();
  const listen = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    if (request.method === 'GET' && pathname === '/sse') {
      const session = String(streams.size + 1);
      streams.set(session, response);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`event: endpoint\ndata: /messages?session=${session}\n\n`);
      return;
    }
    const stream = streams.get(searchParams.get('session') ?? '');
    if (request.method !== 'POST' || pathname !== '/messages' || !stream) return void response.writeHead(404).end('Session not found');
    const asked = JSON.parse(body);
    response.writeHead(202).end('Accepted');
    if (asked.id !== undefined) stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...replyTo(asked, {}) })}\n\n`);
  };
  await using server = await serve(listen);
  await using services = openServices({}, 60_000);
  const name = newName();
  expect(await register(services, { name, url: new URL('/sse', server.url).href })).toMatchObject({
    kind: 'done',
    data: { kind: 'mcp', tools: [{ tool: 'echo' }] },
  });
  expect(await call(services, name, 'echo')).toMatchObject(said('said'));
  for (const stream of streams.values()) stream.end();
  streams.clear();
  expect(await call(services, name, 'echo')).toMatchObject(said('said'));
});

test.each<[string, Parameters<typeof serve>[0], RegExp]>([
  ['an OpenAPI document', json({ openapi: '3.1.0', info: {}, paths: {} }), /is an OpenAPI document/],
  ['an OpenAPI document in YAML', (_request, response) => response.end('openapi: 3.0.3\ninfo:\n'), /is an OpenAPI document/],
  ['a web page', (_request, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><p>Docs'), /is a web page/],
  ['some JSON', json({ hello: 'world' }), /not in the Model Context Protocol/],
  ['nothing', (_request, response) => response.writeHead(404).end(), /is the path right/],
])('an address of %s gets the advice that fits', async (_what, listener, advice) => {
  await using server = await serve(listener);
  await using services = openServices();
  for (const kind of ['auto', 'mcp'])
    expect(await register(services, { name: newName(), url: server.url.href, kind })).toMatchObject({
      kind: 'refused',
      error: { message: expect.stringMatching(advice) },
    });
});

describe('a command', () => {
  const raw = (before: string) => `
    ${before}
    const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (method === 'initialize') say({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'c', version: '1' } } });
      else if (method === 'tools/list') say({ id, result: { tools: [{ name: 'echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] } });
      else if (method === 'tools/call') say({ id, result: { content: [{ type: 'text', text: String(process.pid) }] } });
      else if (id !== undefined) say({ id, error: { code: -32601, message: 'no' } });
    });`;
  const commandOf = (script: string) => ({ commands: { it: { command: process.execPath, args: ['-e', script] } } });
  const registerCommand: typeof register = (services, input) => register(services, { ...input, stdio: 'it', tenants: '*' }, ['admin']);
  const slow = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);`;

  test('that takes longer to start than a call may last is there for a later call', async () => {
    const name = newName();
    await using registering = openServices(commandOf(raw(slow)));
    expect(await registerCommand(registering, { name, timeout_ms: 1_000 })).toMatchObject({ kind: 'done' });
    await using services = openServices(commandOf(raw(slow)), 60_000);
    expect(await call(services, name, 'echo')).toMatchObject({ kind: 'failed', failure: 'timeout' });
    await eventually(async () => (await call(services, name, 'echo')).kind === 'done');
  });

  test('that ended is started again', async () => {
    const name = newName();
    await using services = openServices(commandOf(raw('')), 60_000);
    await registerCommand(services, { name });
    const pidOf = (result: Awaited<ReturnType<typeof call>>) => Number(Object(result).data.content[0].text);
    const first = pidOf(await call(services, name, 'echo'));
    process.kill(first, 'SIGKILL');
    await eventually(async () => {
      const result = await call(services, name, 'echo');
      return result.kind === 'done' && pidOf(result) !== first;
    });
  });

  test('that ends at once is refused with what it wrote', async () => {
    await using services = openServices(commandOf(`console.error('TOKEN is not set'); process.exit(1)`));
    expect(await registerCommand(services, { name: newName() })).toMatchObject({
      kind: 'refused',
      error: { message: expect.stringContaining('did not start; the last that it wrote: TOKEN is not set') },
    });
  });
});
