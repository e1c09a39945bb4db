// The way of operators (`--tenant`), on the Postgres of DATABASE_URL, for a tenant of its own.
import { randomBytes } from 'node:crypto';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { runCommandLine } from '../test-command-line.js';

const tenant = `import-cli-${randomBytes(5).toString('hex')}`;
const row = (user_id: string, age: number): string =>
  `${JSON.stringify({ user_id, age, gender: 'other', height_cm: 170, weight_kg: 70, activity_level: 'light', health_goals: [], medical_conditions: [], dietary_restrictions: [] })}\n`;

afterAll(async () => {
  const client = new Client({ connectionString: process.env['DATABASE_URL'] });
  await client.connect();
  await client.query('DELETE FROM profile WHERE tenant_id = $1', [tenant]);
  await client.end();
});

/** In a folder with a file of these rows. */
async function importRows(rows: readonly string[], ...options: readonly string[]) {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-profiles-'));
  writeFileSync(join(folder.path, 'people.ndjson'), rows.join(''));
  return await runCommandLine(['import', 'profiles', 'people.ndjson', '--tenant', tenant, ...options], { INIT_CWD: folder.path });
}

test('a dry run changes nothing, the import loads, and a second one finds nothing to do', async () => {
  const rows = [row('u1', 30), row('u2', 40)];
  expect(await importRows(rows, '--dry-run')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Dry run, nothing was loaded: people\.ndjson .*: 2 added, 0 changed, 0 unchanged\.\n$/),
  });
  expect(await importRows(rows)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      new RegExp(`^Loaded people\\.ndjson \\(\\d+ bytes, 2 rows, 0 rejected\\) into tenant ${tenant} in \\d+\\.\\d s: 2 added`),
    ),
    stderr: '',
  });
  expect((await importRows(rows)).stdout).toContain('0 added, 0 changed, 2 unchanged.');
});

test('bad rows are told by line, and stop the import unless they are skipped', async () => {
  const rows = [row('u3', 30), row('u4', 0), 'no JSON\n'];
  const stopped = await importRows(rows);
  expect(stopped).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /^Nothing was loaded from people\.ndjson .*Correct the rejected rows.*\nThe rejected rows are in .*people\.ndjson\.rejected\.ndjson\n$/,
    ),
  });
  expect(stopped.stderr).toMatch(/^people\.ndjson:2 age: .*\npeople\.ndjson:3 is not valid JSON\n$/);
  expect(await importRows(rows, '--skip-bad')).toMatchObject({ code: 1, stdout: expect.stringMatching(/^Loaded .*: 1 added/) });
});

test('of many bad rows the first twenty are printed', async () => {
  const { stderr } = await importRows(Array.from({ length: 22 }, () => 'no JSON\n'));
  expect(stderr.trimEnd().split('\n')).toHaveLength(21);
  expect(stderr).toMatch(/people\.ndjson:20 .*\nMore rows are bad; the file of rejected rows will have them all\.\n$/);
});

test('a database that is not there is an error that names its address, without its password', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-profiles-'));
  writeFileSync(join(folder.path, 'people.ndjson'), row('u', 30));
  const environment = { INIT_CWD: folder.path, DATABASE_URL: 'postgresql://me:secret@127.0.0.1:1/db' };
  expect(await runCommandLine(['import', 'profiles', 'people.ndjson', '--tenant', tenant], environment)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'error: The database at 127.0.0.1:1 cannot be reached (ECONNREFUSED). Is it running?\n',
  });
});
