// `npm run backup` of a system, and `npm run restore` into an empty database and folder, where another system goes on.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Client } from 'pg';
import { eventually, givenStores, HttpCaller, startTimeoutMs } from '#lib/testing';
import { grantAppRole } from '../../../scripts/provision/app-role.js';
import { migrate } from '../../../scripts/provision/migrate.js';
import { startDebianPostgres, type DebianPostgres } from '../debian-postgres.js';
import { PlatformReader } from '../../../apps/stripe-worker/src/platform/platform-reader.js';
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

/** The Stripe tools read the platform as a role that may do nothing else. */
async function expectPlatformRead(url: string): Promise<void> {
  const reader = new PlatformReader({ url, poolSize: 1, role: 'invoq_platform_reader', statementTimeoutMs: 10_000 });
  try {
    for (const view of ['platform_merchant', 'platform_session', 'platform_return_origin'])
      expect(await reader.read((query) => query(`SELECT * FROM ${view}`, []))).toEqual([]);
  } finally {
    await reader.close();
  }
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
    const growing = join(files, 'growing');
    writeFileSync(growing, '');
    // Long enough that it is written to while it is read.
    truncateSync(growing, 64_000_000);
    const { redisUrl } = givenStores();
    const system = started.use(await startMemotree({ stores: { redisUrl, databaseUrl: appUrl } }));
    const key = await system.tenant.key({});
    const session = new MemotreeSession(new HttpCaller(system.gateway.url, key), 'one', 'garden');
    const nodeId = await session.create({ title: 'Kiwi', content: 'A fruit.' });
    await session.do('commit_changes', { message: 'Kept' });
    await eventually(async () => (await new HttpCaller(system.gateway.url, key).get('/history')).text.includes('commit_changes'));
    await expectRowsAlone(appUrl);
    await expectPlatformRead(appUrl);

    // Summaries are written in the background, and would be in one of the two that are compared.
    await Promise.all([...system.gateways, ...system.workers].map((app) => app.stop()));

    const backups = join(folder, 'backups');
    const writing = setInterval(() => appendFileSync(growing, 'x'), 1);
    const made = await run('backup', [backups], { DATABASE_URL: `${before}?pgbouncer=true`, FILES_DIR: files });
    clearInterval(writing);
    expect([made.code, made.stderr]).toEqual([undefined, '']);
    const kept = await contentsOf(before);
    expect([...kept.values()].flat().length).toBeGreaterThan(5);
    const [backup = '', ...others] = readdirSync(backups).map((name) => join(backups, name));
    expect(others).toEqual([]);

    const after = postgres.newDatabase('after');
    const restoredFiles = join(folder, 'restored');
    const appAfter = after.replace('postgres:none@', 'invoq%20app:it%27s%20none@');
    const restored = await run('restore', [backup], { DATABASE_URL: after, APP_DATABASE_URL: appAfter, FILES_DIR: restoredFiles });
    expect([restored.code, restored.stdout]).toEqual([undefined, expect.stringContaining('Restored.')]);
    expect(await contentsOf(after)).toEqual(kept);
    expect(readFileSync(join(restoredFiles, 'reports/周报.pdf'), 'utf8')).toBe('made by a tool');

    await expectPlatformRead(appAfter);
    const other = started.use(await startMemotree({ stores: { redisUrl, databaseUrl: appAfter } }));
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
    const database = postgres.newDatabase('fourth');
    const none = await run('restore', [folder], { DATABASE_URL: database });
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('is no backup')]);

    // Half of a file: nothing is there afterwards, so a better copy can be restored to the same place.
    await migrate(database);
    const [whole, files] = [join(folder, 'whole'), join(folder, 'some')];
    mkdirSync(files);
    writeFileSync(join(files, 'one'), 'x'.repeat(20_000));
    await run('backup', [whole], { DATABASE_URL: database, FILES_DIR: files });
    const [backup = ''] = readdirSync(whole).map((name) => join(whole, name));
    truncateSync(join(backup, 'files.tar'), 5_000);
    const target = { DATABASE_URL: postgres.newDatabase('fifth'), FILES_DIR: join(folder, 'halves') };
    const half = await run('restore', [backup], target);
    expect([half.code, half.stderr]).toEqual([1, expect.stringContaining('tar failed')]);
    expect(await contentsOf(target.DATABASE_URL)).toEqual(new Map());
    expect(readdirSync(target.FILES_DIR)).toEqual([]);
  });

  test('of compose is made again and again, and old ones go only when a new one is there', async () => {
    const url = postgres.newDatabase('composed');
    await migrate(url);
    const backups = join(folder, 'composed');
    const files = join(folder, 'composed-files');
    for (const name of ['20200101T000000Z', '.20200102T000000Z']) mkdirSync(join(backups, name), { recursive: true });
    mkdirSync(files);
    writeFileSync(join(files, 'one'), 'made by a tool');
    const longAgo = new Date('2020-01-01');
    utimesSync(join(backups, '20200101T000000Z'), longAgo, longAgo);
    const { port } = new URL(url);
    const runService = async (env: Record<string, string>, isDone: (output: string) => boolean): Promise<string> => {
      const service = spawn('sh', ['ops/backup.sh', backups, files], {
        env: { ...process.env, PGHOST: '127.0.0.1', PGPORT: port, PGUSER: 'postgres', PGDATABASE: 'composed', ...env },
        detached: true,
      });
      let output = '';
      for (const stream of [service.stdout, service.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      await eventually(() => isDone(output), { withinMs: 60_000, what: 'the service has done its work' });
      // With the program that it waits for.
      process.kill(-(service.pid ?? 0));
      await once(service, 'exit');
      return output;
    };

    await runService({ PGPORT: '9' }, (output) => output.includes('backup-failed'));
    expect(readdirSync(backups)).toEqual(['20200101T000000Z']);
    // Twice: what is old goes after the first.
    await runService({ BACKUP_EVERY_SECONDS: '1' }, (output) => output.split('"event":"backup"').length > 2);
    const [first = '', ...more] = readdirSync(backups).filter((name) => !name.startsWith('.'));
    expect([first > '20260101T000000Z', more.length > 0]).toEqual([true, true]);
    const target = { DATABASE_URL: postgres.newDatabase('recomposed'), FILES_DIR: join(folder, 'recomposed-files') };
    expect(await run('restore', [join(backups, first)], target)).not.toHaveProperty('code');
    expect(await contentsOf(target.DATABASE_URL)).toEqual(await contentsOf(url));
    expect(readFileSync(join(target.FILES_DIR, 'one'), 'utf8')).toBe('made by a tool');
  });
});
