import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from '@prisma/client-runtime-utils';
import { createDatabase } from './database.js';
import { createPool } from './pool.js';

const url = process.env['DATABASE_URL'] ?? '';
const options = { url, poolSize: 2, name: 'platform-test' };
const database = createDatabase(options);
const pool = createPool(options);

afterAll(async () => {
  await database.$disconnect();
  await pool.end();
});

describe('a database client', () => {
  test('composes pieces of SQL with their values', async () => {
    const piece = sql`${40}::int + ${2}::int`;
    expect(await database.$queryRaw(sql`SELECT ${piece} AS answer`)).toEqual([{ answer: 42 }]);
  });

  test('is made without a server and fails when it is first used', async () => {
    const away = createDatabase({ ...options, url: 'postgresql://u:p@127.0.0.1:1/db' });
    await expect(away.$queryRaw(sql`SELECT 1`)).rejects.toThrow();
    await away.$disconnect();
  });
});

test('a pool runs SQL with its values', async () => {
  expect((await pool.query('SELECT $1::int + $2::int AS answer', [40, 2])).rows).toEqual([{ answer: 42 }]);
});

test('a connection that is lent out may break between two statements: the next one says so', async () => {
  const sockets: Socket[] = [];
  const proxy = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.pipe(connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const through = new URL(url);
  through.port = String(typeof address === 'object' && address ? address.port : 0);
  const away = createPool({ ...options, url: through.href });
  const client = await away.connect();
  await client.query('SELECT 1');
  const broken = new Promise((resolve) => client.once('end', resolve));
  for (const socket of sockets) socket.resetAndDestroy();
  await broken;
  await expect(client.query('SELECT 1')).rejects.toThrow(/not queryable|terminated/);
  client.release(true);
  await away.end();
  proxy.close();
});
