import { createConnection, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import type { RedisClient } from './redis-client.js';
import { eventually, TcpProxy } from '#lib/testing';
import { requestConnection, subscriberConnection, workerConnection } from './connections.js';

const url = process.env['REDIS_URL'] ?? '';
const opened: Redis[] = [];
function open(connection: RedisClient): Redis {
  if (!(connection instanceof Redis)) throw new TypeError('one server has no cluster');
  connection.on('error', () => undefined);
  opened.push(connection);
  return connection;
}
afterEach(() => {
  for (const connection of opened.splice(0)) connection.disconnect();
});

/** The way to the Redis of the tests, which keeps what each packet of the client holds. */
async function proxy() {
  const packets: string[] = [];
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    const upstream = createConnection(Number(port), hostname);
    sockets.push(client, upstream);
    client.on('data', (data) => packets.push(data.toString()));
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `redis://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    packets,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a connection for requests', () => {
  test('sends the commands of one turn of the event loop with one write', async () => {
    await using way = await proxy();
    const redis = open(requestConnection({ REDIS_URL: way.url }));
    await eventually(() => redis.status === 'ready');
    way.packets.length = 0;
    await Promise.all([redis.echo('one'), redis.echo('two'), redis.echo('three')]);
    expect(way.packets).toEqual([expect.stringMatching(/one[^]*two[^]*three/)]);
  });

  test('fails at once while Redis is away', async () => {
    const redis = open(requestConnection({ REDIS_URL: 'redis://127.0.0.1:1' }));
    await expect(redis.get('a')).rejects.toThrow(/offline queue|writeable/i);
  });
});

test.each([
  ['for workers', workerConnection],
  ['for subscriptions', subscriberConnection],
])('a connection %s waits for a Redis that is not there yet', async (_name, connect) => {
  const redis = open(connect({ REDIS_URL: url }));
  expect(redis.status).not.toBe('ready');
  expect(await redis.ping()).toBe('PONG');
  expect(redis.options.maxRetriesPerRequest).toBeNull();
  // A user with the rights of ops/redis-users.sh may not send it (Redis from 7.2 on, Valkey).
  expect(redis.options.disableClientInfo).toBe(true);
});

/** Packets are dropped and nobody is told, as when a machine loses its power or a firewall its state. */
test.each([
  ['for requests', requestConnection, 10_000],
  ['for workers', workerConnection, 20_000],
  ['for subscriptions', subscriberConnection, 15_000],
])(
  'a connection %s that has fallen silent is replaced',
  async (_name, connect, withinMs) => {
    await using way = await TcpProxy.start(Number(new URL(url).port));
    const redis = open(connect({ REDIS_URL: way.inFrontOf(url) }));
    await eventually(() => redis.status === 'ready');
    let connections = 0;
    redis.on('ready', () => (connections += 1));
    // Later connections are well.
    way.drop();
    way.heal();
    if (connect !== subscriberConnection) redis.ping().catch(() => undefined);
    await eventually(() => connections > 0, { withinMs, what: 'a new connection' });
    expect(await redis.ping()).toBe('PONG');
  },
  30_000,
);

test('a lost connection is tried again after 20 ms, then ever later, a second at most', () => {
  const redis = open(requestConnection({ REDIS_URL: url }));
  const delays = [1, 2, 3, 5, 7, 8, 100].map((times) => redis.options.retryStrategy?.(times));
  expect(delays).toEqual([20, 40, 80, 320, 1_000, 1_000, 1_000]);
});
