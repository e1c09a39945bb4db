import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { migrate } from './migrate.js';
import { startPostgres, type PrivateStore } from './private-stores.js';
import { unpackReadyDatabase } from './ready-database.js';
import { importStarterKnowledge } from './starter-knowledge.js';
import { starterKnowledgeDigest } from './starter-pages.js';

/** Columns. */
const unlike = ['created_at', 'updated_at', 'imported_at', 'id', 'document_id', 'parent', 'term_id', 'terms', 'tfs', 'impacts', 'heads'];
const home = mkdtempSync(join(tmpdir(), 'invoq-ready-'));
let knowledge = '';
let ready: PrivateStore;
let made: PrivateStore;

beforeAll(async () => {
  knowledge = await unpackReadyDatabase(join(home, 'data'));
  [ready, made] = await Promise.all([startPostgres({ dir: home }), startPostgres()]);
}, 60_000);

afterAll(async () => {
  await Promise.all([ready, made].map((store) => store[Symbol.asyncDispose]()));
  rmSync(home, { recursive: true, force: true });
});

test('the ready database has the present starter pages: npm run ready-database writes it', () => {
  expect(knowledge).toBe(starterKnowledgeDigest());
});

test('the ready database, brought up to date, is what the long way makes', async () => {
  await migrate(ready.url);
  await migrate(made.url);
  expect(await importStarterKnowledge(ready.url)).toBe(0);
  expect(await importStarterKnowledge(made.url)).toBeGreaterThan(100);
  expect(await schemaOf(ready.url)).toEqual(await schemaOf(made.url));
  expect(await rowsOf(ready.url)).toEqual(await rowsOf(made.url));
}, 120_000);

/** Its columns and indexes. */
async function schemaOf(url: string): Promise<readonly unknown[]> {
  return withClient(url, async (client) => {
    const { rows: columns } = await client.query(
      "SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
    );
    const { rows: indexes } = await client.query("SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1");
    return [...columns, ...indexes];
  });
}

/** A digest of the rows of each table that has some, without their times, and without the numbers of terms, which no two imports share. */
async function rowsOf(url: string): Promise<ReadonlyMap<string, string>> {
  return withClient(url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' ORDER BY 1",
    );
    const found = new Map<string, string>();
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(`SELECT (to_jsonb(t) - $1::text[])::text AS text FROM ${name} t`, [unlike]);
      if (rows.length > 0) found.set(name, `${rows.length} rows, ${hash('sha1', JSON.stringify(rows.map(({ text }) => text).toSorted()))}`);
    }
    return found;
  });
}

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
