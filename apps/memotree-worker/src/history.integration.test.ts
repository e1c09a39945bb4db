import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { givenStores } from '#lib/testing';
import { TestCanvas } from './test-canvas.js';
import { createNode as create, freshWorkspace, refusal } from './test-workspace.js';

let canvas: TestCanvas;
beforeAll(() => void (canvas = new TestCanvas(givenStores().databaseUrl)));
afterAll(async () => canvas[Symbol.asyncDispose]());

const fresh = () => freshWorkspace(canvas);

describe('tree', () => {
  test('children stand in order, at the place asked for, and are counted', async () => {
    const { a } = fresh();
    const top = await create(a, { title: 'top' });
    const one = await create(a, { title: 'one', parentId: top });
    const three = await create(a, { title: 'three', parentId: top });
    const two = await create(a, { title: 'two', parentId: top, beforeId: three });
    const { data } = await a('expand_node', { nodeId: top, includeChildren: true });
    expect(data['children']).toMatchObject([{ nodeId: one }, { nodeId: two }, { nodeId: three }]);
    await a('move_node', { nodeId: one, beforeId: null });
    expect((await a('expand_node', { nodeId: top, includeChildren: true })).data).toMatchObject({
      childCount: 3,
      children: [{ title: 'two' }, { title: 'three' }, { title: 'one' }],
    });
  });

  test('refuses circles, unknown parents, and nodes below something deleted', async () => {
    const { a } = fresh();
    const top = await create(a, { title: 'top' });
    const below = await create(a, { title: 'below', parentId: top });
    await expect(a('move_node', { nodeId: top, parentId: below })).rejects.toMatchObject(refusal('INVALID_PARAMS'));
    await expect(a('create_node', { parentId: 'ffffffffffff' })).rejects.toMatchObject(refusal('PARENT_NOT_FOUND'));
    await expect(a('delete_node', { nodeId: top })).rejects.toMatchObject(refusal('CONFLICT'));
    await a('delete_node', { nodeId: top, recursive: true });
    await expect(a('expand_node', { nodeId: below })).rejects.toMatchObject(refusal('NODE_NOT_FOUND'));
    await expect(a('delete_node', { nodeId: 'root' })).rejects.toMatchObject(refusal('INVALID_PARAMS'));
  });
});

describe('commits', () => {
  test('others see a change only when it is committed', async () => {
    const { a, b } = fresh();
    const nodeId = await create(a, { title: 'mine', content: 'first' });
    await expect(b('expand_node', { nodeId })).rejects.toMatchObject(refusal('NODE_NOT_FOUND'));
    const { data } = await a('commit_changes', { message: 'one' });
    expect(data).toMatchObject({ committedNodes: [nodeId], message: 'one', branch: 'main' });
    expect((await b('expand_node', { nodeId })).data).toMatchObject({ content: 'first', title: 'mine' });
    expect((await a('commit_changes')).data).toMatchObject({ commitId: null });
  });

  test('a stale change is told what differs, and nothing is committed', async () => {
    const { a, b } = fresh();
    const nodeId = await create(a, { title: 'x', content: 'first' });
    await a('commit_changes');
    await b('update_node', { nodeId, title: 'theirs' });
    await a('update_node', { nodeId, content: 'mine' });
    const other = await create(a, { title: 'other' });
    await b('commit_changes');
    await expect(a('commit_changes')).rejects.toEqual(
      expect.objectContaining({ literal: 'CONFLICT', message: expect.stringContaining(nodeId) }),
    );
    await expect(b('expand_node', { nodeId: other })).rejects.toMatchObject(refusal('NODE_NOT_FOUND'));
    await a('discard_changes', { specificNodes: [nodeId] });
    expect((await a('commit_changes')).data).toMatchObject({ committedNodes: [other] });
  });

  test('a named child pulls its new parent in', async () => {
    const { a, b } = fresh();
    const parent = await create(a, { title: 'p' });
    const child = await create(a, { title: 'c', parentId: parent });
    const rest = await create(a, { title: 'r' });
    const { data, warnings } = await a('commit_changes', { specificNodes: [child, 'eeeeeeeeeeee'] });
    expect(new Set(data['committedNodes'] as string[])).toEqual(new Set([parent, child]));
    expect(warnings.join()).toContain(parent);
    expect(warnings.join()).toContain('eeeeeeeeeeee');
    await expect(b('expand_node', { nodeId: rest })).rejects.toMatchObject(refusal('NODE_NOT_FOUND'));
    expect((await a('list_changes')).data).toMatchObject({ total: 1, changes: [{ nodeId: rest, change: 'Added' }] });
  });

  test('the same invocation again makes no second commit and no second node', async () => {
    const { a, workspace } = fresh();
    const run = (operation: string, input: object, jobId: string) => canvas.call(operation, { workspace, ...input }, { key: 'a', jobId });
    const first = await run('create_node', { title: 'once' }, `${workspace}-1`);
    expect(await run('create_node', { title: 'once' }, `${workspace}-1`)).toEqual(first);
    const committed = await run('commit_changes', {}, `${workspace}-2`);
    expect(await run('commit_changes', {}, `${workspace}-2`)).toEqual(committed);
    expect((await a('list_commits')).data['commits']).toHaveLength(1);
    expect((await a('expand_node', { nodeId: 'root' })).data['childCount']).toBe(1);
  });

  test('parents that others deleted meanwhile, and circles that two sessions make together, are conflicts', async () => {
    const { a, b } = fresh();
    const [x, y, z] = [await create(a, { title: 'x' }), await create(a, { title: 'y' }), await create(a, { title: 'z' })];
    await a('commit_changes');
    await a('move_node', { nodeId: x, parentId: y });
    await b('move_node', { nodeId: y, parentId: x });
    await a('commit_changes');
    await expect(b('commit_changes')).rejects.toMatchObject(refusal('CONFLICT'));
    await b('discard_changes');
    await create(b, { title: 'under z', parentId: z });
    await a('delete_node', { nodeId: z, recursive: true });
    await a('commit_changes');
    await expect(b('commit_changes')).rejects.toMatchObject(refusal('CONFLICT'));
  });

  test('history, diff and restoring', async () => {
    const { a } = fresh();
    const nodeId = await create(a, { title: 'v1', content: 'one' });
    await a('commit_changes', { message: 'first', createTag: true, tagName: 't1' });
    await a('update_node', { nodeId, content: 'two', mode: 'Replace' });
    const second = await a('commit_changes', { message: 'second' });
    await a('delete_node', { nodeId });
    await a('commit_changes', { message: 'third' });
    expect((await a('list_commits', { nodeId })).data).toMatchObject({
      commits: [{ message: 'third' }, { message: 'second' }, { message: 'first', tags: ['t1'] }],
    });
    expect((await a('diff_commits', { from: 't1', to: second.data['commitId'], nodeId })).data).toMatchObject({
      total: 1,
      changes: [{ nodeId, change: 'Modified', fields: expect.arrayContaining(['content']) }],
      before: 'one',
      after: 'two',
    });
    expect((await a('restore_node', { nodeId, from: 't1' })).data).toMatchObject({ title: 'v1', changed: ['deleted'] });
    expect((await a('expand_node', { nodeId })).data).toMatchObject({ content: 'one' });
    await expect(a('commit_changes', { createTag: true, tagName: 't1' })).rejects.toMatchObject(refusal('TAG_ALREADY_EXISTS'));
    await expect(a('commit_changes', { createTag: true })).rejects.toMatchObject(refusal('TAG_NAME_REQUIRED'));
  });
});

describe('branches', () => {
  test('go their own way and merge field by field', async () => {
    const { a, b } = fresh();
    const nodeId = await create(a, { title: 'title', content: 'content', tags: ['t'] });
    await a('commit_changes');
    await a('create_branch', { name: 'draft', switchTo: true });
    await a('update_node', { nodeId, title: 'new title', tags: ['u'] });
    const added = await create(a, { title: 'added', parentId: nodeId });
    await a('commit_changes');
    await b('update_node', { nodeId, content: 'new content', mode: 'Replace' });
    await b('commit_changes');
    expect((await a('expand_node', { nodeId })).data).toMatchObject({ title: 'new title', content: 'content' });
    expect((await b('expand_node', { nodeId })).data).toMatchObject({ title: 'title', content: 'new content' });
    expect((await b('merge_branch', { source: 'draft', dryRun: true })).data).toMatchObject({ merged: false, conflicts: [] });
    expect((await b('merge_branch', { source: 'draft' })).data).toMatchObject({ merged: true, conflicts: [] });
    expect((await b('expand_node', { nodeId })).data).toMatchObject({ title: 'new title', content: 'new content', tags: ['t', 'u'] });
    expect((await b('expand_node', { nodeId: added })).data).toMatchObject({ title: 'added' });
    expect((await b('merge_branch', { source: 'draft' })).warnings).toContain('There was nothing to merge');
    // And the other way, from what both have now.
    await a('merge_branch', { source: 'main' });
    expect((await a('expand_node', { nodeId })).data).toMatchObject({ content: 'new content' });
  });

  test('report conflicts and merge nothing, unless one side is preferred', async () => {
    const { a, b } = fresh();
    const nodeId = await create(a, { title: 'old' });
    const gone = await create(a, { title: 'gone' });
    const inside = await create(a, { title: 'inside', parentId: gone });
    await a('commit_changes');
    await a('create_branch', { name: 'draft', switchTo: true });
    await a('update_node', { nodeId, title: 'theirs' });
    await a('delete_node', { nodeId: gone, recursive: true });
    await a('commit_changes');
    await b('update_node', { nodeId, title: 'ours' });
    await b('update_node', { nodeId: inside, content: 'still wanted' });
    await b('commit_changes');
    const { data } = await b('merge_branch', { source: 'draft' });
    expect(data).toMatchObject({ merged: false, commitId: null });
    expect(data['conflicts']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ nodeId, field: 'title', base: 'old', ours: 'ours', theirs: 'theirs' }),
        expect.objectContaining({ nodeId: inside, field: 'deleted' }),
      ]),
    );
    expect((await b('expand_node', { nodeId })).data).toMatchObject({ title: 'ours' });
    expect((await b('merge_branch', { source: 'draft', prefer: 'theirs' })).data).toMatchObject({ merged: true });
    expect((await b('expand_node', { nodeId })).data).toMatchObject({ title: 'theirs' });
  });

  test('staged changes stay with their branch', async () => {
    const { a } = fresh();
    const nodeId = await create(a, { title: 'on main' });
    await a('create_branch', { name: 'other' });
    expect((await a('switch_branch', { name: 'other' })).warnings.join()).toContain('main');
    await expect(a('expand_node', { nodeId })).rejects.toMatchObject(refusal('NODE_NOT_FOUND'));
    expect((await a('switch_branch', { name: 'main' })).data).toMatchObject({ staged: 1 });
    expect((await a('expand_node', { nodeId })).data).toMatchObject({ title: 'on main' });
    expect((await a('list_branches')).data).toMatchObject({
      current: 'main',
      branches: [{ name: 'main' }, { name: 'other', from: 'main' }],
    });
  });
});
