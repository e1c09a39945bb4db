// What a query may not do and may not cost, whoever wrote it.
import { describe, expect, test } from '@jest/globals';
import { eventually } from '#lib/testing';
import { openServices } from '../upstreams/test-upstreams.js';
import { addressOf, asked, call, newServer, orders, owner, registered, withShop } from './test-shop.js';

withShop();

describe('a query only reads', () => {
  test.each([
    ["INSERT INTO orders (id, country) VALUES (1000, 'xx') RETURNING id", /syntax error at or near "INSERT"/],
    ["WITH w AS (INSERT INTO orders (id, country) VALUES (1000, 'xx') RETURNING id) SELECT * FROM w", /data-modifying statements in WITH/],
    ['UPDATE orders SET note = 1 RETURNING id', /syntax error/],
    ["COPY (SELECT 1) TO PROGRAM 'touch /tmp/invoq-pwned'", /gives no columns/],
    ['COMMIT; DROP TABLE orders', /more than one statement/],
    ['SELECT 1 AS a; COMMIT', /more than one statement/],
    ['SET TRANSACTION READ WRITE', /gives no columns/],
    ['COMMIT', /gives no columns/],
    ['SELECT id INTO copied FROM orders', /gives no columns/],
    ['SELECT id FROM orders FOR UPDATE', /read-only transaction/],
    ['EXPLAIN ANALYZE SELECT 1', /syntax error/],
    ['SHOW password_encryption', /syntax error/],
    ['CALL nothing()', /does not exist|gives no columns/],
    ["DO 'BEGIN END'", /gives no columns/],
    ['SELECT id FROM orders WHERE word = :word', /column "word" does not exist/],
    ['SELECT id, id FROM orders', /two columns 'id'/],
  ])('%s is refused when it is registered', async (sql, reason) => {
    await using services = openServices({}, 60_000);
    const result = await registered(services, [orders, { name: 'q', description: 'Bad.', sql }], { address: addressOf('postgres') });
    expect(result).toMatchObject({ kind: 'done', data: { rejected: [{ tool: 'q', reason: expect.stringMatching(reason) }] } });
  });

  test.each([
    ['SELECT sneaky()', 'writer'],
    ["SELECT nextval('ticks')", 'writer'],
    ["SELECT set_config('transaction_read_only', 'off', true)", 'writer'],
    ["SELECT set_config('transaction_read_only', 'off', false), sneaky()", 'postgres'],
  ])('%s is refused when it is called as %s', async (sql, role) => {
    expect(await asked(sql, { role })).toMatchObject({ kind: 'refused', error: { native_code: 'UPSTREAM_REFUSED' } });
    expect((await owner.query('SELECT count(*)::int AS c FROM orders')).rows).toEqual([{ c: 500 }]);
  });

  test("files and programs of the database's machine are out of the reach of a role without rights", async () => {
    expect(await asked("SELECT pg_read_file('/etc/passwd') AS f")).toMatchObject({ kind: 'refused' });
    expect(await asked('SELECT word FROM secrets')).toMatchObject({
      kind: 'refused',
      error: { message: expect.stringContaining('permission denied') },
    });
  });

  test('what PostgreSQL does not count as writing is rolled back', async () => {
    await asked('SELECT lo_create(4711)::text AS made', { role: 'postgres' });
    expect((await owner.query('SELECT oid FROM pg_largeobject_metadata')).rows).toEqual([]);
  });

  test('nothing that one call sets or locks is there for the next', async () => {
    expect(await asked("SELECT set_config('search_path', 'nowhere', false) AS s")).toMatchObject({ kind: 'done' });
    expect(await asked('SELECT pg_advisory_lock(42)::text AS l')).toMatchObject({ kind: 'done' });
    await eventually(async () => (await owner.query("SELECT pid FROM pg_locks WHERE locktype = 'advisory'")).rows.length === 0);
  });
});

describe('bounds', () => {
  /** Statements that the database works on for this product. */
  const running = async (): Promise<number> =>
    (await owner.query("SELECT pid FROM pg_stat_activity WHERE state = 'active' AND application_name = 'invoq'")).rows.length;

  test('rows beyond the most are not read', async () => {
    const result = await asked('SELECT generate_series(1, 1000000000) AS n', { more: { max_rows: 250, timeout_ms: 5_000 } });
    expect(result).toMatchObject({ kind: 'done', data: { has_more: true } });
    expect(result.kind === 'done' && (result.data as { rows: unknown[] }).rows.length).toBe(250);
  });

  test('bytes beyond the most are not kept', async () => {
    const result = await asked("SELECT repeat('x', 100000) AS long FROM generate_series(1, 10000)", { more: { max_rows: 10_000 } });
    expect(result).toMatchObject({ kind: 'done' });
  });

  test('a row that is larger than any answer ends its connection alone', async () => {
    expect(await asked("SELECT repeat('x', 40000000) AS long")).toMatchObject({
      kind: 'refused',
      error: { message: expect.stringContaining('must select less') },
    });
  });

  test('a query that sleeps is ended, by the server too', async () => {
    const result = await asked('SELECT pg_sleep(600)::text AS invoq_sleeps', { more: { timeout_ms: 300 } });
    expect(result).toMatchObject({ kind: 'failed' });
    await eventually(async () => (await running()) === 0);
  });

  test('a call that is cancelled cancels its statement', async () => {
    await using services = openServices({}, 60_000);
    const name = newServer();
    await registered(services, [{ name: 'slow', description: 'Sleeps.', sql: 'SELECT pg_sleep(60)::text AS s', timeout_ms: 60_000 }], {
      name,
    });
    const stop = new AbortController();
    const result = call(services, name, { tool: 'slow', stop: stop.signal });
    await eventually(async () => (await running()) === 1);
    stop.abort(new Error('the caller has left'));
    await result.catch(() => undefined);
    await eventually(async () => (await running()) === 0);
  });
});
