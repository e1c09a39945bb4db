import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { givenStores } from '#lib/testing';
import { TestCanvas, type Call } from '../test-canvas.js';
import { createNode, freshWorkspace, refusal } from '../test-workspace.js';

let canvas: TestCanvas;
beforeAll(() => void (canvas = new TestCanvas(givenStores().databaseUrl)));
afterAll(async () => canvas[Symbol.asyncDispose]());

async function commit(call: Call, input: Record<string, unknown> = {}): Promise<string> {
  return String((await call('commit_changes', input)).data['commitId']);
}
const title = async (call: Call, nodeId: string) => (await call('expand_node', { nodeId, level: 'Title' })).data['title'];

describe('branches', () => {
  test('of a name that is taken are refused', async () => {
    const { a } = freshWorkspace(canvas);
    await a('create_branch', { name: 'draft' });
    for (const name of ['draft', 'main']) await expect(a('create_branch', { name })).rejects.toMatchObject(refusal('CONFLICT', /already/));
  });

  test('begin at the head of the session’s branch, or at any state', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'v1' });
    const first = await commit(a);
    await a('update_node', { nodeId, title: 'v2' });
    const second = await commit(a);
    expect((await a('create_branch', { name: 'now' })).data).toEqual({ branch: 'now', from: 'main', headCommitId: second });
    expect((await a('create_branch', { name: 'then', from: first, switchTo: true })).data).toEqual({
      branch: 'then',
      from: first,
      headCommitId: first,
    });
    expect(await title(a, nodeId)).toBe('v1');
    await expect(a('create_branch', { name: 'x', from: 'nowhere' })).rejects.toMatchObject(refusal('INVALID_PARAMS'));
  });

  test('of a branch of a branch see what each began with', async () => {
    const { a } = freshWorkspace(canvas);
    const nodes: string[] = [];
    for (const name of ['one', 'two', 'three']) {
      nodes.push(await createNode(a, { title: name }));
      await commit(a);
      await a('create_branch', { name, switchTo: true });
    }
    for (const nodeId of nodes) expect(await title(a, nodeId)).toEqual(expect.any(String));
    await a('switch_branch', { name: 'one' });
    await expect(a('expand_node', { nodeId: nodes[2] })).rejects.toMatchObject(refusal('NODE_NOT_FOUND'));
  });

  test('that are not there cannot be switched to, nor merged; nor can a branch into itself', async () => {
    const { a } = freshWorkspace(canvas);
    await expect(a('switch_branch', { name: 'none' })).rejects.toMatchObject(refusal('INVALID_PARAMS'));
    await expect(a('merge_branch', { source: 'none' })).rejects.toMatchObject(refusal('INVALID_PARAMS'));
    await expect(a('merge_branch', { source: 'main' })).rejects.toMatchObject(refusal('INVALID_PARAMS', /on 'main' itself/));
  });

  test('switching to the same branch leaves nothing behind', async () => {
    const { a } = freshWorkspace(canvas);
    await createNode(a);
    const { data, warnings } = await a('switch_branch', { name: 'main' });
    expect([data, warnings]).toEqual([{ branch: 'main', previous: 'main', headCommitId: null, staged: 1 }, []]);
  });
});

describe('a merge', () => {
  test('that would leave a node without its parent is refused, and nothing is half merged', async () => {
    const { a, b } = freshWorkspace(canvas);
    const parentId = await createNode(a, { title: 'parent' });
    const other = await createNode(a, { title: 'other' });
    await commit(a);
    await a('create_branch', { name: 'draft', switchTo: true });
    const child = await createNode(a, { title: 'child', parentId });
    await a('update_node', { nodeId: other, title: 'changed there' });
    await commit(a);
    await b('delete_node', { nodeId: parentId });
    await commit(b);
    const { data } = await b('merge_branch', { source: 'draft' });
    expect(data).toMatchObject({ merged: false, conflicts: [{ nodeId: child, field: 'parentId', ours: 'deleted or moved' }] });
    expect(await title(b, other)).toBe('other');
    expect((await b('list_commits')).data['commits']).toHaveLength(2);
  });

  test('that is a dry run tells what it would do, and does nothing', async () => {
    const { a, b } = freshWorkspace(canvas);
    await a('create_branch', { name: 'draft', switchTo: true });
    const nodeId = await createNode(a, { title: 'new' });
    await commit(a);
    const { data, message } = await b('merge_branch', { source: 'draft', dryRun: true });
    expect([data, message]).toEqual([{ merged: false, commitId: null, mergedNodes: [nodeId], conflicts: [] }, '1 nodes would be merged']);
    await expect(b('expand_node', { nodeId })).rejects.toMatchObject(refusal('NODE_NOT_FOUND'));
  });

  test('of what was deleted there and never here brings nothing', async () => {
    const { a, b } = freshWorkspace(canvas);
    await a('create_branch', { name: 'draft', switchTo: true });
    const nodeId = await createNode(a);
    await commit(a);
    await a('delete_node', { nodeId });
    await commit(a);
    expect((await b('merge_branch', { source: 'draft' })).data).toMatchObject({ merged: true, mergedNodes: [], commitId: null });
  });

  test('begins where the last one ended', async () => {
    const { a, b } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'one' });
    await commit(a);
    await a('create_branch', { name: 'draft', switchTo: true });
    for (const step of ['two', 'three']) {
      await a('update_node', { nodeId, title: step });
      await commit(a);
      expect((await b('merge_branch', { source: 'draft' })).data).toMatchObject({ merged: true, mergedNodes: [nodeId] });
    }
    // Ours has changed since the last merge, theirs has not: there is nothing to bring, and nothing to undo.
    await b('update_node', { nodeId, title: 'four' });
    await commit(b);
    expect((await b('merge_branch', { source: 'draft' })).data).toMatchObject({ mergedNodes: [] });
    expect(await title(b, nodeId)).toBe('four');
  });

  test('finds by words what it brought', async () => {
    const { a, b } = freshWorkspace(canvas);
    await a('create_branch', { name: 'draft', switchTo: true });
    const nodeId = await createNode(a, { title: 'zebra' });
    await commit(a);
    await b('merge_branch', { source: 'draft' });
    expect((await b('search_nodes', { query: 'zebra' })).data).toMatchObject({ results: [{ nodeId, staged: false }] });
  });
});

describe('the same invocation again', () => {
  test.each<[string, Record<string, unknown>]>([
    ['create_branch', { name: 'draft' }],
    ['batch_create_nodes', { nodes: [{ title: 'x' }] }],
    ['import_markdown', { files: [{ path: 'x.md', text: '# X' }] }],
    ['discard_changes', {}],
  ])('of %s answers the same and does nothing more', async (operation, input) => {
    const { workspace, a } = freshWorkspace(canvas);
    const run = () => canvas.call(operation, { workspace, ...input }, { key: 'a', jobId: `${canvas.tenantId}-${workspace}` });
    const first = await run();
    const after = [(await a('list_changes')).data, (await a('list_branches')).data];
    expect(await run()).toEqual(first);
    expect([(await a('list_changes')).data, (await a('list_branches')).data]).toEqual(after);
  });

  test('after a refusal runs again: a refusal is no effect', async () => {
    const { workspace, a } = freshWorkspace(canvas);
    const run = (parentId: string) =>
      canvas.call('create_node', { workspace, parentId }, { key: 'a', jobId: `${canvas.tenantId}-${workspace}` });
    await expect(run('ffffffffffff')).rejects.toMatchObject(refusal('PARENT_NOT_FOUND'));
    expect((await run('root')).data).toMatchObject({ parentId: 'root' });
    expect((await a('list_changes')).data).toMatchObject({ total: 1 });
  });
});

describe('workspaces', () => {
  test('of their own are reached by nobody else', async () => {
    const call = canvas.session('s', 'alice');
    const nodeId = await createNode(call, { title: 'mine' });
    await call('commit_changes');
    expect((await call('expand_node', { nodeId, workspace: '~alice' })).data).toMatchObject({ title: 'mine' });
    const other = canvas.session('s', 'bob');
    await expect(other('expand_node', { nodeId })).rejects.toMatchObject(refusal('NODE_NOT_FOUND'));
    await expect(other('expand_node', { nodeId, workspace: '~alice' })).rejects.toMatchObject(refusal('PERMISSION_DENIED', /another user/));
  });

  test('with a name are shared by the users of a tenant, and by no other tenant', async () => {
    const nodeId = await createNode(canvas.session('s', 'alice'), { workspace: 'team', title: 'ours' });
    await canvas.session('s', 'alice')('commit_changes', { workspace: 'team' });
    expect((await canvas.session('s', 'bob')('expand_node', { workspace: 'team', nodeId })).data).toMatchObject({ title: 'ours' });
    await using elsewhere = new TestCanvas(givenStores().databaseUrl);
    await expect(elsewhere.session('s', 'alice')('expand_node', { workspace: 'team', nodeId })).rejects.toMatchObject(
      refusal('NODE_NOT_FOUND'),
    );
  });

  test('keep the stages of two users apart, also under one session key', async () => {
    await createNode(canvas.session('same', 'carol'), { workspace: 'apart' });
    expect((await canvas.session('same', 'dave')('list_changes', { workspace: 'apart' })).data).toMatchObject({ total: 0 });
  });
});
