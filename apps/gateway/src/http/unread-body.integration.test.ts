import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TestHttpGateway } from '../test-http-gateway.js';

const piece = Buffer.alloc(256 * 1024, 'x');
const declared = `content-length: ${1024 ** 3}`;
const chunked = 'transfer-encoding: chunked';

let gateway: TestHttpGateway;
/** The gateway's ends of all connections. */
const sockets: Socket[] = [];

beforeAll(async () => {
  gateway = await TestHttpGateway.start();
  gateway.app
    .getHttpAdapter()
    .getInstance()
    .server.on('connection', (socket: Socket) => sockets.push(socket));
});
afterAll(async () => gateway[Symbol.asyncDispose]());

interface Sent {
  readonly answer: string;
  /** Bytes that the gateway has read. */
  readonly read: number;
  readonly ms: number;
}

/** Sends a head, and after it a body without an end, as fast as it is taken, until the gateway closes. */
async function flood(line: string, length: string): Promise<Sent> {
  const head = [`${line} HTTP/1.1`, 'host: 127.0.0.1', 'content-type: application/json', length, '', ''].join('\r\n');
  return pour(
    head,
    length === chunked ? Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]) : piece,
  );
}

async function pour(head: string, body = piece): Promise<Sent> {
  const started = performance.now();
  const client = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
  let answer = '';
  client.setEncoding('latin1').on('data', (text: string) => (answer += text));
  // It is cut while it sends.
  client.on('error', () => undefined);
  const closed = new Promise((resolve) => client.once('close', resolve));
  client.write(head);
  const send = (): void => {
    while (client.writable && client.write(body));
  };
  client.on('drain', send);
  send();
  await Promise.race([closed, sleep(10_000, undefined, { ref: false })]);
  const isCut = client.destroyed;
  client.destroy();
  expect([head.slice(0, 100), isCut]).toEqual([head.slice(0, 100), true]);
  return { answer, read: sockets.at(-1)?.bytesRead ?? 0, ms: performance.now() - started };
}

test.each([
  ['a guest', 'POST /chat/v5/guest/stream', 413],
  ['nobody', 'POST /tools/calc_metrics', 401],
  ['nobody, at a path that is none', 'POST /no/such/path', 401],
  ['nobody who reads', 'GET /healthz', '200|413'],
  ['nobody, in lines', 'POST /batches', 401],
  ['nobody over MCP', 'POST /mcp', 401],
  ['a link', 'POST /hooks/none', 413],
])('of a body that is not wanted hardly anything is read: %s', async (_who, line, status) => {
  for (const length of [declared, chunked]) {
    const { answer, read, ms } = await flood(line, length);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 (${status}) [^]*connection: close`, 'i'));
    expect(read).toBeLessThan(3_000_000);
    expect(ms).toBeLessThan(5_000);
  }
});

test('a connection stays open where what is left of a refused body is small', async () => {
  const client = connect(gateway.port, '127.0.0.1');
  const body = 'x'.repeat(50_000);
  const head = `POST /tools/calc_metrics HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  for (let count = 0; count < 3; count += 1) {
    client.write(head + body);
    const [answer] = await once(client, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 401 (?![^]*connection: close)/i);
  }
  client.destroy();
});

test('who asks before sending is refused without having sent, or is told to go on', async () => {
  const asking = async (path: string, body: string): Promise<string> => {
    const client = connect(gateway.port, '127.0.0.1');
    const head = [`POST ${path} HTTP/1.1`, 'host: 127.0.0.1', 'content-type: application/json', `content-length: ${body.length}`];
    client.write([...head, `authorization: ${gateway.user}`, 'connection: close', 'expect: 100-continue', '', ''].join('\r\n'));
    const [first] = await once(client, 'data');
    if (!String(first).startsWith('HTTP/1.1 100')) {
      client.destroy();
      return String(first);
    }
    client.write(body);
    const [second] = await once(client, 'data');
    client.destroy();
    return String(first) + String(second);
  };
  expect(await asking('/chat/v5/guest/stream', 'x'.repeat(200_000))).toMatch(/^HTTP\/1.1 413 /);
  expect(await asking('/tools/none', '{}')).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 404 /);
});

test.each([
  ['a head that is too long', `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}`],
  ['what is no HTTP', 'no HTTP at all\r\n\r\n'],
  ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n'],
])('after %s nothing more is read, and the connection ends', async (_what, head) => {
  const { answer, read, ms } = await pour(head);
  expect(answer).toMatch(/^HTTP\/1.1 4\d\d [^]*connection: close/i);
  expect(answer.match(/HTTP\/1.1/g)).toHaveLength(1);
  expect(read).toBeLessThan(3_000_000);
  expect(ms).toBeLessThan(5_000);
});

test('a batch whose body is refused in its middle is told why', async () => {
  const key = await gateway.tenant.key({ userId: 'user_001' });
  const head = ['POST /batches HTTP/1.1', 'host: 127.0.0.1', `authorization: Bearer ${key}`, 'content-type: application/json'];
  const { answer } = await pour([...head, `content-length: ${32 * 1024 ** 2}`, '', ''].join('\r\n'));
  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
});
