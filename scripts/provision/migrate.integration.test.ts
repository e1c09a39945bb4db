import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { migrate } from './migrate.js';
import { startPostgres, type PrivateStore } from './private-stores.js';
import { differenceToSchema } from './schema-engine.js';
import { ensureKeys, seedDemoData } from './seed.js';

let postgres: PrivateStore;

beforeAll(async () => {
  postgres = await startPostgres();
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
  const first = await ensureKeys(postgres.url, { admin: undefined, user: undefined });
  expect(await ensureKeys(postgres.url, first)).toEqual(first);
  await query('UPDATE api_key SET revoked_at = now() WHERE user_id = $1', ['user_001']);
  const second = await ensureKeys(postgres.url, first);
  expect(second.admin).toBe(first.admin);
  expect(second.user).not.toBe(first.user);
});

async function query(text: string, values: readonly unknown[]): Promise<unknown[]> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
