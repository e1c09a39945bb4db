import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { eventually } from './eventually.js';
import { TcpProxy } from './tcp-proxy.js';

/** Answers each piece with the word and what it got. */
async function startEcho(word: string) {
  const sockets = new Set<Socket>();
  const heard: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      heard.push(bytes.toString());
      socket.write(`${word} ${bytes.toString()}`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    heard,
    port: typeof address === 'object' && address ? address.port : 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

class Client {
  readonly socket: Socket;
  got = '';
  isClosed = false;

  constructor(port: number) {
    this.socket = createConnection({ port, host: '127.0.0.1' });
    this.socket.on('error', () => undefined);
    this.socket.on('data', (bytes) => (this.got += bytes.toString()));
    this.socket.once('close', () => (this.isClosed = true));
  }

  /** What comes after saying something, once it is as long as what is expected. */
  async say(text: string, expected: string): Promise<string> {
    this.got = '';
    this.socket.write(text);
    await eventually(() => this.got.length >= expected.length, { what: `an answer to ${text}` });
    return this.got;
  }

  /** What comes in a short while after saying something that nobody should answer. */
  async sayInVain(text: string): Promise<string> {
    this.got = '';
    this.socket.write(text);
    await sleep(100);
    return this.got;
  }

  async closed(): Promise<void> {
    await eventually(() => this.isClosed, { what: 'the end of a connection' });
  }
}

/** A connection through which something has passed. */
async function connected(): Promise<Client> {
  const client = new Client(proxy.port);
  await client.say('a', 'one a');
  return client;
}

let one: Awaited<ReturnType<typeof startEcho>>;
let two: Awaited<ReturnType<typeof startEcho>>;
let proxy: TcpProxy;
beforeEach(async () => {
  [one, two] = await Promise.all([startEcho('one'), startEcho('two')]);
  proxy = await TcpProxy.start(one.port);
});
afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  await Promise.all([one[Symbol.asyncDispose](), two[Symbol.asyncDispose]()]);
});

test('passes what is said in both directions', async () => {
  expect(await new Client(proxy.port).say('a', 'one a')).toBe('one a');
});

test('takes the place of a port in an address', () => {
  expect(proxy.inFrontOf('postgresql://me:secret@127.0.0.1:5/db')).toBe(`postgresql://me:secret@127.0.0.1:${proxy.port}/db`);
  expect(proxy.inFrontOf('redis://127.0.0.1:6379')).toBe(`redis://127.0.0.1:${proxy.port}`);
});

test('drops packets: old connections stay silent for good, new ones hang until it heals, and nobody is told', async () => {
  const old = await connected();
  proxy.drop();
  expect([await old.sayInVain('b'), old.isClosed]).toEqual(['', false]);
  const during = new Client(proxy.port);
  expect([await during.sayInVain('c'), during.isClosed]).toEqual(['', false]);
  proxy.heal();
  expect([await old.sayInVain('d'), old.isClosed]).toEqual(['', false]);
  expect(await new Client(proxy.port).say('e', 'one e')).toBe('one e');
});

test('refuses connections until it heals', async () => {
  const client = await connected();
  proxy.refuse();
  await Promise.all([client.closed(), new Client(proxy.port).closed()]);
  proxy.heal();
  expect(await new Client(proxy.port).say('c', 'one c')).toBe('one c');
});

test('delays each piece', async () => {
  const client = await connected();
  proxy.slow(() => 200);
  const started = performance.now();
  await client.say('b', 'one b');
  expect(performance.now() - started).toBeGreaterThanOrEqual(398);
});

test('delays pieces without changing their order', async () => {
  const client = await connected();
  const delays = [120, 0, 60, 0, 0, 0];
  proxy.slow(() => delays.shift() ?? 0);
  client.socket.write('b');
  await sleep(20);
  proxy.heal();
  expect(await client.say('c', 'one bc')).toMatch(/^one b(one )?c$/);
});

test('cuts a connection in the middle of an answer', async () => {
  const client = await connected();
  proxy.cutAnswers(() => 7);
  expect(await client.say('long', 'one lon')).toBe('one lon');
  await client.closed();
});

test.each([
  ['unsent', []],
  ['unanswered', ['now']],
] as const)('cuts a connection at a request that is %s', async (stage, arrived) => {
  const client = await connected();
  proxy.strikeAt({ text: 'now', stage, does: 'cut' });
  expect(await client.say('then', 'one then')).toBe('one then');
  client.got = '';
  client.socket.write('now');
  await client.closed();
  expect(client.got).toBe('');
  await eventually(() => one.heard.length === 2 + arrived.length);
  expect(one.heard.slice(2)).toEqual(arrived);
});

test.each(['unsent', 'unanswered'] as const)('holds a connection at a request that is %s, until it heals', async (stage) => {
  const [client, other] = [await connected(), await connected()];
  proxy.strikeAt({ text: 'now', stage, does: 'hold' });
  expect(await client.sayInVain('now')).toBe('');
  expect([proxy.heldConnections, client.isClosed, await other.say('b', 'one b')]).toEqual([1, false, 'one b']);
  expect(one.heard.includes('now')).toBe(stage === 'unanswered');
  proxy.heal();
  await eventually(() => client.got === 'one now');
  expect(proxy.heldConnections).toBe(0);
});

test('strikes only the requests that it is told to', async () => {
  const client = await connected();
  proxy.strikeAt({ text: 'now', stage: 'unsent', does: 'cut', hits: () => false });
  expect(await client.say('now', 'one now')).toBe('one now');
});

test('leads to another port: old connections are cut', async () => {
  const client = await connected();
  proxy.retarget(two.port);
  await client.closed();
  expect(await new Client(proxy.port).say('b', 'two b')).toBe('two b');
});
