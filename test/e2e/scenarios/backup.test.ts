// `npm run backup` of a system, and `npm run restore` into an empty database and folder, where another system goes on.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempDisposableSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Client } from 'pg';
import { eventually, givenStores, HttpCaller, startTimeoutMs } from '#lib/testing';
import { grantAppRole } from '../../../scripts/provision/app-role.js';
import { migrate } from '../../../scripts/provision/migrate.js';
import { startDebianPostgres, type DebianPostgres } from '../debian-postgres.js';
import { MemotreeSession, startMemotree } from '../memotree-system.js';

jest.setTimeout(120_000);

interface Ended {
  readonly code?: number;
  readonly stderr: string;
  readonly stdout: string;
}

/** Every table with its rows, as text. */
async function contentsOf(url: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1",
  );
  const contents = new Map<string, readonly string[]>();
  for (const { name } of rows) {
    const table = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t ORDER BY 1`);
    contents.set(
      name,
      table.rows.map(({ row }) => row),
    );
  }
  await client.end();
  return contents;
}

/** Rows can be changed, and nothing else: neither the schema, nor what triggers and functions write. */
async function expectRowsAlone(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "SELECT c.oid::regclass::text AS name FROM pg_class c WHERE c.relname LIKE 'audit_event_2%'",
  );
  const [day = ''] = rows.map(({ name }) => name);
  const statements = [
    'CREATE TABLE mine (id int)',
    'ALTER TABLE api_key ADD mine int',
    'DROP TABLE api_key',
    'TRUNCATE api_key',
    'ALTER TABLE api_key DISABLE TRIGGER ALL',
    "SET session_replication_role = 'replica'",
    'DROP FUNCTION keep_days',
    'DELETE FROM audit_event',
    `DELETE FROM ${day}`,
    `DROP TABLE ${day}`,
    'INSERT INTO call_usage SELECT * FROM call_usage',
    'UPDATE call_history SET caller = NULL',
    'CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    'CREATE ROLE mine',
    'SELECT audit_change()',
    "COPY api_key TO PROGRAM 'cat'",
    'DELETE FROM _prisma_migrations',
  ];
  for (const statement of statements)
    expect([
      statement,
      await client.query(statement).then(
        () => 'allowed',
        (error: unknown) => String(error),
      ),
    ]).toEqual([statement, expect.stringMatching(/permission denied|must be (owner|superuser)|can only be called as triggers/)]);
  const { rows: audited } = await client.query('SELECT 1 FROM audit_event LIMIT 1');
  expect(audited).toHaveLength(1);
  await client.end();
}

describe('a backup', () => {
  const started = new AsyncDisposableStack();
  let postgres: DebianPostgres;
  let folder: string;

  beforeAll(async () => {
    postgres = started.use(await startDebianPostgres());
    folder = started.adopt(mkdtempDisposableSync(join(tmpdir(), 'invoq-backup-')), (one) => one.remove()).path;
  }, startTimeoutMs);
  afterAll(async () => started.disposeAsync(), startTimeoutMs);

  const run = (command: 'backup' | 'restore', args: readonly string[], env: Record<string, string>): Promise<Ended> =>
    promisify(execFile)(process.execPath, [`dist/scripts/${command}.js`, ...args], { env: { ...process.env, ...env } }).catch(
      (error: Ended) => error,
    );

  test('is restored with all rows and files, and a system goes on from it', async () => {
    const before = postgres.newDatabase('before');
    await migrate(before);
    // The apps run as a role that owns nothing.
    const appUrl = before.replace('postgres:none@', 'invoq%20app:it%27s%20none@');
    await grantAppRole(before, appUrl);
    expect(await grantAppRole(before, appUrl)).toBe('invoq app');
    const files = join(folder, 'files');
    mkdirSync(join(files, 'reports'), { recursive: true });
    writeFileSync(join(files, 'reports/周报.pdf'), 'made by a tool');
    const { redisUrl } = givenStores();
    const system = started.use(await startMemotree({ stores: { redisUrl, databaseUrl: appUrl } }));
    const key = await system.tenant.key({});
    const session = new MemotreeSession(new HttpCaller(system.gateway.url, key), 'one', 'garden');
    const nodeId = await session.create({ title: 'Kiwi', content: 'A fruit.' });
    await session.do('commit_changes', { message: 'Kept' });
    await eventually(async () => (await new HttpCaller(system.gateway.url, key).get('/history')).text.includes('commit_changes'));
    await expectRowsAlone(appUrl);

    // Summaries are written in the background, and would be in one of the two that are compared.
    await Promise.all([...system.gateways, ...system.workers].map((app) => app.stop()));

    const backups = join(folder, 'backups');
    expect(await run('backup', [backups], { DATABASE_URL: `${before}?pgbouncer=true`, FILES_DIR: files })).not.toHaveProperty('code');
    const kept = await contentsOf(before);
    expect([...kept.values()].flat().length).toBeGreaterThan(5);
    const [backup = '', ...others] = readdirSync(backups).map((name) => join(backups, name));
    expect(others).toEqual([]);

    const after = postgres.newDatabase('after');
    const restoredFiles = join(folder, 'restored');
    const restored = await run('restore', [backup], { DATABASE_URL: after, FILES_DIR: restoredFiles });
    expect([restored.code, restored.stdout]).toEqual([undefined, expect.stringContaining('Restored.')]);
    expect(await contentsOf(after)).toEqual(kept);
    expect(readFileSync(join(restoredFiles, 'reports/周报.pdf'), 'utf8')).toBe('made by a tool');

    const other = started.use(await startMemotree({ stores: { redisUrl, databaseUrl: after } }));
    const again = new MemotreeSession(new HttpCaller(other.gateway.url, key), 'two', 'garden');
    expect(await again.find({ query: 'kiwi' })).toEqual([nodeId]);

    // Neither is written over.
    const twice = await run('restore', [backup], { DATABASE_URL: after, FILES_DIR: join(folder, 'new') });
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringMatching(/the database of DATABASE_URL has \d+ tables/)]);
    const full = await run('restore', [backup], { DATABASE_URL: postgres.newDatabase('third'), FILES_DIR: restoredFiles });
    expect([full.code, full.stderr]).toEqual([1, expect.stringContaining('is not empty')]);
  });

  test('that cannot be made leaves nothing behind, and one that is none is told', async () => {
    const backups = join(folder, 'broken');
    const gone = await run('backup', [backups], { DATABASE_URL: 'postgresql://a:secret@127.0.0.1:9/b', FILES_DIR: folder });
    expect([gone.code, gone.stderr]).toEqual([1, expect.not.stringContaining('secret')]);
    expect((await run('backup', [], {})).code).toBe(2);
    const none = await run('restore', [folder], { DATABASE_URL: postgres.newDatabase('fourth') });
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('is no backup')]);
  });
});
