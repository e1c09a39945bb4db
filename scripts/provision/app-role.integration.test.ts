import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { hashedNgrams, putUnits, VectorIndex, type Sql } from '#lib/retrieval';
import { grantAppRole } from './app-role.js';
import { migrate } from './migrate.js';
import { startPostgres, type PrivateStore } from './private-stores.js';

let postgres: PrivateStore;
let client: Client;

beforeAll(async () => {
  postgres = await startPostgres();
  await migrate(postgres.url);
  const app = new URL(postgres.url);
  app.username = 'some app';
  app.password = 'none';
  await grantAppRole(postgres.url, app.href);
  client = new Client({ connectionString: postgres.url });
  await client.connect();
  // The embedded Postgres asks nobody for a name.
  await client.query('SET SESSION AUTHORIZATION "some app"');
}, 60_000);

afterAll(async () => {
  await client.end();
  await postgres[Symbol.asyncDispose]();
});

test('a role that owns nothing makes vectors, also those of a model that is new, and so many that they need an index', async () => {
  const sql: Sql = { query: (text, values) => client.query(text, values) };
  const vectors = new VectorIndex({ ...sql, connect: () => Promise.resolve({ ...sql, release: () => undefined }) }, hashedNgrams(8));
  const refs = Array.from({ length: 2_100 }, (_, number) => `word${number}`);
  const ids = await putUnits(
    sql,
    'test',
    refs.map((ref) => ({ ref, fields: [{ text: ref }], labels: [] })),
  );
  await vectors.put(new Map(refs.map((ref) => [ids.get(ref) ?? 0, ref])));
  expect(await vectors.missing({ after: 0, limit: 1 })).toEqual([]);
  const { rows } = await client.query(
    'SELECT tableowner, hasindexes FROM pg_tables JOIN pg_indexes USING (tablename) WHERE indexname = $1',
    [`retrieval_vector_${(await vectors.model()).id}_near`],
  );
  expect(rows).toEqual([{ tableowner: 'postgres', hasindexes: true }]);
  await expect(client.query('CREATE TABLE mine (id int)')).rejects.toThrow('permission denied');
}, 60_000);
