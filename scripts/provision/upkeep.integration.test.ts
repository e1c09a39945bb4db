import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PGlite } from '@electric-sql/pglite';
import { eventually } from '#lib/testing';
import { createDatabase, openDatabase } from './new-database.js';
import { tablesToVacuum, vacuum } from './upkeep.js';

const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-upkeep-'));
let db: PGlite;

beforeAll(async () => {
  // A copy: to make a new one takes seconds.
  await createDatabase(join(folder.path, 'data'));
  db = await openDatabase(join(folder.path, 'data'));
  await db.exec(`CREATE TABLE "Busy" (id INT PRIMARY KEY, at INT, text TEXT); CREATE INDEX ON "Busy" (at); CREATE TABLE quiet (id INT)`);
  await db.exec(`INSERT INTO "Busy" SELECT n, 0, repeat('x', 500) FROM generate_series(1, 500) n`);
  await vacuum(db, '"Busy"');
}, 30_000);

afterAll(async () => {
  await db?.close();
  folder.remove();
});

/** Each update leaves a row that is gone, and an entry of the index for it. */
async function updateAll(): Promise<void> {
  for (let round = 0; round < 5; round++) await db.exec(`UPDATE "Busy" SET at = at + 1`);
  await db.exec('SELECT pg_stat_force_next_flush()');
}

async function pages(): Promise<number> {
  const { rows } = await db.query<{ pages: number }>(`SELECT (pg_total_relation_size('"Busy"') / 8192)::int AS pages`);
  return rows[0]?.pages ?? 0;
}

test('a table whose rows change is vacuumed, so it does not grow; one that nobody changes is left alone', async () => {
  await updateAll();
  const due = await eventually(async () => ((await tablesToVacuum(db)).length > 0 ? tablesToVacuum(db) : null), {
    what: 'a table to vacuum',
  });
  expect(due).toEqual(['public."Busy"']);
  await vacuum(db, 'public."Busy"');
  expect(await tablesToVacuum(db)).toEqual([]);

  const before = await pages();
  for (let round = 0; round < 5; round++) {
    await updateAll();
    await vacuum(db, 'public."Busy"');
  }
  expect(await pages()).toBeLessThan(before * 1.5);
});
