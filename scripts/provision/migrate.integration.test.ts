import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { root } from '#lib/command-line';
import { migrate } from './migrate.js';
import { startPostgres, type PrivateStore } from './private-stores.js';
import { differenceToSchema } from './schema-engine.js';
import { ensureKeys, seedDemoData } from './seed.js';
import { unclearIds } from './unclear-ids.js';

let postgres: PrivateStore;

beforeAll(async () => {
  postgres = await startPostgres();
  // It came with the present schema.
  await query('DROP SCHEMA public CASCADE', []);
  await query('CREATE SCHEMA public', []);
}, 60_000);

afterAll(async () => {
  await postgres[Symbol.asyncDispose]();
});

test('several starters migrate a database once, and to exactly the schema', async () => {
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(postgres.url)));
  expect(new Set(applied.flat()).size).toBe(applied.flat().length);
  expect(applied.flat()).not.toHaveLength(0);
  expect(await migrate(postgres.url)).toEqual([]);
  expect(await differenceToSchema(postgres.url)).toBe('');
});

test('the demo data can be put in again, and what someone changed stays', async () => {
  await migrate(postgres.url);
  await seedDemoData(postgres.url);
  await query('UPDATE profile SET age = 31 WHERE user_id = $1', ['user_001']);
  await seedDemoData(postgres.url);
  expect(await query('SELECT user_id, age, gender FROM profile WHERE user_id IN ($1, $2) ORDER BY 1', ['user_001', 'user_999'])).toEqual([
    { user_id: 'user_001', age: 31, gender: 'male' },
  ]);
});

test('keys are kept while they are honoured', async () => {
  await migrate(postgres.url);
  const first = await ensureKeys(postgres.url, { admin: undefined, user: undefined, serve: undefined });
  expect(await ensureKeys(postgres.url, first)).toEqual(first);
  await query('UPDATE api_key SET revoked_at = now() WHERE user_id = $1', ['user_001']);
  const second = await ensureKeys(postgres.url, first);
  expect(second.admin).toBe(first.admin);
  expect(second.user).not.toBe(first.user);
  expect(second.serve).toBe(first.serve);
});

test('conversations of tenants whose names are escaped now stay with their owners, and none goes to another tenant', async () => {
  await migrate(postgres.url);
  const owned = (tenant: string, owner: string) =>
    query('INSERT INTO conversation (tenant_id, id, owner) VALUES ($1, gen_random_uuid(), $2)', [tenant, owner]);
  await owned('a', 'a/b/c');
  await owned('a/b', 'a/b/c');
  await owned('100%', '100%/u');
  await owned('100%', '100%25/new');
  const migration = readFileSync(join(root, 'prisma/migrations/20261122130000_owners_of_escaped_tenants/migration.sql'), 'utf8');
  for (let time = 0; time < 2; time++) await query(migration, []);
  expect(await query('SELECT tenant_id, owner FROM conversation ORDER BY tenant_id COLLATE "C", owner COLLATE "C"', [])).toEqual([
    { tenant_id: '100%', owner: '100%25/new' },
    { tenant_id: '100%', owner: '100%25/u' },
    { tenant_id: 'a', owner: 'a/b/c' },
    { tenant_id: 'a/b', owner: 'a%2Fb/c' },
  ]);
});

test('ids that could be taken for others are found in every table, and nothing else is', async () => {
  await migrate(postgres.url);
  await seedDemoData(postgres.url);
  const key = (id: string, tenant: string, user: string | null) =>
    query('INSERT INTO api_key (id, hash, tenant_id, user_id, tier, scopes) VALUES ($1, $1, $2, $3, $4, $5)', [
      id,
      tenant,
      user,
      'free',
      [],
    ]);
  await query('INSERT INTO "user" (tenant_id, id) VALUES ($1, $2), ($1, $3)', ['acme', '张三', 'é'.normalize('NFD')]);
  await query('INSERT INTO knowledge_collection (tenant_id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING', ['*', 'unclear']);
  await key('k1', 'acme', 'a/b c@example.com');
  await key('k2', 'acme ', 'key:k1');
  await key('k3', '*', null);
  await key('k4', 'guests', 'x\u200b');
  await key('k5', 'x'.repeat(129), 'new\nline');
  const found = await connected(unclearIds);
  expect(found.map(({ table, column, id }) => [table, column, id])).toEqual([
    ['api_key', 'tenant_id', '*'],
    ['api_key', 'tenant_id', 'acme '],
    ['api_key', 'tenant_id', 'guests'],
    ['api_key', 'tenant_id', 'x'.repeat(129)],
    ['api_key', 'user_id', 'key:k1'],
    ['api_key', 'user_id', 'new\nline'],
    ['api_key', 'user_id', 'x\u200b'],
    ['user', 'id', 'e\u0301'],
  ]);
  expect(found[1]).toEqual({ table: 'api_key', column: 'tenant_id', id: 'acme ', rows: 1, fault: 'must not begin or end with a blank' });
});

async function query(text: string, values: readonly unknown[]): Promise<unknown[]> {
  return connected(async (client) => (await client.query(text, [...values])).rows);
}

async function connected<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
