import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, type ScriptedAnswer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from '../test-command-line.js';
import { envelope, failure } from '../test-gateway.js';

const row = (user_id: string, facts: object = {}) => ({
  user_id,
  age: 30,
  gender: 'other',
  height_cm: 170,
  weight_kg: 70,
  activity_level: 'light',
  health_goals: [],
  medical_conditions: [],
  dietary_restrictions: [],
  ...facts,
});
const rows = (count: number) => Array.from({ length: count }, (_, number) => row(`u${number}`));

const loaded = (facts: object): ScriptedAnswer => jsonAnswer(200, envelope({ added: 0, changed: 0, unchanged: 0, ...facts }));

async function importRows(server: ScriptedServer, given: readonly object[], ...options: readonly string[]) {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-profiles-'));
  writeFileSync(join(folder.path, 'people.ndjson'), given.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const environment = { INIT_CWD: folder.path, INVOQ_URL: server.url, INVOQ_ADMIN_KEY: 'key' };
  return await runCommandLine(['import', 'profiles', 'people.ndjson', ...options], environment);
}
const inputs = ({ requests }: ScriptedServer) => requests.map(({ body }) => JSON.parse(body));

test('rows are loaded by calls of a thousand, whose counts are summed', async () => {
  await using server = await startScriptedServer(loaded({ added: 999, changed: 1 }), loaded({ unchanged: 500 }));
  expect(await importRows(server, rows(1_500))).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^Loaded people\.ndjson \(.*, 1,500 rows, 0 rejected\) into the tenant of your key in .*: 999 added, 1 changed, 500 unchanged\.\n$/,
    ),
    stderr: '',
  });
  expect(server.requests.map(({ url, headers }) => [url, headers['authorization']])).toEqual(
    Array.from({ length: 2 }, () => ['/tools/import_profiles', 'Bearer key']),
  );
  expect(inputs(server)).toEqual([
    { profiles: rows(1_000), dry_run: false },
    { profiles: rows(1_500).slice(1_000), dry_run: false },
  ]);
});

test('a dry run is one at the gateway', async () => {
  await using server = await startScriptedServer(loaded({ added: 2 }));
  expect((await importRows(server, rows(2), '--dry-run')).stdout).toMatch(/^Dry run, nothing was loaded: .*: 2 added/);
  expect(inputs(server)).toMatchObject([{ dry_run: true }]);
});

test('a bad row stops the import before anything is sent, or is left out', async () => {
  const given = [row('u1'), row('u2', { age: 0 }), row('u1')];
  await using server = await startScriptedServer(loaded({ added: 1 }));
  const stopped = await importRows(server, given);
  expect(stopped).toMatchObject({ code: 1, stdout: expect.stringMatching(/^Nothing was loaded from people\.ndjson/) });
  expect(stopped.stderr).toMatch(/^people\.ndjson:2 age: .*\npeople\.ndjson:3 user_id: the same user is on line 1 already\n$/);
  expect(server.requests).toEqual([]);
  expect(await importRows(server, given, '--skip-bad')).toMatchObject({ code: 1, stdout: expect.stringMatching(/^Loaded .*: 1 added/) });
  expect(inputs(server)).toEqual([{ profiles: [row('u1')], dry_run: false }]);
});

test('a refusal is the error of the command', async () => {
  await using server = await startScriptedServer(jsonAnswer(403, failure('PERMISSION_DENIED', 'The scope tenant:admin is missing')));
  expect(await importRows(server, rows(1))).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('tenant:admin') });
});
