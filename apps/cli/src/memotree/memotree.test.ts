import { existsSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, streamAnswer, type ScriptedAnswer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from '../test-command-line.js';
import { envelope, event, failure, metadata } from '../test-gateway.js';
import { writeInside } from './export-memotree.js';
import { sessionFor } from '../run-job.js';

const accepted = jsonAnswer(202, { job_id: 'inv_1', tool_name: 't', trace_id: 'trace_1' });
const followed = (data: object, facts: object = {}): ScriptedAnswer =>
  streamAnswer([event('tool_progress', 1, { progress: 50, message: 'Half', metadata }), event('tool_result', 2, envelope(data, facts))]);
const ended = (data: object): ScriptedAnswer => jsonAnswer(200, { job_id: 'inv_1', result: envelope(data) });
const counts = (facts: object = {}) => ({ created: 1, updated: 0, unchanged: 2, links: 3, unresolved: [], ...facts });

function folderOf(files: Readonly<Record<string, string>>) {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-memotree-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
  return folder;
}

const run = (server: ScriptedServer, ...args: readonly string[]) => runCommandLine(args, { INVOQ_URL: server.url });
/** The inputs of the calls, in order. */
const inputs = ({ requests }: ScriptedServer) => requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));

test('a folder is imported as a job of one session, with progress and warnings, and committed', async () => {
  using folder = folderOf({ 'a.md': 'A', 'x.png': '' });
  await using server = await startScriptedServer(
    accepted,
    followed(counts({ unresolved: ['Backoff'] }), { warnings: ['1 link targets were not found'] }),
    accepted,
    ended({ commitId: 'c1' }),
  );
  const line = ['import', 'memotree', folder.path, '--workspace', 'team', '--parent', 'n1', '--no-headings', '--commit', 'First'];
  expect(await run(server, ...line)).toEqual({
    code: 0,
    stdout: `1 files are no Markdown and stay where they are: 1 .png
1/1 50 % Half
1 nodes created, 0 updated, 2 unchanged; 3 links
Links without a target, which stay as they are: Backoff
Committed as c1
`,
    stderr: 'warning: 1 link targets were not found\n',
  });
  expect(inputs(server)).toEqual([
    { workspace: 'team', parentId: 'n1', headings: false, files: [{ path: 'a.md', text: 'A' }] },
    { workspace: 'team', message: 'First' },
  ]);
  const sessions = server.requests.filter(({ method }) => method === 'POST').map(({ headers }) => headers['x-session-id']);
  expect(sessions).toEqual(Array.from({ length: 2 }, () => sessionFor('import', folder.path, 'team')));
});

test('links from an early portion to a later one are resolved by a second import, and only then missed', async () => {
  // Eight files of almost 1 MB: two portions.
  const text = 'x'.repeat(999_000);
  using folder = folderOf(Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}.md`, text])));
  await using server = await startScriptedServer(
    accepted,
    followed(counts({ unresolved: ['Later', 'Nowhere'] }), { warnings: ['2 link targets were not found'] }),
    accepted,
    followed(counts()),
    accepted,
    ended(counts({ unresolved: ['Nowhere'] })),
  );
  const { stdout, stderr } = await run(server, 'import', 'memotree', folder.path);
  expect(stdout).toContain('2 nodes created, 0 updated, 4 unchanged; 6 links');
  expect(stdout).toContain('Links without a target, which stay as they are: Nowhere\n');
  expect(stdout).toContain('The changes are staged. Run the command again with --commit to publish them.');
  expect(stderr).toBe('');
  const portions = inputs(server).map(({ files }: { files: readonly { path: string }[] }) => files.map(({ path }) => path));
  expect(portions).toEqual([['0.md', '1.md', '2.md', '3.md', '4.md', '5.md'], ['6.md', '7.md'], portions[0]]);
});

/** Stops the import once the job runs, as Ctrl-C does. */
const interrupting: ScriptedAnswer = async (response, request) => {
  await streamAnswer([event('tool_progress', 1, { progress: 10, message: 'Some', metadata })], 'open')(response, request);
  setTimeout(() => process.emit('SIGINT'), 50);
};

test('Ctrl-C cancels the job that runs, and tells what is imported and how to go on', async () => {
  const text = 'x'.repeat(999_000);
  using folder = folderOf(Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}.md`, text])));
  await using server = await startScriptedServer(accepted, followed(counts()), accepted, interrupting, jsonAnswer(200, { ok: true }));
  const { code, stdout } = await run(server, 'import', 'memotree', folder.path, '--commit', 'First');
  expect(code).toBe(130);
  expect(stdout).toContain(`Stopping…
Interrupted. 6 of 8 files are imported: 1 nodes created, 0 updated, 2 unchanged; 3 links.
They are staged, and nothing is committed. Run the same command again to continue`);
  expect(server.requests.at(-1)).toMatchObject({ method: 'DELETE', url: '/jobs/inv_1' });
  expect(process.listenerCount('SIGINT')).toBe(0);
});

test('a job that had ended before Ctrl-C could cancel it counts as imported, and nothing further is begun', async () => {
  using folder = folderOf({ 'a.md': 'A' });
  const over = jsonAnswer(409, failure('CONFLICT', 'The job has ended'));
  await using server = await startScriptedServer(accepted, interrupting, over, ended(counts()));
  const { code, stdout } = await run(server, 'import', 'memotree', folder.path, '--commit', 'First');
  expect([code, inputs(server).length]).toEqual([130, 1]);
  expect(stdout).toContain('Interrupted. 1 of 1 files are imported: 1 nodes created');
});

test('a job that Ctrl-C could not cancel is named', async () => {
  using folder = folderOf({ 'a.md': 'A' });
  await using server = await startScriptedServer(accepted, interrupting, jsonAnswer(500, failure('EXECUTION_ERROR', 'No store')));
  const { code, stdout, stderr } = await run(server, 'import', 'memotree', folder.path);
  expect(code).toBe(130);
  expect(stderr).toContain('The job inv_1 could not be cancelled and may still run: No store');
  expect(stdout).toContain('Interrupted. 0 of 1 files are imported');
});

test('a folder that is none, or has no Markdown, is an error that names it', async () => {
  using folder = folderOf({ 'a.txt': 'A' });
  await using server = await startScriptedServer();
  const file = join(folder.path, 'a.txt');
  expect(await run(server, 'import', 'memotree', file)).toMatchObject({ code: 1, stderr: `error: ${file} is not a folder\n` });
  expect(await run(server, 'import', 'memotree', folder.path)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('holds no Markdown files that can be imported'),
  });
  expect(server.requests).toEqual([]);
});

test('an export writes every page of files, with the cursor of the page before', async () => {
  using folder = folderOf({});
  await using server = await startScriptedServer(
    accepted,
    ended({ files: [{ path: 'a/b.md', text: 'B' }], nodes: 1, cursor: 'c1' }),
    accepted,
    ended({ files: [{ path: 'c.md', text: 'C' }], nodes: 1, cursor: null }),
  );
  const out = join(folder.path, 'out');
  const { code, stdout } = await run(server, 'export', 'memotree', out, '--workspace', 'team', '--node', 'n1', '--at', 'v1');
  expect([code, stdout]).toEqual([0, `1 files\n2 files\nWrote 2 files to ${out}\n`]);
  expect([readFileSync(join(out, 'a/b.md'), 'utf8'), readFileSync(join(out, 'c.md'), 'utf8')]).toEqual(['B', 'C']);
  const scope = { workspace: 'team', nodeId: 'n1', at: 'v1' };
  expect(inputs(server)).toEqual([scope, { ...scope, cursor: 'c1' }]);
});

test('an export never writes over anything', async () => {
  using folder = folderOf({ 'mine.md': 'mine' });
  await using server = await startScriptedServer();
  expect(await run(server, 'export', 'memotree', folder.path)).toMatchObject({ code: 1, stderr: `error: ${folder.path} is not empty\n` });
  expect(server.requests).toEqual([]);
});

test.each(['../x.md', '/x.md', 'a/../../x.md', '..', '.'])('a title that makes the path %s leads nowhere', (path) => {
  using folder = folderOf({});
  expect(() => writeInside(join(folder.path, 'out'), path, 'text')).toThrow(/leads out of/);
  expect(existsSync(join(folder.path, 'x.md'))).toBe(false);
});
