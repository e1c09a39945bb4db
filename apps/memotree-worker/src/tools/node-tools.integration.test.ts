import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { givenStores } from '#lib/testing';
import { memotreeLimits as limits } from '#lib/contracts';
import { TestCanvas, type Call } from '../test-canvas.js';
import { createNode, freshWorkspace, refusal } from '../test-workspace.js';

let canvas: TestCanvas;
beforeAll(() => void (canvas = new TestCanvas(givenStores().databaseUrl)));
afterAll(async () => canvas[Symbol.asyncDispose]());

const unknown = 'ffffffffffff';

async function detail(call: Call, nodeId: string): Promise<Record<string, unknown>> {
  return (await call('expand_node', { nodeId, includeChildren: true, includeRelations: true })).data;
}

/** A chain of nodes from the root down. @returns their ids, the topmost first */
async function chain(call: Call, length: number): Promise<readonly string[]> {
  const path = Array.from({ length }, (_, n) => `n${n}`).join('/');
  await call('import_markdown', { files: [{ path: `${path}.md`, text: 'deepest' }] });
  const ids: string[] = [];
  for (let parent = 'root'; ids.length < length;) {
    const [child] = (await detail(call, parent))['children'] as { nodeId: string }[];
    parent = child?.nodeId ?? '';
    ids.push(parent);
  }
  return ids;
}

describe('create_node', () => {
  test('gives a node with defaults, under the root', async () => {
    const { a } = freshWorkspace(canvas);
    const { data, message, warnings } = await a('create_node');
    expect(data).toMatchObject({ title: '', type: 'Concept', tags: [], parentId: 'root', level: 'Summary', freshness: 'none' });
    expect(message).toContain('commit_changes');
    expect(warnings).toEqual(['The node has no title']);
  });

  test.each([
    ['short content', { content: 'short' }, 'fresh'],
    ['long content', { content: 'A sentence of words. '.repeat(20) }, 'pending'],
    ['a summary that is not wanted', { content: 'short', autoGenerateSummary: false }, 'none'],
  ])('with %s says how fresh its summary is', async (_what, given, freshness) => {
    const { a } = freshWorkspace(canvas);
    expect((await a('create_node', { title: 't', ...given })).data).toMatchObject({ freshness });
  });

  test('stands in the default view at the level that was asked for, its parents opened', async () => {
    const { a } = freshWorkspace(canvas);
    const parentId = await createNode(a, { title: 'parent' });
    await a('collapse_node', { nodeId: parentId });
    await createNode(a, { title: 'child', parentId, content: 'the words', initialLevel: 'Detail' });
    expect((await a('render_view')).data['markdown']).toContain('the words');
  });

  test('before a sibling stands before it', async () => {
    const { a } = freshWorkspace(canvas);
    const last = await createNode(a, { title: 'last' });
    const first = await createNode(a, { title: 'first', beforeId: last });
    const middle = await createNode(a, { title: 'middle', beforeId: last });
    expect((await detail(a, 'root'))['children']).toMatchObject([{ nodeId: first }, { nodeId: middle }, { nodeId: last }]);
  });

  test('is refused under an unknown parent, and before what is no sibling', async () => {
    const { a } = freshWorkspace(canvas);
    const other = await createNode(a, { parentId: await createNode(a) });
    await expect(a('create_node', { parentId: unknown })).rejects.toMatchObject(refusal('PARENT_NOT_FOUND', /ffffffffffff/));
    await expect(a('create_node', { beforeId: other })).rejects.toMatchObject(refusal('NODE_NOT_FOUND', /not a child of 'root'/));
  });

  test('is refused one step below the deepest place', async () => {
    const { a } = freshWorkspace(canvas);
    const ids = await chain(a, limits.depth);
    await expect(a('create_node', { parentId: ids.at(-1) })).rejects.toMatchObject(refusal('INVALID_PARAMS', /20 steps below the root/));
    expect((await a('create_node', { parentId: ids.at(-2) })).data).toMatchObject({ parentId: ids.at(-2) });
  });

  test('is refused as the child after the last that a node may have', async () => {
    const { a } = freshWorkspace(canvas);
    const files = Array.from({ length: limits.children - 1 }, (_, n) => ({ path: `n${n}.md`, text: '' }));
    await a('import_markdown', { files });
    await createNode(a, { title: 'the thousandth' });
    await expect(a('create_node')).rejects.toMatchObject(refusal('INVALID_PARAMS', /1000 children/));
    await expect(a('import_markdown', { files: [{ path: 'more.md', text: '' }] })).rejects.toMatchObject(
      refusal('INVALID_PARAMS', /1001 children/),
    );
  });
});

describe('update_node', () => {
  test('changes what is given and says which fields', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'old', content: 'text', tags: ['x'] });
    const { data } = await a('update_node', { nodeId, title: 'new', type: 'plan', tags: ['y'] });
    expect(data).toMatchObject({ title: 'new', type: 'Plan', tags: ['x', 'y'], changed: ['title', 'type', 'tags'] });
    expect(await detail(a, nodeId)).toMatchObject({ title: 'new', content: 'text' });
  });

  test.each([
    ['Replace', 'new'],
    ['Append', 'old\nnew'],
    ['Prepend', 'new\nold'],
    ['Merge', 'new'],
  ])('in mode %s writes %j', async (mode, content) => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { content: 'old' });
    await a('update_node', { nodeId, content: 'new', mode });
    expect(await detail(a, nodeId)).toMatchObject({ content });
  });

  test.each([
    ['Merge', ['x', 'y']],
    ['Append', ['x', 'y']],
    ['Replace', ['y']],
  ])('in mode %s has the tags %j', async (mode, tags) => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { tags: ['x'] });
    expect((await a('update_node', { nodeId, tags: ['y'], mode })).data).toMatchObject({ tags });
  });

  test('writes the layer that the level names', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 't', content: 'detail' });
    const at = async (level: string) => (await a('expand_node', { nodeId, level })).data['content'];
    await a('update_node', { nodeId, level: 'Summary', content: 'own summary. And more.' });
    await a('update_node', { nodeId, level: 'Brief', content: 'own brief' });
    await a('update_node', { nodeId, level: 'Title', content: 'own title' });
    expect([await at('Title'), await at('Brief'), await at('Summary'), await at('Detail')]).toEqual([
      'own title',
      'own brief',
      'own summary. And more.',
      'detail',
    ]);
  });

  test('the brief of a written summary is its first sentence', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { content: 'detail' });
    await a('update_node', { nodeId, level: 'Summary', content: 'First. Second.' });
    expect((await a('expand_node', { nodeId, level: 'Brief' })).data).toMatchObject({ content: 'First.', freshness: 'fresh' });
  });

  test('of a level alone changes the view and nothing else', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 't', content: 'the content', initialLevel: 'Title' });
    expect((await a('update_node', { nodeId, level: 'Detail' })).data).toMatchObject({ changed: [] });
    expect((await a('render_view')).data['markdown']).toContain('the content');
  });

  test('of nothing warns', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a);
    const { data, warnings, message } = await a('update_node', { nodeId });
    expect([data['changed'], warnings, message]).toEqual([[], ['There is nothing to update'], `Changed nothing of '${nodeId}'`]);
  });

  test('back to the committed state stages nothing', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'old' });
    await a('commit_changes');
    await a('update_node', { nodeId, title: 'new' });
    expect((await a('list_changes')).data).toMatchObject({ total: 1 });
    await a('update_node', { nodeId, title: 'old' });
    expect((await a('list_changes')).data).toMatchObject({ total: 0 });
  });

  test('makes links of the content relations, and takes them back', async () => {
    const { a } = freshWorkspace(canvas);
    const target = await createNode(a, { title: 'target' });
    const nodeId = await createNode(a, { content: `see [[${target}]]` });
    expect((await detail(a, target))['relations']).toMatchObject([{ relationId: null, sourceId: nodeId, targetId: target }]);
    await a('update_node', { nodeId, content: 'no link', mode: 'Replace' });
    expect((await detail(a, target))['relations']).toEqual([]);
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ['more tags than a node may have', { tags: Array.from({ length: 11 }, (_, n) => `new${n}`) }, /21 tags; 20 are allowed/],
    ['a title that is too long, as content', { level: 'Title', content: 'x'.repeat(201) }, /at most 200 characters/],
    ['content that grows too long', { content: 'x'.repeat(limits.contentChars), mode: 'Append' }, /Detail would have more than 1000000/],
  ])('is refused for %s', async (_what, given, message) => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { content: 'x', tags: Array.from({ length: 10 }, (_, n) => `old${n}`) });
    await expect(a('update_node', { nodeId, ...given })).rejects.toMatchObject(refusal('INVALID_PARAMS', message));
  });

  test('takes as many tags and characters as a node may have', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { tags: Array.from({ length: 10 }, (_, n) => `old${n}`) });
    const tags = Array.from({ length: 10 }, (_, n) => `new${n}`);
    expect((await a('update_node', { nodeId, tags, level: 'Title', content: 'x'.repeat(200) })).data['tags']).toHaveLength(20);
  });

  test('is refused for an unknown node', async () => {
    const { a } = freshWorkspace(canvas);
    await expect(a('update_node', { nodeId: unknown, title: 'x' })).rejects.toMatchObject(refusal('NODE_NOT_FOUND'));
  });
});

describe('move_node', () => {
  test('takes what is below along, with its texts', async () => {
    const { a } = freshWorkspace(canvas);
    const [from, to] = [await createNode(a, { title: 'from' }), await createNode(a, { title: 'to' })];
    const below = await createNode(a, { title: 'below', parentId: from, content: 'kept' });
    await a('move_node', { nodeId: from, parentId: to });
    expect(await detail(a, to)).toMatchObject({ children: [{ nodeId: from, childCount: 1 }] });
    expect(await detail(a, below)).toMatchObject({ content: 'kept', parentId: from });
  });

  test('is refused for the root, an unknown node or parent, and a place under itself', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a);
    const below = await createNode(a, { parentId: nodeId });
    await expect(a('move_node', { nodeId: 'root', parentId: nodeId })).rejects.toMatchObject(refusal('INVALID_PARAMS', /root/));
    await expect(a('move_node', { nodeId: unknown })).rejects.toMatchObject(refusal('NODE_NOT_FOUND'));
    await expect(a('move_node', { nodeId, parentId: unknown })).rejects.toMatchObject(refusal('PARENT_NOT_FOUND'));
    for (const parentId of [nodeId, below])
      await expect(a('move_node', { nodeId, parentId })).rejects.toMatchObject(refusal('INVALID_PARAMS', /under itself/));
    await expect(a('move_node', { nodeId: below, beforeId: nodeId })).rejects.toMatchObject(refusal('NODE_NOT_FOUND', /not a child/));
  });

  test('is refused when its subtree would become too deep, and not one step before', async () => {
    const { a } = freshWorkspace(canvas);
    const ids = await chain(a, limits.depth - 1);
    const nodeId = await createNode(a, { title: 'parent' });
    await createNode(a, { title: 'child', parentId: nodeId });
    await expect(a('move_node', { nodeId, parentId: ids.at(-1) })).rejects.toMatchObject(refusal('INVALID_PARAMS', /21 steps deep/));
    expect((await a('move_node', { nodeId, parentId: ids.at(-2) })).data).toEqual({ nodeId, parentId: ids.at(-2) });
  });
});

describe('delete_node', () => {
  test('hides the node and everything below it', async () => {
    const { a } = freshWorkspace(canvas);
    const top = await createNode(a, { title: 'top' });
    const below = await createNode(a, { parentId: await createNode(a, { parentId: top }) });
    expect((await a('delete_node', { nodeId: top, recursive: true })).data).toEqual({ nodeId: top, deleted: true });
    for (const nodeId of [top, below]) await expect(a('expand_node', { nodeId })).rejects.toMatchObject(refusal('NODE_NOT_FOUND'));
    expect(await detail(a, 'root')).toMatchObject({ childCount: 0, children: [] });
  });

  test('of a node with children is refused unless it is recursive', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a);
    const child = await createNode(a, { parentId: nodeId });
    await expect(a('delete_node', { nodeId })).rejects.toMatchObject(refusal('CONFLICT', /set recursive/));
    await a('delete_node', { nodeId: child });
    expect((await a('delete_node', { nodeId })).data).toMatchObject({ deleted: true });
    await expect(a('delete_node', { nodeId })).rejects.toMatchObject(refusal('NODE_NOT_FOUND'));
  });
});

describe('link_nodes and unlink_nodes', () => {
  test('a relation is seen from both ends, and one of the same type is replaced', async () => {
    const { a } = freshWorkspace(canvas);
    const [sourceId, targetId] = [await createNode(a), await createNode(a)];
    const first = await a('link_nodes', { sourceId, targetId, type: 'Extends', description: 'first' });
    const again = await a('link_nodes', { sourceId, targetId, type: 'extends', description: 'second' });
    expect(again.data).toEqual({ ...first.data, description: 'second' });
    expect(again.message).toBe(`'${sourceId}' Extends '${targetId}'`);
    for (const nodeId of [sourceId, targetId]) expect((await detail(a, nodeId))['relations']).toEqual([again.data]);
  });

  test('relations of other types stay when one is taken away', async () => {
    const { a } = freshWorkspace(canvas);
    const [sourceId, targetId] = [await createNode(a), await createNode(a)];
    for (const type of ['Extends', 'Contradicts']) await a('link_nodes', { sourceId, targetId, type });
    expect((await a('unlink_nodes', { sourceId, targetId, type: 'Extends' })).data).toEqual({ removed: 1 });
    expect((await detail(a, sourceId))['relations']).toMatchObject([{ type: 'Contradicts' }]);
    const { data, warnings } = await a('unlink_nodes', { sourceId, targetId, type: 'Extends' });
    expect([data, warnings]).toEqual([{ removed: 0 }, ['There was no such relation']]);
  });

  test('a relation to a deleted node is not shown', async () => {
    const { a } = freshWorkspace(canvas);
    const [sourceId, targetId] = [await createNode(a), await createNode(a)];
    await a('link_nodes', { sourceId, targetId, type: 'Extends' });
    await a('delete_node', { nodeId: targetId });
    expect((await detail(a, sourceId))['relations']).toEqual([]);
  });

  test('is refused to the node itself, and from or to an unknown one', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a);
    const link = (sourceId: string, targetId: string) => a('link_nodes', { sourceId, targetId, type: 'Extends' });
    await expect(link(nodeId, nodeId)).rejects.toMatchObject(refusal('INVALID_PARAMS', /to itself/));
    await expect(link(unknown, nodeId)).rejects.toMatchObject(refusal('NODE_NOT_FOUND'));
    await expect(link(nodeId, unknown)).rejects.toMatchObject(refusal('NODE_NOT_FOUND'));
    await expect(a('unlink_nodes', { sourceId: unknown, targetId: nodeId })).rejects.toMatchObject(refusal('NODE_NOT_FOUND'));
  });

  test('is refused beyond the most relations that a node may have', async () => {
    const { a } = freshWorkspace(canvas);
    const id = (n: number, fill: string) => `'${n.toString(16).padStart(12, fill)}'`;
    const relation = (n: number) => `  - { id: ${id(n, '0')}, type: Extends, target: ${id(n, 'a')} }`;
    const yaml = Array.from({ length: limits.relations }, (_, n) => relation(n)).join('\n');
    await a('import_markdown', { files: [{ path: 'hub.md', text: `---\nid: ${'b'.repeat(12)}\nrelations:\n${yaml}\n---\n` }] });
    const targetId = await createNode(a);
    await expect(a('link_nodes', { sourceId: 'b'.repeat(12), targetId, type: 'Extends' })).rejects.toMatchObject(
      refusal('INVALID_PARAMS', /100 relations/),
    );
  });
});
