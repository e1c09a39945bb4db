import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { givenStores } from '#lib/testing';
import { memotreeLimits as limits } from '#lib/contracts';
import { TestCanvas, type Call } from '../test-canvas.js';
import { createNode, freshWorkspace, refusal } from '../test-workspace.js';

let canvas: TestCanvas;
beforeAll(() => void (canvas = new TestCanvas(givenStores().databaseUrl)));
afterAll(async () => canvas[Symbol.asyncDispose]());

interface File {
  readonly path: string;
  readonly text: string;
}

const importing = (call: Call, files: Readonly<Record<string, string>>, input: Record<string, unknown> = {}) =>
  call('import_markdown', { files: Object.entries(files).map(([path, text]) => ({ path, text })), ...input });
async function exported(call: Call, input: Record<string, unknown> = {}): Promise<Record<string, string>> {
  const files = (await call('export_markdown', input)).data['files'] as File[];
  return Object.fromEntries(files.map(({ path, text }) => [path, text]));
}
async function childrenOf(call: Call, nodeId: string) {
  return (await call('expand_node', { nodeId, includeChildren: true })).data['children'] as { nodeId: string; title: string }[];
}
const bodyOf = (text: string | undefined): string => text?.replace(/^---\n[\s\S]*?\n---\n/, '') ?? '';

describe('an import', () => {
  test('hangs under the parent that is named', async () => {
    const { a } = freshWorkspace(canvas);
    const parentId = await createNode(a, { title: 'vault' });
    expect((await importing(a, { 'x/y.md': 'text' }, { parentId })).data).toMatchObject({ created: 2 });
    expect(await childrenOf(a, parentId)).toMatchObject([{ title: 'x' }]);
    await expect(importing(a, { 'x.md': '' }, { parentId: 'ffffffffffff' })).rejects.toMatchObject(refusal('PARENT_NOT_FOUND'));
  });

  test('again changes only what is different', async () => {
    const { a } = freshWorkspace(canvas);
    await importing(a, { 'a.md': 'one', 'b.md': 'two' });
    await a('commit_changes');
    expect((await importing(a, { 'a.md': 'one', 'b.md': 'new', 'c.md': '' })).data).toMatchObject({ created: 1, updated: 1, unchanged: 1 });
    expect((await a('list_changes')).data).toMatchObject({ total: 2 });
  });

  test('finds a page by its id wherever it stands now', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'old' });
    const target = await createNode(a, { title: 'folder' });
    await importing(a, { 'moved.md': `---\nid: ${nodeId}\ntitle: new\n---\nwords` }, { parentId: target });
    expect((await a('expand_node', { nodeId })).data).toMatchObject({ title: 'new', content: 'words', parentId: target });
  });

  test('cuts a tag at a whole character', async () => {
    const { a } = freshWorkspace(canvas);
    const cut = 'a'.repeat(limits.tagChars - 1);
    await importing(a, { 'x.md': `---\ntags: ["${cut}😀"]\n---\nwords` });
    expect((await a('search_nodes', { tags: [cut] })).data).toMatchObject({ results: [{ title: 'x' }] });
  });

  test('refuses two pages of one id, of which only one could stay', async () => {
    const { a } = freshWorkspace(canvas);
    const page = (text: string) => `---\nid: 0123456789ab\n---\n${text}`;
    const twice = { 'f.md': page('one'), 'f/g.md': page('two') };
    const refused = refusal('INVALID_PARAMS', /The pages 'f' and 'f\/g' have the same id '0123456789ab'$/);
    await expect(importing(a, twice)).rejects.toMatchObject(refused);
    await importing(a, { 'f.md': page('one') });
    await expect(importing(a, twice)).rejects.toMatchObject(refused);
  });

  test('does not take by its title a node that another page names by its id', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'x' });
    await importing(a, { 'x.md': 'one', 'z.md': `---\nid: "${nodeId}"\n---\ntwo` });
    expect((await childrenOf(a, 'root')).map(({ title }) => title)).toEqual(['z', 'x']);
  });

  test('moves no page below itself', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'top' });
    const parentId = await createNode(a, { title: 'below', parentId: nodeId });
    for (const place of [nodeId, parentId])
      await expect(importing(a, { 'x.md': `---\nid: "${nodeId}"\n---\n` }, { parentId: place })).rejects.toMatchObject(
        refusal('INVALID_PARAMS', /The page 'x' has the id '.*', below which it would be imported$/),
      );
    expect(await childrenOf(a, 'root')).toMatchObject([{ nodeId }]);
  });

  test('takes names with a NUL character in links and aliases, which Postgres cannot look for', async () => {
    const { a } = freshWorkspace(canvas);
    await importing(a, { 'x.md': '---\ntitle: t\naliases: ["a\\0"]\n---\nwords [of](y%00.md)' });
    expect(await childrenOf(a, 'root')).toMatchObject([{ title: 't' }]);
  });

  test('gives a deleted page a new id', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'x' });
    await a('delete_node', { nodeId });
    await importing(a, { 'x.md': `---\nid: ${nodeId}\n---\nwords` });
    const [child] = await childrenOf(a, 'root');
    expect(child).toMatchObject({ title: 'x' });
    expect(child?.nodeId).not.toBe(nodeId);
  });

  test('keeps the id of a page that is not known here', async () => {
    const { a } = freshWorkspace(canvas);
    await importing(a, { 'x.md': '---\nid: abcdefabcdef\n---\nwords' });
    expect((await a('expand_node', { nodeId: 'abcdefabcdef' })).data).toMatchObject({ content: 'words' });
  });

  test('leads links to pages of the import first, then to titles that are there', async () => {
    const { a } = freshWorkspace(canvas);
    const there = await createNode(a, { title: 'Known' });
    const { data } = await importing(a, { 'x.md': '[[y]] [[Known]] [[None]]', 'y.md': 'text' });
    expect(data).toMatchObject({ links: 2, unresolved: ['None'] });
    const [, x, y] = await childrenOf(a, 'root');
    expect((await a('expand_node', { nodeId: x?.nodeId })).data['content']).toBe(`[[${y?.nodeId}|y]] [[${there}|Known]] [[None]]`);
  });

  test('names at most fifty links that lead nowhere', async () => {
    const { a } = freshWorkspace(canvas);
    const { data } = await importing(a, { 'x.md': Array.from({ length: 60 }, (_, n) => `[[none ${n}]]`).join(' ') });
    expect(data['unresolved']).toHaveLength(50);
  });

  test('says what a node cannot hold', async () => {
    const { a } = freshWorkspace(canvas);
    const tags = Array.from({ length: limits.tags + 1 }, (_, n) => `t${n}`).join(', ');
    const { warnings } = await importing(a, { 'x.md': `---\ntags: [${tags}]\n---\n`, 'y.md': `---\ntags: [${'z'.repeat(51)}]\n---\n` });
    expect(warnings).toEqual(["'x' has 21 tags; 20 of 50 characters are kept", "'y' has 1 tags; 20 of 50 characters are kept"]);
    expect((await a('search_nodes', { tags: ['t19'] })).data['results']).toHaveLength(1);
    expect((await a('search_nodes', { tags: ['t20'] })).data['results']).toHaveLength(0);
  });

  test('takes tags without their #, each once', async () => {
    const { a } = freshWorkspace(canvas);
    await importing(a, { 'x.md': "---\ntags: ['#one', one, two]\n---\n" });
    const [child] = await childrenOf(a, 'root');
    expect((await a('expand_node', { nodeId: child?.nodeId })).data).toMatchObject({ tags: ['one', 'two'] });
  });

  test('is refused when the tree would become too deep, and takes the deepest that is allowed', async () => {
    const { a } = freshWorkspace(canvas);
    const deep = (depth: number) => ({ [`${Array.from({ length: depth }, (_, n) => `d${n}`).join('/')}.md`]: '' });
    await expect(importing(a, deep(limits.depth + 1))).rejects.toMatchObject(refusal('INVALID_PARAMS', /21 steps deep/));
    expect((await importing(a, deep(limits.depth))).data).toMatchObject({ created: limits.depth });
  });

  test('is refused for two files of one path', async () => {
    const { a } = freshWorkspace(canvas);
    await expect(importing(a, { 'x.md': '', 'x.MD': '' })).rejects.toMatchObject(refusal('INVALID_PARAMS', /two files/));
  });

  test('tells how far it is', async () => {
    const { a } = freshWorkspace(canvas);
    const { message } = await importing(a, { 'x.md': 'text' });
    expect(message).toBe('1 nodes created, 0 updated, 0 unchanged; commit_changes publishes them');
  });
});

describe('an export', () => {
  test('names files as their nodes, made fit for every file system', async () => {
    const { a } = freshWorkspace(canvas);
    for (const title of ['a/b: c?', 'dots...', '.hidden', '  ', '标题 😀', 'x'.repeat(60)]) await createNode(a, { title });
    const paths = Object.keys(await exported(a));
    expect(paths.slice(0, 3)).toEqual(['a b c.md', 'dots.md', 'hidden.md']);
    expect(paths[3]).toMatch(/^[0-9a-f]{12}\.md$/);
    expect(paths.slice(4)).toEqual(['标题 😀.md', `${'x'.repeat(45)}.md`]);
  });

  test('tells nodes of one title apart by their ids, whatever the case', async () => {
    const { a } = freshWorkspace(canvas);
    const ids = [await createNode(a, { title: 'Same' }), await createNode(a, { title: 'same' })];
    expect(Object.keys(await exported(a)).toSorted()).toEqual([`Same ${ids[0]}.md`, `same ${ids[1]}.md`].toSorted());
  });

  test('writes what a file name cannot say into the front matter, and nothing else', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'plain', content: 'words' });
    expect((await exported(a))['plain.md']).toMatch(new RegExp(`^---\nid: "?${nodeId}"?\n---\nwords$`));
    await a('update_node', { nodeId, type: 'Plan', tags: ['t'], title: 'a/b' });
    const file = (await exported(a))['a b.md'] ?? '';
    expect(file).toContain('title: a/b\ntype: Plan\ntags:\n  - t\n');
    expect(file).not.toContain('order');
  });

  test('says the order of siblings only where their names do not', async () => {
    const { a } = freshWorkspace(canvas);
    const b = await createNode(a, { title: 'b' });
    await createNode(a, { title: 'c' });
    expect(Object.values(await exported(a)).join()).not.toContain('order:');
    await createNode(a, { title: 'd', beforeId: b });
    const files = await exported(a);
    expect([files['d.md'], files['b.md'], files['c.md']].map((text) => /order: (\d)/.exec(text ?? '')?.[1])).toEqual(['1', '2', '3']);
  });

  test('of a subtree begins with its children', async () => {
    const { a } = freshWorkspace(canvas);
    await importing(a, { 'top/in.md': 'inside', 'out.md': 'outside' });
    const top = (await childrenOf(a, 'root')).find(({ title }) => title === 'top');
    expect(Object.keys(await exported(a, { nodeId: top?.nodeId }))).toEqual(['in.md']);
  });

  test('as of a commit has what was there then', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'x', content: 'then' });
    await a('commit_changes', { createTag: true, tagName: 'v1' });
    await a('update_node', { nodeId, content: 'now', mode: 'Replace' });
    expect(bodyOf((await exported(a, { at: 'v1' }))['x.md'])).toBe('then');
    expect(bodyOf((await exported(a))['x.md'])).toBe('now');
  });

  test.each(['nonsense', Buffer.from('{}').toString('base64url'), Buffer.from('[{"parentId":1}]').toString('base64url')])(
    'with the cursor %s is refused',
    async (cursor) => {
      const { a } = freshWorkspace(canvas);
      await expect(a('export_markdown', { cursor })).rejects.toMatchObject(refusal('INVALID_PARAMS', /cursor/));
    },
  );

  test('and an import elsewhere have the same texts, links and relations', async () => {
    const [{ a: one }, { a: other }] = [freshWorkspace(canvas), freshWorkspace(canvas)];
    const target = await createNode(one, { title: 'target', content: 'short' });
    const source = await createNode(one, {
      title: 'source: with a colon',
      content: `# A heading\n\nsee [[${target}]]`,
      tags: ['t'],
      type: 'Memory',
    });
    await one('link_nodes', { sourceId: source, targetId: target, type: 'Extends', description: 'why: because' });
    await one('update_node', { nodeId: source, level: 'Summary', content: 'own summary' });
    await one('update_node', { nodeId: source, level: 'Brief', content: 'own brief' });
    const files = await exported(one);
    await importing(other, files);
    expect(await exported(other)).toEqual(files);
    const detail = async (call: Call) => (await call('expand_node', { nodeId: source, includeRelations: true, level: 'Summary' })).data;
    expect(await detail(other)).toEqual(await detail(one));
  });
});

describe('in portions', () => {
  const shuffled = ['zeta', 'alpha', 'mid: with a colon', '10', '9', 'b c', 'Beta', 'beta', 'beta 2', 'omega'];

  /** A tree whose order is not that of its names, on two levels. */
  async function tree(call: Call): Promise<void> {
    for (const title of shuffled) {
      const id = await createNode(call, { title, content: `text of ${title}` });
      for (const child of shuffled.slice(0, 4)) await createNode(call, { title: `${title} ${child}`, parentId: id, content: 'x' });
    }
  }

  test('a folder of a later portion leaves the text of its page as it is', async () => {
    const { a } = freshWorkspace(canvas);
    await importing(a, { 'x.md': 'the page' });
    expect((await importing(a, { 'x/y.md': 'below' })).data).toMatchObject({ created: 1, updated: 0 });
    expect(bodyOf((await exported(a))['x.md'])).toBe('the page');
  });

  test.each([1, 2, 5])('of %i an import gives back what was exported, in its order', async (size) => {
    const { a } = freshWorkspace(canvas);
    const { a: b } = freshWorkspace(canvas);
    await tree(a);
    const files = await exported(a);
    // In the order of the tree, each with the pages of its folders, as the command line sends them.
    const paths = Object.keys(files);
    for (let at = 0; at < paths.length; at += size) {
      const sent = paths.slice(at, at + size);
      const above = paths.filter((path) => sent.some((one) => one.startsWith(path.replace('.md', '/'))));
      await importing(b, Object.fromEntries([...above, ...sent].map((path) => [path, files[path] ?? ''])));
    }
    expect(await exported(b)).toEqual(files);
    expect(await outlineOf(b)).toEqual(await outlineOf(a));
  });

  async function outlineOf(call: Call): Promise<unknown> {
    const top = await childrenOf(call, 'root');
    return Promise.all(top.map(async ({ nodeId, title }) => [title, (await childrenOf(call, nodeId)).map((child) => child.title)]));
  }
});
