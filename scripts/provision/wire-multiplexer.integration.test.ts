import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Client, Pool } from 'pg';
import { startPostgres, type PrivateStore } from './private-stores.js';

let postgres: PrivateStore;

beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);

afterAll(async () => {
  await postgres[Symbol.asyncDispose]();
});

beforeEach(async () => {
  await using client = await connected();
  await client.query('DROP TABLE IF EXISTS account');
  await client.query('CREATE TABLE account (id INT PRIMARY KEY, amount INT NOT NULL)');
  await client.query('INSERT INTO account VALUES (1, 0), (2, 0)');
});

describe('many clients on one embedded Postgres', () => {
  test('each gets its own answers while others fail, commit and roll back', async () => {
    await using pool = new DisposablePool({ connectionString: postgres.url, max: 8 });
    await Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        for (let round = 0; round < 40; round++) {
          const text = `${worker}/${round}`;
          expect((await pool.query('SELECT $1::text AS text', [text])).rows).toEqual([{ text }]);
          await expect(pool.query('SELECT 1 / $1::int', [0])).rejects.toThrow('division by zero');
          await transfer(pool, round % 2 === 0 ? 'COMMIT' : 'ROLLBACK');
        }
      }),
    );
    expect((await pool.query('SELECT amount FROM account ORDER BY id')).rows).toEqual([{ amount: 160 }, { amount: -160 }]);
  });

  test('nobody sees into a transaction, and a failed one does not spoil the others', async () => {
    await using inside = await connected();
    await using outside = await connected();
    await inside.query('BEGIN');
    await inside.query('UPDATE account SET amount = 7 WHERE id = 1');
    await expect(inside.query('SELECT nonsense')).rejects.toThrow('nonsense');
    const seen = outside.query('SELECT amount FROM account WHERE id = 1');
    await expect(inside.query('SELECT 1')).rejects.toThrow('current transaction is aborted');
    await inside.query('ROLLBACK');
    expect((await seen).rows).toEqual([{ amount: 0 }]);
  });

  test('a client that dies in a transaction is undone and the next one goes on', async () => {
    const dying = await connected();
    await using next = await connected();
    await dying.query('BEGIN');
    await dying.query('UPDATE account SET amount = 7 WHERE id = 1');
    const seen = next.query('SELECT amount FROM account WHERE id = 1');
    dying.connection.stream.destroy();
    expect((await seen).rows).toEqual([{ amount: 0 }]);
  });

  test('what a client has set for its session ends with it: pg_dump empties the search path', async () => {
    const leaving = await connected();
    await leaving.query("SELECT set_config('search_path', '', false)");
    await leaving.end();
    await using next = await connected();
    expect((await next.query('SELECT amount FROM account WHERE id = 1')).rows).toEqual([{ amount: 0 }]);
  });

  test('prepared statements of the same name belong to their client', async () => {
    await using one = await connected();
    await using two = await connected();
    const ask = (client: Client, text: string) => client.query({ name: 'same', text });
    for (let round = 0; round < 3; round++) {
      expect((await ask(one, 'SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
      expect((await ask(two, 'SELECT 2 AS n')).rows).toEqual([{ n: 2 }]);
    }
  });

  test('what was committed is there after a kill', async () => {
    await using client = await connected();
    await client.query('UPDATE account SET amount = 42 WHERE id = 1');
    await postgres.kill('SIGKILL');
    await postgres.restart();
    await using again = await connected();
    expect((await again.query('SELECT amount FROM account WHERE id = 1')).rows).toEqual([{ amount: 42 }]);
  });
});

async function transfer(pool: Pool, end: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('UPDATE account SET amount = amount + $1 WHERE id = 1', [1]);
    await client.query('UPDATE account SET amount = amount - $1 WHERE id = 2', [1]);
    await client.query(end);
  } finally {
    client.release();
  }
}

class DisposablePool extends Pool {
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}

class DisposableClient extends Client {
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end().catch(() => undefined);
  }
}

async function connected(): Promise<DisposableClient> {
  const client = new DisposableClient({ connectionString: postgres.url });
  // A killed server is part of these tests.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
