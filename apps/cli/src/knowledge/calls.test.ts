import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, type ScriptedAnswer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from '../test-command-line.js';
import { envelope, failure } from '../test-gateway.js';

const counts = {
  collection: 'c',
  added: 0,
  changed: 0,
  unchanged: 0,
  removed: 0,
  sections_written: 0,
  sections_kept: 0,
  sections_removed: 0,
};
/** A call that ends at once. */
const imported = (facts: object, metadata: object = {}): ScriptedAnswer =>
  jsonAnswer(200, envelope({ ...counts, skipped: [], notes: [], ...facts }, metadata));

function folderOf(files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-calls-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder.path, name), content);
  return folder;
}

const run = (server: ScriptedServer, ...args: readonly string[]) =>
  runCommandLine(['import', 'knowledge', ...args, '--collection', 'c'], { INVOQ_URL: server.url, INVOQ_ADMIN_KEY: 'key' });
const inputs = ({ requests }: ScriptedServer) => requests.map(({ body }) => JSON.parse(body));

test('files are sent in a call of the tool, bytes that are no text as they are, and what it says is told', async () => {
  using folder = folderOf({ 'a.md': '# 甲', 'b.txt': Buffer.from('caf\xe9', 'latin1'), 'c.html': '<p>x' });
  await using server = await startScriptedServer(
    imported(
      { added: 2, sections_written: 3, skipped: [{ path: 'b.txt', reason: 'it is not UTF-8' }] },
      { warnings: ['Found by keywords alone'] },
    ),
  );
  expect(await run(server, folder.path)).toEqual({
    code: 1,
    stdout: expect.stringMatching(
      /^Collection c of the tenant of your key, in .*: 2 documents added, 0 changed.*\nSections: 3 written.*\n {2}skipped {2}b\.txt: it is not UTF-8\nFound by keywords alone\n$/,
    ),
    stderr: '',
  });
  expect(server.requests[0]).toMatchObject({ url: '/tools/import_documents', headers: { authorization: 'Bearer key' } });
  expect(inputs(server)).toEqual([
    {
      collection: 'c',
      documents: [
        { path: 'a.md', content: '# 甲' },
        { path: 'b.txt', content: 'Y2Fm6Q==', encoding: 'base64' },
        { path: 'c.html', content: '<p>x' },
      ],
      prune: false,
    },
  ]);
});

test('many bytes go in several calls, whose counts are summed', async () => {
  const text = 'x'.repeat(3_000_000);
  using folder = folderOf({ 'a.md': text, 'b.md': text, 'c.md': 'x' });
  await using server = await startScriptedServer(imported({ added: 1, sections_kept: 1 }), imported({ changed: 2, sections_kept: 2 }));
  expect(await run(server, folder.path)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/: 1 documents added, 2 changed.*\n.* 3 kept/),
  });
  expect(inputs(server).map(({ documents }) => documents.map(({ path }: { path: string }) => path))).toEqual([['a.md'], ['b.md', 'c.md']]);
});

test('what a call cannot carry, or the tool does not take by its name, is named, and then nothing is pruned', async () => {
  using folder = folderOf({ 'a.md': 'x', 'huge.md': 'x'.repeat(16_777_216), README: 'x' });
  await using server = await startScriptedServer(imported({ added: 1 }));
  const { code, stdout } = await run(server, ...['a.md', 'huge.md', 'README'].map((name) => join(folder.path, name)), '--prune');
  expect(code).toBe(1);
  expect(stdout).toMatch(/note +README: nothing was removed/);
  expect(stdout).toMatch(/skipped +README: its name must end in \.md/);
  expect(stdout).toMatch(/skipped +huge\.md: it has more than the 15 MB that a call carries; .*--tenant/);
  expect(inputs(server)).toEqual([{ collection: 'c', documents: [{ path: 'a.md', content: 'x' }], prune: false }]);
});

test('pruning takes one call, also for what would go in several, and more than it carries imports nothing', async () => {
  const text = 'x'.repeat(6_000_000);
  using folder = folderOf({ 'a.md': text, 'b.md': text });
  await using server = await startScriptedServer(imported({ removed: 1 }));
  expect(await run(server, folder.path, '--prune')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 removed') });
  expect(inputs(server)).toMatchObject([{ prune: true, documents: [{ path: 'a.md' }, { path: 'b.md' }] }]);
  writeFileSync(join(folder.path, 'c.md'), text);
  expect(await run(server, folder.path, '--prune')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: --prune needs one call/),
  });
  expect(server.requests).toHaveLength(1);
});

test('a key without the scope is told so', async () => {
  using folder = folderOf({ 'a.md': 'x' });
  await using server = await startScriptedServer(jsonAnswer(403, failure('PERMISSION_DENIED', 'The scope tenant:admin is missing')));
  expect(await run(server, folder.path)).toMatchObject({ code: 1, stderr: expect.stringContaining('tenant:admin') });
});
