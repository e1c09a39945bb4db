// The command as a person runs it, on real files and a real database.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempDisposableSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Client } from 'pg';

const tenant = `test-${randomBytes(5).toString('hex')}`;

function run(args: readonly string[], cwd: string): Promise<{ code: number; out: string }> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      ['dist/apps/cli/src/main.js', 'import', 'knowledge', ...args],
      { env: { ...process.env, INIT_CWD: cwd } },
      (_, stdout, stderr) => done({ code: child.exitCode ?? -1, out: stdout + stderr }),
    );
  });
}

async function documents(): Promise<unknown[]> {
  const client = new Client({ connectionString: process.env['DATABASE_URL'] });
  await client.connect();
  try {
    const { rows } = await client.query(
      'SELECT d.path, d.title FROM knowledge_document d JOIN knowledge_collection c ON c.id = d.collection_id WHERE c.tenant_id = $1 ORDER BY path',
      [tenant],
    );
    return rows;
  } finally {
    await client.end();
  }
}

test('a folder is imported, what cannot be read is named, and running again changes nothing', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-import-'));
  const put = (name: string, content: string | Uint8Array): void => writeFileSync(join(folder.path, name), content);
  mkdirSync(join(folder.path, 'pages'));
  put('pages/a.md', '# 甲\n\n第一页。');
  put('b.html', '<title>B</title><p>Second page.</p>');
  put('c.txt', 'Third page.');
  put('d.jsonl', '{"id":"line one","text":"Fourth page."}\n{"text":5}\n');
  put('broken.pdf', '%PDF-1.4');
  put('latin1.txt', Buffer.from('caf\xe9', 'latin1'));
  put('huge.md', Buffer.alloc(50 * 1_048_576, 97));
  put('ignored.png', 'x');
  const args = [folder.path, '--collection', 'documents', '--tenant', tenant];
  const first = await run(args, folder.path);
  expect(first.out).toContain('4 documents added, 0 changed, 0 unchanged, 0 removed');
  for (const name of ['broken.pdf', 'latin1.txt', 'huge.md', 'd.jsonl:2']) expect(first.out).toMatch(new RegExp(`skipped +${name}: `));
  expect(first.code).toBe(1);
  expect(await documents()).toEqual([
    { path: 'b.html', title: 'B' },
    { path: 'c.txt', title: 'c' },
    { path: 'line one', title: 'line one' },
    { path: 'pages/a.md', title: '甲' },
  ]);
  expect((await run(args, folder.path)).out).toContain('0 documents added, 0 changed, 4 unchanged');
  const pruned = await run(['pages/*.md', '--prune', '--collection', 'documents', '--tenant', tenant], folder.path);
  expect([pruned.code, pruned.out]).toEqual([0, expect.stringContaining('removed')]);
});

test.each([
  [[], /is missing/],
  [['x.md', '--collection', 'documents'], /No file matches: x\.md/],
  [['.', '--collection', 'Bad Name'], /--collection/],
  [['.', '--collection', 'a', '--unknown'], /unknown/],
])('%j is wrong usage and says why', async (args, reason) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-import-'));
  const { code, out } = await run(args, folder.path);
  expect([code, out]).toEqual([2, expect.stringMatching(reason)]);
});
