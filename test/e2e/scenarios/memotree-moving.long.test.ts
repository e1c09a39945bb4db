// Folders of Markdown in and out, by the commands as a person runs them over a running system.
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempDisposableSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { eventually, HttpCaller, jobListShape, startTimeoutMs, type System } from '#lib/testing';
import { MemotreeSession, startMemotree } from '../memotree-system.js';
import { verifies } from '../verifies.js';

jest.setTimeout(120_000);

type Folder = Readonly<Record<string, string>>;

/** As Obsidian users have it: nested folders, front matter of their own, names given twice, code that looks like headings and links. */
const vault: Folder = {
  'Home.md': '---\naliases: [Start, 首页]\ncssclass: wide\n---\n# Home\n\nSee [[Ideas]], [[项目/计划|the plan]] and ![[chart.png]].\n',
  'Ideas.md':
    '---\ntags: [idea, 想法]\n---\nTop of the page.\n\n## First\n\nBack to [[Start]], down to [[#Second]].\n\n## Second\n\n| a | b |\n| --- | --- |\n| [[Home\\|home]] | x |\n',
  '项目.md': '项目的首页。见 [[计划#第一步|第一步]]。',
  '项目/计划.md':
    '# 计划\n\n## 第一步\n\n```sh\n# not a heading [[Home]]\necho hi\n```\n\n## 第二步 / 其他\n\n去 [[Notes]]，[相对](../Notes.md)。\n',
  '项目/Notes.md': 'Of the project. `[[Home]]` in code stays.',
  'Notes.md': 'Of the top. [[Nowhere]] leads nowhere.',
  'deep/a/b/c/d.md': '# D\n\nFar down.',
  'numbers/10 ten.md': 'ten',
  'numbers/9 nine.md': 'nine',
  'Input: "odd"? name.md': 'A name that exports must change.',
};

describe('Markdown in and out of MemoTree', () => {
  let system: System;
  let key: string;

  beforeAll(async () => {
    system = await startMemotree();
    key = await system.tenant.key({});
  }, startTimeoutMs);
  afterAll(async () => system?.[Symbol.asyncDispose]());

  const environment = () => ({ ...process.env, INVOQ_DATA_DIR: '/nowhere/at/all', INVOQ_URL: system.gateway.url, INVOQ_API_KEY: key });
  const run = (command: 'import' | 'export', ...args: string[]): Promise<{ code: number; out: string }> =>
    new Promise((done) => {
      const child = execFile(
        process.execPath,
        ['dist/apps/cli/src/main.js', command, 'memotree', ...args],
        { env: environment() },
        (_, stdout, stderr) => done({ code: child.exitCode ?? -1, out: stdout + stderr }),
      );
    });
  const newWorkspace = () => `w-${randomBytes(4).toString('hex')}`;
  const sessionIn = (workspace: string, name = 'reader') => new MemotreeSession(new HttpCaller(system.gateway.url, key), name, workspace);
  const imported = async (folder: string, workspace: string, ...args: string[]): Promise<string> => {
    const { code, out } = await run('import', folder, '--workspace', workspace, '--commit', 'in', ...args);
    expect({ code, out }).toMatchObject({ code: 0 });
    return out;
  };
  const exported = async (workspace: string): Promise<Folder> => {
    using out = mkdtempDisposableSync(join(tmpdir(), 'invoq-out-'));
    const told = await run('export', join(out.path, 'x'), '--workspace', workspace);
    expect(told).toMatchObject({ code: 0, out: expect.stringMatching(/Wrote \d+ files/) });
    return readFolder(join(out.path, 'x'));
  };

  verifies(['MT-10', 'MT-16'], 'a vault comes in with its folders, headings, aliases and links, and what stays out is told', async () => {
    using folder = written({ ...vault, '.obsidian/app.json': '{}', 'chart.png': 'png', 'broken.md': 'a\0b' });
    const workspace = newWorkspace();
    const out = await imported(folder.path, workspace);
    expect(out).toMatch(/left out: broken\.md: .*U\+0000/);
    expect(out).toContain('1 files are no Markdown and stay where they are: 1 .png');
    expect(out).toMatch(/Links without a target, which stay as they are: .*Nowhere/);
    expect(out).toMatch(/\d+ % /);
    const reader = sessionIn(workspace);
    const top = await titles(reader, 'root');
    expect(Object.keys(top)).toEqual(['Home', 'Ideas', 'Input: "odd"? name', 'Notes', 'deep', 'numbers', '项目']);
    expect(Object.keys(await titles(reader, top['Ideas']))).toEqual(['First', 'Second']);
    const project = await titles(reader, top['项目']);
    const plan = await titles(reader, project['计划']);
    expect(Object.keys(plan)).toEqual(['第一步', '第二步 / 其他']);
    const content = async (id: string | undefined) => (await reader.do('expand_node', { nodeId: id }))['content'];
    const ideas = await titles(reader, top['Ideas']);
    expect(await content(top['Home'])).toBe(
      `---\naliases:\n  - Start\n  - 首页\ncssclass: wide\n---\n\nSee [[${top['Ideas']}|Ideas]], [[${project['计划']}|the plan]] and ![[chart.png]].`,
    );
    expect(await content(ideas['First'])).toBe(`Back to [[${top['Home']}|Start]], down to [[${ideas['Second']}|#Second]].`);
    expect(await content(ideas['Second'])).toContain(`| [[${top['Home']}\\|home]] | x |`);
    expect(await content(top['项目'])).toBe(`项目的首页。见 [[${plan['第一步']}|第一步]]。`);
    expect(await content(plan['第一步'])).toBe('```sh\n# not a heading [[Home]]\necho hi\n```');
    // The name that is there twice is the one beside the page; a path is the one that it leads to.
    expect(await content(plan['第二步 / 其他'])).toBe(`去 [[${project['Notes']}|Notes]]，[[${top['Notes']}|相对]]。`);
    expect(await content(project['Notes'])).toContain('`[[Home]]` in code');
    expect(await reader.do('expand_node', { nodeId: top['Ideas'] })).toMatchObject({ tags: ['idea', '想法'] });
    const related = await reader.do('expand_node', { nodeId: top['Home'], includeRelations: true });
    expect(related['relations']).toEqual(expect.arrayContaining([expect.objectContaining({ targetId: top['Ideas'], type: 'References' })]));
    expect(await imported(folder.path, workspace)).toMatch(/0 nodes created, 0 updated, \d+ unchanged/);
    expect((await sessionIn(workspace).do('list_commits'))['commits']).toHaveLength(1);
  });

  verifies(['MT-10'], 'what is exported comes back as it was: order, ids, types, relations, and a second export is the same', async () => {
    using folder = written(vault);
    const [first, second] = [newWorkspace(), newWorkspace()];
    await imported(folder.path, first);
    const one = sessionIn(first, 'editor');
    const top = await titles(one, 'root');
    const plan = await one.create({
      title: '计划: a/b\nplan',
      type: 'Plan',
      content: '---\nnot: front matter of ours\n---\nText',
      tags: ['x'],
    });
    for (const title of ['twice', 'Twice', '', 'z'.repeat(200)]) await one.create({ parentId: plan, title, content: title });
    await one.do('link_nodes', { sourceId: plan, targetId: top['Home'], type: 'DependsOn', description: 'first' });
    await one.do('update_node', { nodeId: plan, level: 'Summary', content: 'Written by hand.', mode: 'Replace' });
    await one.do('move_node', { nodeId: top['项目'], beforeId: top['Home'] });
    await one.do('commit_changes', { message: 'more' });
    const out = await exported(first);
    using again = written(out);
    await imported(again.path, second);
    expect(await exported(second)).toEqual(out);
    const [before, after] = [await shownTree(sessionIn(first)), await shownTree(sessionIn(second))];
    expect(after).toEqual(before);
    // Back where it came from it changes nothing.
    expect(await imported(again.path, first)).toMatch(/0 nodes created, 0 updated, \d+ unchanged/);
  });

  verifies(['MT-10'], 'a folder taken in whole, file by file, comes out with the same texts', async () => {
    using folder = written(vault);
    const workspace = newWorkspace();
    await imported(folder.path, workspace, '--no-headings');
    const out = await exported(workspace);
    const body = (text: string | undefined) =>
      text?.replace(/^---\n[\s\S]*?\n---\n/, '').replaceAll(/\[\[[^\]]*\]\]|\[[^\]]*\]\([^)]*\.md\)/g, '');
    for (const [path, text] of Object.entries(vault).filter(([name]) => !name.startsWith('Input')))
      expect({ path, text: body(out[path]) }).toEqual({ path, text: body(text) });
  });

  verifies(['MT-51', 'MT-11'], 'a worker killed in the middle of an import: it is finished afterwards, with no node twice', async () => {
    const pages = Array.from({ length: 300 }, (_, n) => [
      `p${n % 20}/page ${n}.md`,
      `# Page ${n}\n\n${'words to be indexed '.repeat(60)}[[page ${n + 1}]]`,
    ]);
    using folder = written(Object.fromEntries(pages));
    const workspace = newWorkspace();
    system.worker.signal('SIGSTOP');
    const importing = spawn(
      process.execPath,
      ['dist/apps/cli/src/main.js', 'import', 'memotree', folder.path, '--workspace', workspace, '--commit', 'all'],
      {
        env: environment(),
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let out = '';
    importing.stdout.on('data', (data: Buffer) => void (out += data.toString()));
    const caller = new HttpCaller(system.gateway.url, key);
    const waiting = async () => (await caller.get('/jobs?tool=import_markdown&state=waiting')).as(jobListShape).jobs[0];
    const { job_id: jobId } = await eventually(waiting, { withinMs: 30_000, what: 'the import waits' });
    await using events = await caller.stream(`/jobs/${jobId}/events`);
    system.worker.signal('SIGCONT');
    // The second is the first that the worker tells: it is in the middle.
    expect(await events.take(2)).toMatchObject([{ event: 'tool_progress' }, { event: 'tool_progress' }]);
    await system.killWorkers(system.worker);
    await system.worker.start();
    await eventually(async () => importing.exitCode !== null, { withinMs: 90_000, what: 'the import ends' });
    expect({ code: importing.exitCode, out }).toMatchObject({ code: 0, out: expect.stringContaining('320 nodes created') });
    const { commits } = await sessionIn(workspace).do('list_commits');
    expect(commits).toMatchObject([{ message: 'all', changes: 320 }]);
    const files = Object.keys(await exported(workspace));
    expect(files).toHaveLength(320);
    expect(await imported(folder.path, workspace)).toMatch(/0 nodes created, 0 updated, 320 unchanged/);
  });

  verifies(['MT-06'], 'wrong use says what is wrong', async () => {
    using folder = written({ 'a.txt': 'x' });
    expect(await run('import', join(folder.path, 'none'))).toMatchObject({ code: 1, out: expect.stringContaining('is not a folder') });
    expect(await run('import', folder.path)).toMatchObject({ code: 1, out: expect.stringContaining('no Markdown files') });
    expect(await run('export', folder.path)).toMatchObject({ code: 1, out: expect.stringContaining('is not empty') });
    expect(await run('export', join(folder.path, 'x'), '--node', 'ffffffffffff')).toMatchObject({
      code: 1,
      out: expect.stringContaining('ffffffffffff'),
    });
  });
});

function written(files: Folder): { readonly path: string } & Disposable {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-vault-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  }
  return { path: folder.path, [Symbol.dispose]: () => folder.remove() };
}

function readFolder(folder: string): Folder {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
  return Object.fromEntries(paths.toSorted().map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

/** Children by their titles, in their order. */
async function titles(session: MemotreeSession, nodeId: string | undefined): Promise<Record<string, string>> {
  const { children } = await session.do('expand_node', { nodeId, includeChildren: true });
  return Object.fromEntries((children as { title: string; nodeId: string }[]).map((child) => [child.title, child.nodeId]));
}

/** All that a reader sees of every node, in order. */
async function shownTree(session: MemotreeSession): Promise<unknown[]> {
  const shown: unknown[] = [];
  const queue = ['root'];
  for (let nodeId = queue.shift(); nodeId !== undefined; nodeId = queue.shift()) {
    const node = await session.do('expand_node', { nodeId, includeChildren: true, includeRelations: true });
    const summary = await session.do('expand_node', { nodeId, level: 'Summary' });
    shown.push({ ...node, freshness: '', summary: summary['content'] });
    for (const child of node['children'] as { nodeId: string }[]) queue.push(child.nodeId);
  }
  return shown;
}
