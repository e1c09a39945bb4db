// The command line beside nothing but an address and a key.
import { execFile } from 'node:child_process';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually, otherProfile, startSystem, startTimeoutMs, type System } from '#lib/testing';
import { expectSuccess } from '../expectations.js';
import { inProcess } from '../in-process.js';

let system: System;
let key: string;

beforeAll(async () => {
  system = await startSystem({ inProcess, more: [{ main: 'dist/apps/knowledge-worker/src/main.js' }] });
  key = await system.tenant.key({ userId: null, scopes: ['tenant:admin', 'tools:write', 'admin'] });
}, startTimeoutMs);
afterAll(() => system?.[Symbol.asyncDispose]());

function invoq(cwd: string, ...args: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  // No store: what a person at another machine has.
  const env = { PATH: process.env['PATH'], INIT_CWD: cwd, INVOQ_URL: system.gateway.url, INVOQ_ADMIN_KEY: key, INVOQ_DATA_DIR: cwd };
  return new Promise((done) => {
    const child = execFile(process.execPath, ['dist/apps/cli/src/main.js', ...args], { env }, (_, stdout, stderr) =>
      done({ code: child.exitCode ?? -1, out: stdout + stderr }),
    );
  });
}

test('documents and profiles are imported with a key alone, and both imports stand in the history', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-imports-'));
  writeFileSync(join(folder.path, 'refunds.md'), '# Refunds\n\nA refund takes five to ten days.');
  writeFileSync(join(folder.path, 'broken.pdf'), '%PDF-1.4');
  const knowledge = await invoq(folder.path, 'import', 'knowledge', '.', '--collection', 'handbook');
  expect([knowledge.code, knowledge.out]).toEqual([
    1,
    expect.stringMatching(/^Collection handbook of the tenant of your key, .*: 1 documents added.*\n.*\n {2}skipped {2}broken\.pdf: /),
  ]);
  const rows = [otherProfile, { ...otherProfile, user_id: 'user_new' }].map((row) => `${JSON.stringify({ ...row, age: 44 })}\n`);
  writeFileSync(join(folder.path, 'people.ndjson'), rows.join(''));
  const profiles = await invoq(folder.path, 'import', 'profiles', 'people.ndjson');
  expect([profiles.code, profiles.out]).toEqual([
    0,
    expect.stringMatching(/^Loaded people\.ndjson .*: 1 added, 1 changed, 0 unchanged\.\n$/),
  ]);

  const reader = await system.caller({ scopes: ['tools:read', 'profile:read:any'] });
  const found = expectSuccess((await reader.call('search_documents', { query: 'refund' })).envelope);
  expect(JSON.stringify(found)).toContain('five to ten days');
  for (const user_id of ['user_other', 'user_new'])
    expect(expectSuccess((await reader.call('user_profile_lookup', { user_id })).envelope)).toMatchObject({ user_id, age: 44 });

  const admin = await system.admin();
  await eventually(async () => {
    const { text } = await admin.get('/history?scope=tenant&limit=50');
    return ['import_documents', 'import_profiles'].every((name) => text.includes(`"${name}"`));
  });
}, 60_000);
