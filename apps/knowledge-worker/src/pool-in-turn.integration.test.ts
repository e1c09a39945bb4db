import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Pool } from 'pg';
import { inTransaction, type Sql } from '#lib/retrieval';
import { FairSlots } from '#lib/sandbox';
import { eventually, givenStores } from '#lib/testing';
import { poolInTurn } from './pool-in-turn.js';

let pool: Pool;
beforeAll(() => void (pool = new Pool({ connectionString: givenStores().databaseUrl, max: 2 })));
afterAll(async () => pool.end());

function tenants() {
  const turns = new FairSlots({ total: 2, perTenant: 1, maxWaiting: 8, patienceMs: 5_000 });
  return (tenant: string) => poolInTurn(pool, { turns, tenant, signal: new AbortController().signal });
}

const ask = async (sql: Sql): Promise<unknown> => (await sql.query('SELECT 1 AS one')).rows;

// No transaction is held here: the embedded Postgres has one session, so it would hold up every other test.
test('connections of one tenant leave one to others: those that are too many wait without one', async () => {
  const poolOf = tenants();
  const held = Promise.withResolvers<void>();
  const waiting = Array.from({ length: 3 }, async () => {
    const client = await poolOf('a').connect();
    await held.promise;
    client.release();
  });
  await eventually(() => pool.totalCount > pool.idleCount);
  (await poolOf('b').connect()).release();
  expect(pool.waitingCount).toBe(0);
  expect(pool.totalCount - pool.idleCount).toBe(1);
  held.resolve();
  await Promise.all(waiting);
});

test('a transaction that failed gives its turn back', async () => {
  const poolOf = tenants();
  const fail = async (): Promise<never> => {
    throw new Error('broken');
  };
  await expect(inTransaction(poolOf('a'), fail)).rejects.toThrow('broken');
  expect(await inTransaction(poolOf('a'), ask)).toEqual([{ one: 1 }]);
});

test('a transaction that gets no connection gives its turn back', async () => {
  const gone = new Pool({ connectionString: 'postgresql://127.0.0.1:1/none' });
  const turns = new FairSlots({ total: 1, perTenant: 1, maxWaiting: 8, patienceMs: 5_000 });
  const given = { turns, tenant: 'a', signal: new AbortController().signal };
  await expect(inTransaction(poolInTurn(gone, given), ask)).rejects.toThrow(/ECONNREFUSED/);
  expect(await inTransaction(poolInTurn(pool, given), ask)).toEqual([{ one: 1 }]);
  await gone.end();
});
