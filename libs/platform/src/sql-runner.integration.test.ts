import { afterAll, describe, expect, test } from '@jest/globals';
import { createDatabase, type Database } from './database.js';
import { modelRows } from './sql-runner.js';

const options = { url: process.env['DATABASE_URL'] ?? '', poolSize: 2, name: 'sql-runner-test' };
const database = createDatabase(options);
const prepared = createDatabase({ ...options, prepared: true });

type Key = NonNullable<Awaited<ReturnType<Database['apiKey']['findUnique']>>>;

afterAll(async () => {
  await database.$disconnect();
  await prepared.$disconnect();
});

describe.each([
  ['as they are', database],
  ['prepared', prepared],
])('statements that are run %s', (_, runner) => {
  test('give values back as they went in', async () => {
    const at = new Date('2026-03-29T01:30:00.123Z');
    const value = {
      at,
      big: 9_007_199_254_740_993n,
      bytes: Buffer.from([0, 255]),
      json: { a: [1, null, 'ü'] },
      texts: ['a', 'b,"{}'],
      times: [at],
      nothing: null,
    };
    const [row] = await runner.$queryRaw<unknown[]>`
      SELECT ${value.at}::timestamptz AS at, ${value.big}::int8 AS big, ${value.bytes}::bytea AS bytes, ${value.json}::jsonb AS json,
        ${value.texts}::text[] AS texts, ${value.times}::timestamptz[] AS times, ${value.nothing}::text AS nothing`;
    expect(row).toEqual(value);
  });

  test('know times without a zone for those of UTC, whatever the zone of the process is', async () => {
    const at = new Date('2026-01-31T23:30:00.000Z');
    const [row] = await runner.$queryRaw<unknown[]>`
      SELECT ${at}::timestamptz AT TIME ZONE 'UTC' AS plain, (${at}::timestamptz AT TIME ZONE 'UTC')::date AS day`;
    expect(row).toEqual({ plain: at, day: new Date('2026-01-31') });
  });

  test('tell how many rows they changed, and the code of what went wrong', async () => {
    expect(await runner.$executeRaw`DELETE FROM api_key WHERE id = 'no such key'`).toBe(0);
    await expect(runner.$queryRaw`SELECT 1 / ${0}::int`).rejects.toMatchObject({ code: '22012' });
  });

  test('may be a text of a library with its values', async () => {
    expect(await runner.$queryRawUnsafe('SELECT $1::int + $2::int AS sum', 40, 2)).toEqual([{ sum: 42 }]);
  });
});

test('rows have the names of the fields of their model', async () => {
  const rows = database.$queryRaw<Record<string, unknown>[]>`SELECT 1 AS look_at, 2 AS cache_ttl_seconds, 3 AS id`;
  expect(await modelRows(rows)).toEqual([{ lookAt: 1, cacheTtlSeconds: 2, id: 3 }]);
});

describe('a transaction in SQL', () => {
  const count = async (table: string): Promise<unknown> => database.$queryRawUnsafe(`SELECT count(*)::int AS count FROM ${table}`);

  test('commits what was done in it, once', async () => {
    await database.$queryRaw`DROP TABLE IF EXISTS sql_runner_kept`;
    const answer = await database.$sqlTransaction(async (runner) => {
      await runner.$executeRaw`CREATE TABLE sql_runner_kept (n int)`;
      await runner.$executeRaw`INSERT INTO sql_runner_kept VALUES (1)`;
      return 'done';
    });
    expect(answer).toBe('done');
    expect(await count('sql_runner_kept')).toEqual([{ count: 1 }]);
  });

  test('rolls back what threw, and lends its connection out again', async () => {
    for (let round = 0; round < 5; round++) {
      const failed = database.$sqlTransaction(async (runner) => {
        await runner.$executeRaw`INSERT INTO sql_runner_kept VALUES (2)`;
        throw new Error('not after all');
      });
      await expect(failed).rejects.toThrow('not after all');
    }
    expect(await count('sql_runner_kept')).toEqual([{ count: 1 }]);
  });

  test('rolls back what takes too long, whatever it waits for', async () => {
    for (let round = 0; round < 5; round++) {
      const late = database.$sqlTransaction(
        async (runner) => {
          await runner.$executeRaw`INSERT INTO sql_runner_kept VALUES (3)`;
          await new Promise((resolve) => setTimeout(resolve, 150));
        },
        { timeoutMs: 50 },
      );
      await expect(late).rejects.toThrow('a transaction took more than 50 ms and was rolled back');
    }
    expect(await count('sql_runner_kept')).toEqual([{ count: 1 }]);
    await database.$queryRaw`DROP TABLE sql_runner_kept`;
  });
});

test('models are there beside SQL, in transactions too', async () => {
  const id = `sql-runner-${process.pid}`;
  const row = { id, hash: id, tenantId: 'sql-runner', tier: 'free' } as const;
  await database.$transaction(async (transaction) => {
    await transaction.apiKey.create({ data: row });
    expect(await transaction.$queryRaw`SELECT hash FROM api_key WHERE id = ${id}`).toEqual([{ hash: id }]);
  });
  expect(await database.apiKey.findUnique({ where: { id } })).toMatchObject({ ...row, scopes: [], expiresAt: null });
  const [stored] = await modelRows<Key>(database.$queryRaw`SELECT * FROM api_key WHERE id = ${id}`, { scopes: [], serves: [], tools: [] });
  expect(stored).toEqual(await database.apiKey.findUnique({ where: { id } }));
  expect(await database.apiKey.deleteMany({ where: { id } })).toEqual({ count: 1 });
});
