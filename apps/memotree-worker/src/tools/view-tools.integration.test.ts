import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { givenStores } from '#lib/testing';
import { TestCanvas, type Call } from '../test-canvas.js';
import { createNode, freshWorkspace, refusal } from '../test-workspace.js';

let canvas: TestCanvas;
beforeAll(() => void (canvas = new TestCanvas(givenStores().databaseUrl)));
afterAll(async () => canvas[Symbol.asyncDispose]());

const markdownOf = async (call: Call, input: Record<string, unknown> = {}) => String((await call('render_view', input)).data['markdown']);
const listed = (markdown: string): readonly string[] => [...markdown.matchAll(/- (\S+) \[/g)].map(([, title]) => title ?? '');

describe('expand_node', () => {
  const text = 'First sentence. Second sentence.';

  test.each([
    ['Title', 'the title'],
    ['Brief', 'First sentence.'],
    ['Summary', text],
    ['Detail', text],
  ])('at the level %s gives %j', async (level, content) => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'the title', content: text });
    expect((await a('expand_node', { nodeId, level })).data).toMatchObject({ level, content, freshness: 'fresh' });
  });

  test.each([
    ['gist', 'Brief'],
    ['FULL', 'Detail'],
    [2, 'Summary'],
    ['0', 'Title'],
  ])('takes %j for %s', async (level, known) => {
    const { a } = freshWorkspace(canvas);
    expect((await a('expand_node', { nodeId: 'root', level })).data).toMatchObject({ level: known });
  });

  test('without a summary says what stands in for it', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'the title', content: text, autoGenerateSummary: false });
    const brief = await a('expand_node', { nodeId, level: 'Brief' });
    expect([brief.data['content'], brief.warnings]).toEqual(['the title', ['There is no brief; the title stands in for it']]);
    const summary = await a('expand_node', { nodeId, level: 'Summary' });
    expect([summary.data['content'], summary.warnings]).toEqual([text, ['There is no summary; the content stands in for it']]);
  });

  test('says that a summary is of earlier content', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { content: text });
    await a('update_node', { nodeId, content: 'Other words.', mode: 'Replace' });
    const { data, warnings } = await a('expand_node', { nodeId, level: 'Summary' });
    expect([data['content'], data['freshness'], warnings]).toEqual([text, 'stale', ['The summary is of earlier content']]);
    expect((await a('expand_node', { nodeId, level: 'Detail' })).warnings).toEqual([]);
  });

  test('gives children with their own levels and counts, and no more than were asked for', async () => {
    const { a } = freshWorkspace(canvas);
    const top = await createNode(a, { title: 'top' });
    const child = await createNode(a, { title: 'child', parentId: top, initialLevel: 'Brief', type: 'Code' });
    await createNode(a, { parentId: child, title: 'grandchild' });
    const { data } = await a('expand_node', { nodeId: top, includeChildren: true });
    expect(data).toMatchObject({
      childCount: 1,
      children: [{ nodeId: child, title: 'child', type: 'Code', level: 'Brief', childCount: 1 }],
    });
    const bare = await a('expand_node', { nodeId: top });
    expect(bare.data).not.toHaveProperty('children');
    expect(bare.data).not.toHaveProperty('relations');
  });

  test('of the root gives what every workspace begins with', async () => {
    const { a } = freshWorkspace(canvas);
    expect((await a('expand_node', { nodeId: 'root' })).data).toMatchObject({
      title: 'MemoTree',
      parentId: null,
      childCount: 0,
      content: '',
    });
  });

  test('of an unknown node is refused', async () => {
    const { a } = freshWorkspace(canvas);
    for (const operation of ['expand_node', 'collapse_node', 'render_view', 'export_markdown'])
      await expect(a(operation, { nodeId: 'ffffffffffff' })).rejects.toMatchObject(refusal('NODE_NOT_FOUND', /ffffffffffff/));
  });
});

describe('collapse_node', () => {
  test('counts the nodes whose level fell', async () => {
    const { a } = freshWorkspace(canvas);
    const top = await createNode(a, { title: 'top', initialLevel: 'Title' });
    const child = await createNode(a, { title: 'child', parentId: top });
    await createNode(a, { title: 'grandchild', parentId: child });
    expect((await a('collapse_node', { nodeId: top })).data).toEqual({ nodeId: top, level: 'Title', folded: 0 });
    expect((await a('collapse_node', { nodeId: top, recursive: true })).data).toMatchObject({ folded: 2 });
    expect((await a('collapse_node', { nodeId: top, recursive: true })).data).toMatchObject({ folded: 0 });
  });

  test('changes nothing that is stored', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { content: 'words' });
    await a('commit_changes');
    await a('collapse_node', { nodeId, recursive: true });
    expect((await a('list_changes')).data).toMatchObject({ total: 0 });
  });
});

describe('render_view', () => {
  test('of an empty workspace shows the root', async () => {
    const { a } = freshWorkspace(canvas);
    const { data } = await a('render_view');
    expect(data).toMatchObject({
      markdown: '# MemoTree [root] (1/1 nodes expanded, 8 chars)\n',
      expandedNodes: 1,
      shownNodes: 1,
      foldedToFit: [],
    });
  });

  test('shows nodes in their order, with what unfolding them costs', async () => {
    const { a } = freshWorkspace(canvas);
    const one = await createNode(a, { title: 'one', initialLevel: 'Title', content: 'x'.repeat(50) });
    const two = await createNode(a, { title: 'two', beforeId: one, initialLevel: 'Title' });
    await createNode(a, { title: 'below', parentId: two, initialLevel: 'Title' });
    await a('collapse_node', { nodeId: two });
    expect(await markdownOf(a)).toContain(`- two [${two}] (+1 child)\n- one [${one}] (+50 chars)\n`);
  });

  test('of a subtree has that node on top, and shows it alone while it is folded', async () => {
    const { a } = freshWorkspace(canvas);
    const top = await createNode(a, { title: 'top' });
    await createNode(a, { title: 'inside', parentId: top });
    await createNode(a, { title: 'outside' });
    const markdown = await markdownOf(a, { nodeId: top });
    expect(markdown).toMatch(/^# top \[/);
    expect(listed(markdown)).toEqual(['inside']);
    await a('collapse_node', { nodeId: top });
    expect(listed(await markdownOf(a, { nodeId: top }))).toEqual([]);
  });

  test('shows the way to what is unfolded, not what lies beside the way', async () => {
    const { a } = freshWorkspace(canvas);
    await a('import_markdown', { files: ['a/b/c.md', 'a/b/d.md', 'a/e.md'].map((path) => ({ path, text: 'text' })) });
    const [c] = (await a('search_nodes', { query: 'c', maxResults: 1 })).data['results'] as { nodeId: string }[];
    await a('expand_node', { nodeId: c?.nodeId });
    expect(listed(await markdownOf(a))).toEqual(['a', 'b', 'c']);
  });

  test('keeps views apart, and sessions', async () => {
    const { a, b } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'x', content: 'the words', initialLevel: 'Title' });
    await a('commit_changes');
    await a('expand_node', { nodeId, viewName: 'reading' });
    expect(await markdownOf(a, { viewName: 'reading' })).toContain('the words');
    expect(await markdownOf(a)).not.toContain('the words');
    expect(await markdownOf(b, { viewName: 'reading' })).not.toContain('the words');
  });

  test('forgets what was deleted, and has it again when it is restored', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'x', content: 'the words', initialLevel: 'Detail' });
    await a('commit_changes', { createTag: true, tagName: 'v1' });
    await a('delete_node', { nodeId });
    expect(await markdownOf(a)).not.toContain('the words');
    await a('restore_node', { nodeId, from: 'v1' });
    expect(await markdownOf(a)).toContain('the words');
  });

  test('of many nodes leaves out what does not fit, and says so', async () => {
    const { a } = freshWorkspace(canvas);
    const nodes = Array.from({ length: 30 }, (_, n) => ({ title: `node${n}`, content: 'Some words stand here.', initialLevel: 'Detail' }));
    await a('batch_create_nodes', { nodes });
    const { data, warnings } = await a('render_view', { maxTokens: 400 });
    expect(Number(data['tokens'])).toBeLessThanOrEqual(400);
    expect(Number(data['shownNodes'])).toBeLessThan(31);
    expect((data['foldedToFit'] as unknown[]).length).toBeGreaterThan(0);
    expect(warnings).toEqual([expect.stringMatching(/^\d+ nodes are folded to fit 400 tokens$/)]);
  });

  test('of a parent with very many children lists the first hundred', async () => {
    const { a } = freshWorkspace(canvas);
    await a('import_markdown', { files: Array.from({ length: 120 }, (_, n) => ({ path: `n${String(n).padStart(3, '0')}.md`, text: '' })) });
    const markdown = await markdownOf(a, { maxTokens: 100_000 });
    expect(listed(markdown)).toHaveLength(100);
    expect(listed(markdown)[99]).toBe('n099');
  });
});
