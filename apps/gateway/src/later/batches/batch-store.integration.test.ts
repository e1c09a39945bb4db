// What a feeder asks of a batch costs as much as the lines that it asks for, however many the batch has.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createDatabase, type Database } from '#lib/platform';
import { givenStores, newNamespace } from '#lib/testing';
import { BatchStore, type NewLine } from './batch-store.js';
import { FedBatches } from './fed-batches.js';

const [total, some] = [3_000, 50];
const namespace = newNamespace();
let database: Database;
let store: BatchStore;
let fedBatches: FedBatches;

beforeAll(() => {
  database = createDatabase({ url: givenStores().databaseUrl, poolSize: 1, name: 'test' });
  const stores = { database, settings: { INVOQ_NAMESPACE: namespace } };
  store = new BatchStore(stores);
  fedBatches = new FedBatches(stores, { add: async () => undefined });
});

afterAll(async () => {
  await database.batch.deleteMany({ where: { namespace } });
  await database.$disconnect();
});

const counts = { active: 0, resting: 0, completed: 0, failed: 0, cancelled: 0 };
const lineOf = (n: number): NewLine => ({ n, line_id: null, tool: 'test_plain', call: 'sealed', state: 'waiting', error: null });

/** A batch whose feeder has it. */
async function running() {
  const [id, feeder] = [randomUUID(), randomUUID()];
  const createdAt = new Date();
  await store.begin({ id, tenantId: namespace, owner: 'somebody', idempotencyKey: null, createdAt, maker: {} });
  await store.addLines(
    id,
    Array.from({ length: total }, (_, n) => lineOf(n)),
  );
  await database.batch.update({ where: { id }, data: { state: 'running', total, feeder } });
  return { id, feeder };
}

/** Rows of lines that Postgres has read until now, for everybody. */
async function rowsRead(): Promise<number> {
  await database.$queryRaw`SELECT pg_stat_force_next_flush()::text`;
  const [row] = await database.$queryRaw<readonly { read: number }[]>`
    SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_user_tables WHERE relname = 'batch_line'`;
  return row?.read ?? 0;
}

test('lines that are taken and written are read, and no others of their batch', async () => {
  const fed = await running();
  const reads = { take: Infinity, write: Infinity };
  // Other tests read lines too: the least of some tries is that of this one.
  for (let from = 100; from < 600; from += some) {
    const before = await rowsRead();
    const taken = await fedBatches.take(fed, { from, to: from + some, now: new Date() });
    const between = await rowsRead();
    const changes = taken.map(({ n }) => ({ n, state: 'completed' as const, job_id: randomUUID(), error: null }));
    expect(await fedBatches.write(fed, changes, counts)).toEqual({ cancelled: false, reason: null });
    reads.take = Math.min(reads.take, between - before);
    reads.write = Math.min(reads.write, (await rowsRead()) - between);
    expect(taken.map(({ n }) => n)).toEqual(Array.from({ length: some }, (_, index) => from + index));
  }
  expect(reads.take).toBeLessThanOrEqual(3 * some);
  expect(reads.write).toBeLessThanOrEqual(3 * some);
  expect(await database.batchLine.count({ where: { batchId: fed.id, state: 'completed', call: null } })).toBe(500);
});

test('the lines of a batch go with it', async () => {
  const [gone, left] = [await running(), await running()];
  await database.batch.update({ where: { id: gone.id }, data: { state: 'completed', finishedAt: new Date(0) } });
  expect(await store.forget(new Date(1), new Date(0), 10)).toBe(1);
  expect(await database.batchLine.count({ where: { batchId: gone.id } })).toBe(0);
  expect(await database.batchLine.count({ where: { batchId: left.id } })).toBe(total);
});

test('lines are added to no batch that is gone, or runs', async () => {
  const fed = await running();
  expect(await store.addLines(fed.id, [lineOf(total)])).toBe(false);
  expect(await store.addLines(randomUUID(), [lineOf(0)])).toBe(false);
});
