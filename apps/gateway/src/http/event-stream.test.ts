import { connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import type { ServerSentEvent } from '#lib/contracts';
import { eventually } from '#lib/testing';
import { Metrics } from '#lib/transport';
import { EventStream } from './event-stream.js';
import { takeOver } from './take-over.js';

const servers: FastifyInstance[] = [];
const progress = (id: string, data: unknown = { progress: 1 }): ServerSentEvent => ({ event: 'tool_progress', id, data });

afterEach(async () => {
  jest.useRealTimers();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A server whose only route is an event stream that the test holds in its hand. */
async function serve() {
  const sent: string[] = [];
  let ends = 0;
  const opened = Promise.withResolvers<EventStream>();
  const server = Fastify({ forceCloseConnections: true });
  servers.push(server);
  server.get('/', async (_request, reply) => {
    void reply.header('x-kept', 'yes');
    const stream = new EventStream(takeOver(reply, EventStream.headers), {
      metrics: new Metrics(),
      onSent: ({ id }) => sent.push(id),
      onEnd: () => (ends += 1),
    });
    opened.resolve(stream);
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, stream: opened.promise, sent, ends: () => ends };
}

describe('an event stream', () => {
  test('has the headers that proxies need to pass it on, and those that were set before', async () => {
    const server = await serve();
    const response = await fetch(server.url);
    (await server.stream)[Symbol.dispose]();
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-kept': 'yes',
    });
    expect(await response.text()).toBe('retry: 2000\n\n');
  });

  test('sends each event as three lines, its data on one line whatever it holds', async () => {
    const server = await serve();
    const response = await fetch(server.url);
    const stream = await server.stream;
    stream.send(progress('evt_1', { text: 'two\nlines', 数: '据' }));
    stream.send({ event: 'tool_result', id: 'evt_2', data: null });
    stream[Symbol.dispose]();
    expect(await response.text()).toBe(
      'retry: 2000\n\nevent: tool_progress\nid: evt_1\ndata: {"text":"two\\nlines","数":"据"}\n\nevent: tool_result\nid: evt_2\ndata: null\n\n',
    );
    expect(server.sent).toEqual(['evt_1', 'evt_2']);
  });

  test('sends frames of another form with and without an event name', async () => {
    const server = await serve();
    const response = await fetch(server.url);
    const stream = await server.stream;
    stream.sendFrames([{ data: '{"type":"start"}' }, { event: 'error', data: '{}' }, { data: '[DONE]' }]);
    stream[Symbol.dispose]();
    expect(await response.text()).toBe('retry: 2000\n\ndata: {"type":"start"}\n\nevent: error\ndata: {}\n\ndata: [DONE]\n\n');
  });

  test('ends once, however often it is closed and disposed of', async () => {
    const server = await serve();
    const response = await fetch(server.url);
    const stream = await server.stream;
    stream.close();
    stream[Symbol.dispose]();
    stream.send(progress('late'));
    expect(await response.text()).toBe('retry: 2000\n\n');
    expect(server.ends()).toBe(1);
    expect(stream.gone.aborted).toBe(true);
  });

  test('knows that its reader has left', async () => {
    const server = await serve();
    const leaving = new AbortController();
    const response = await fetch(server.url, { signal: leaving.signal });
    const stream = await server.stream;
    expect(stream.gone.aborted).toBe(false);
    leaving.abort();
    await eventually(() => stream.gone.aborted);
    await response.text().catch(() => null);
    stream[Symbol.dispose]();
  });

  test('sends an event of any size, and what follows it', async () => {
    const server = await serve();
    const response = await fetch(server.url);
    const stream = await server.stream;
    const text = 'x'.repeat(7 * 1024 * 1024);
    stream.send(progress('before'));
    stream.send(progress('large', text));
    stream.send(progress('after'));
    stream[Symbol.dispose]();
    const read = await response.text();
    expect(read).toContain(`"${text}"`);
    expect(read).toContain('id: after');
  });

  test('disconnects a reader that takes nothing of a large event', async () => {
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setInterval', 'clearInterval', 'performance', 'Date'],
    });
    const server = await serve();
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const stream = await server.stream;
    stream.send(progress('large', 'x'.repeat(32 * 1024 * 1024)));
    stream[Symbol.dispose]();
    expect(stream.gone.aborted).toBe(false);
    jest.advanceTimersByTime(30_000 + 33 * 32 * 1_000);
    expect(stream.gone.aborted).toBe(true);
    socket.destroy();
  });

  test('disconnects a reader that leaves more than 256 KiB unread', async () => {
    const server = await serve();
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const stream = await server.stream;
    // More than the buffers of both sockets hold.
    for (let sent = 0; sent < 20_000 && !stream.gone.aborted; sent++) stream.send(progress(String(sent), 'x'.repeat(8_192)));
    expect(stream.gone.aborted).toBe(true);
    stream[Symbol.dispose]();
    socket.destroy();
  });
});

describe('the heartbeat of an event stream', () => {
  test('is a comment every 15 seconds', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout', 'clearTimeout', 'performance', 'Date'] });
    const server = await serve();
    const response = await fetch(server.url);
    const stream = await server.stream;
    jest.advanceTimersByTime(14_999);
    stream.sendFrames([{ data: 'before' }]);
    jest.advanceTimersByTime(1);
    stream.sendFrames([{ data: 'after' }]);
    stream[Symbol.dispose]();
    jest.advanceTimersByTime(60_000);
    expect(await response.text()).toBe('retry: 2000\n\ndata: before\n\n: keep-alive\n\ndata: after\n\n');
  });
});
