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

describe('commit_changes', () => {
  test('says who committed what, and when', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'x' });
    const before = Date.now();
    const { data, message } = await a('commit_changes', { message: 'words' });
    expect(data).toMatchObject({
      branch: 'main',
      message: 'words',
      committedNodes: [nodeId],
      tag: null,
      committer: 'u1',
      author: { name: 'u1', email: '' },
    });
    expect(data['commitId']).toMatch(/^[0-9a-f]{40}$/);
    expect(Date.parse(String(data['committedAt']))).toBeGreaterThanOrEqual(before - 1_000);
    expect(message).toContain(String(data['commitId']).slice(0, 12));
  });

  test('keeps the author that was declared, the committer being the caller', async () => {
    const { a } = freshWorkspace(canvas);
    await createNode(a);
    const author = { name: 'Ada', email: 'ada@example.com', timestamp: '2026-01-02T03:04:05+08:00' };
    expect((await a('commit_changes', { author })).data).toMatchObject({ author, committer: 'u1' });
    expect((await a('list_commits')).data).toMatchObject({ commits: [{ author, committer: 'u1' }] });
  });

  test('without a message composes one of the staged changes, each said once', async () => {
    const { a } = freshWorkspace(canvas);
    await createNode(a, { commitMessage: 'first' });
    await createNode(a, { commitMessage: 'second' });
    await createNode(a, { commitMessage: 'first' });
    const { data, warnings } = await a('commit_changes');
    expect(data['message']).toBe('first; second');
    expect(warnings).toEqual(["The commit had no message; it is 'first; second'"]);
    await createNode(a);
    expect((await a('commit_changes')).data['message']).toBe('Update 1 nodes');
  });

  test('cuts a composed message at the most that a message may have', async () => {
    const { a } = freshWorkspace(canvas);
    for (const word of ['x', 'y']) await createNode(a, { commitMessage: word.repeat(400) });
    const message = String((await a('commit_changes')).data['message']);
    expect(message).toHaveLength(500);
    expect(message.endsWith('…')).toBe(true);
  });

  test('cuts a composed message beside a character, not within one', async () => {
    const { a } = freshWorkspace(canvas);
    for (const word of ['xx', 'yy']) await createNode(a, { commitMessage: word + '😀'.repeat(400) });
    const message = String((await a('commit_changes')).data['message']);
    expect(Array.from(message)).toHaveLength(500);
    expect(message).toBe(message.toWellFormed());
  });

  test('of nothing makes no commit, and no tag', async () => {
    const { a } = freshWorkspace(canvas);
    const { data, message, warnings } = await a('commit_changes', { createTag: true, tagName: 'v1' });
    expect(data).toMatchObject({ commitId: null, committedNodes: [], tag: null, author: null, committedAt: null });
    expect([message, warnings]).toEqual([
      'There was nothing to commit',
      ["The tag 'v1' was not made: there is no new commit", 'There was nothing to commit'],
    ]);
    expect((await a('list_branches')).data['tags']).toEqual([]);
  });

  test('of what was made and deleted again makes no commit', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a);
    await a('delete_node', { nodeId });
    expect((await a('commit_changes')).data).toMatchObject({ commitId: null });
    expect((await a('list_changes')).data).toMatchObject({ total: 0 });
  });

  test('ignores a tag name without createTag, and says so', async () => {
    const { a } = freshWorkspace(canvas);
    await createNode(a);
    const { data, warnings } = await a('commit_changes', { message: 'm', tagName: 'v1' });
    expect([data['tag'], warnings]).toEqual([null, ["The tagName 'v1' is ignored: createTag is not set"]]);
  });

  test('of the same change that others committed is no conflict', async () => {
    const { a, b } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'old' });
    await commit(a);
    for (const call of [a, b]) await call('update_node', { nodeId, title: 'new' });
    await commit(a);
    expect((await b('commit_changes')).data).toMatchObject({ committedNodes: [nodeId] });
  });

  test('of a change that is stale names the node, its fields, and leaves the stage as it was', async () => {
    const { a, b } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'old' });
    await commit(a);
    await b('update_node', { nodeId, title: 'mine' });
    await a('update_node', { nodeId, title: 'theirs', tags: ['t'] });
    await commit(a);
    await expect(b('commit_changes')).rejects.toMatchObject({
      ...refusal('CONFLICT', /Nothing was committed/),
      extra: { conflicts: [{ nodeId, title: 'theirs', fields: ['title', 'tags'] }] },
    });
    const { data, warnings } = await b('list_changes');
    expect(data).toMatchObject({ total: 1, changes: [{ nodeId, stale: true }] });
    expect(warnings.join()).toContain('1 of them are stale');
  });
});

describe('list_changes and discard_changes', () => {
  test('tell what is staged, and how it differs', async () => {
    const { a } = freshWorkspace(canvas);
    const [changed, moved, gone] = [
      await createNode(a, { title: 'c' }),
      await createNode(a, { title: 'm' }),
      await createNode(a, { title: 'g' }),
    ];
    await commit(a);
    const added = await createNode(a, { title: 'n' });
    await a('update_node', { nodeId: changed, title: 'c2', content: 'x' });
    await a('move_node', { nodeId: moved, parentId: changed });
    await a('delete_node', { nodeId: gone });
    const { data } = await a('list_changes');
    expect(data).toEqual({
      branch: 'main',
      total: 4,
      changes: [
        { nodeId: added, change: 'Added', title: 'n', fields: [], stale: false },
        { nodeId: changed, change: 'Modified', title: 'c2', fields: ['title', 'content'], stale: false },
        { nodeId: moved, change: 'Moved', title: 'm', fields: ['parentId', 'position'], stale: false },
        { nodeId: gone, change: 'Deleted', title: 'g', fields: [], stale: false },
      ],
    });
    expect((await a('list_changes', { maxResults: 1 })).data).toMatchObject({ total: 4, changes: [{}] });
  });

  test('throw away what is named, or all, and nothing that is committed', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'kept' });
    await commit(a);
    await a('update_node', { nodeId, title: 'thrown away' });
    const [one, two] = [await createNode(a), await createNode(a)];
    const part = await a('discard_changes', { specificNodes: [one, 'ffffffffffff'] });
    expect([part.data, part.warnings]).toEqual([{ discardedNodes: [one] }, ["'ffffffffffff' has no staged change"]]);
    expect((await a('discard_changes')).data).toEqual({ discardedNodes: [nodeId, two] });
    expect(await title(a, nodeId)).toBe('kept');
    expect((await a('discard_changes')).data).toEqual({ discardedNodes: [] });
  });
});

describe('a name of a state', () => {
  test('is a branch, a tag, a commit, or seven digits of it and more', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'v1' });
    const first = await commit(a, { createTag: true, tagName: 'release/1.0' });
    await a('update_node', { nodeId, title: 'v2' });
    await commit(a);
    for (const from of ['release/1.0', first, first.slice(0, 7), first.slice(0, 39)])
      expect((await a('diff_commits', { from, to: 'main' })).data).toMatchObject({
        total: 1,
        changes: [{ nodeId, title: 'v2', fields: ['title'] }],
      });
  });

  test('that names nothing is refused, and so are six digits of a commit', async () => {
    const { a } = freshWorkspace(canvas);
    await createNode(a);
    const commitId = await commit(a);
    for (const from of ['nowhere', '0000000', commitId.slice(0, 6), `${commitId}0`])
      await expect(a('diff_commits', { from })).rejects.toMatchObject(refusal('INVALID_PARAMS', /no commit, tag or branch/));
  });

  test('of another workspace names nothing', async () => {
    const [{ a: one }, { a: other }] = [freshWorkspace(canvas), freshWorkspace(canvas)];
    await createNode(one);
    const commitId = await commit(one, { createTag: true, tagName: 'v1' });
    for (const from of ['v1', commitId]) await expect(other('diff_commits', { from })).rejects.toMatchObject(refusal('INVALID_PARAMS'));
  });

  test('that is both a branch and a tag means the branch', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'v1' });
    await commit(a, { createTag: true, tagName: 'both' });
    await a('update_node', { nodeId, title: 'v2' });
    await commit(a);
    await a('create_branch', { name: 'both' });
    expect((await a('diff_commits', { from: 'both' })).data).toMatchObject({ total: 0 });
  });
});

describe('list_commits', () => {
  test('tells the newest first, back from a commit, at most so many', async () => {
    const { a } = freshWorkspace(canvas);
    const commits: string[] = [];
    for (const message of ['one', 'two', 'three']) {
      await createNode(a);
      commits.push(await commit(a, { message }));
    }
    const list = async (input: object) =>
      ((await a('list_commits', { ...input })).data['commits'] as { message: string }[]).map(({ message }) => message);
    expect(await list({})).toEqual(['three', 'two', 'one']);
    expect(await list({ maxResults: 1 })).toEqual(['three']);
    expect(await list({ before: commits[2] })).toEqual(['two', 'one']);
    expect(await list({ before: commits[0] })).toEqual([]);
  });

  test('of a branch holds what it began with, and not what came later elsewhere', async () => {
    const { a, b } = freshWorkspace(canvas);
    await createNode(a);
    await commit(a, { message: 'before' });
    await a('create_branch', { name: 'draft', switchTo: true });
    await createNode(a);
    await commit(a, { message: 'on draft' });
    await createNode(b);
    await commit(b, { message: 'on main' });
    const list = async (branch: string) =>
      ((await b('list_commits', { branch })).data['commits'] as { message: string }[]).map(({ message }) => message);
    expect(await list('draft')).toEqual(['on draft', 'before']);
    expect(await list('main')).toEqual(['on main', 'before']);
    await expect(b('list_commits', { branch: 'none' })).rejects.toMatchObject(refusal('INVALID_PARAMS', /list_branches/));
  });

  test('tells from where a merge came', async () => {
    const { a } = freshWorkspace(canvas);
    await a('create_branch', { name: 'draft', switchTo: true });
    await createNode(a);
    const onDraft = await commit(a);
    await a('switch_branch', { name: 'main' });
    await a('merge_branch', { source: 'draft', message: 'bring it in' });
    expect((await a('list_commits', { maxResults: 1 })).data).toMatchObject({
      commits: [{ message: 'bring it in', mergedFrom: onDraft, changes: 1 }],
    });
  });
});

describe('diff_commits', () => {
  test('tells what was added, changed, moved and deleted between two states, either way', async () => {
    const { a } = freshWorkspace(canvas);
    const [changed, gone] = [await createNode(a, { title: 'old' }), await createNode(a, { title: 'gone' })];
    const first = await commit(a);
    const added = await createNode(a, { title: 'added' });
    await a('update_node', { nodeId: changed, title: 'new' });
    await a('delete_node', { nodeId: gone });
    const second = await commit(a);
    const kinds = async (from: string, to: string) =>
      Object.fromEntries(
        ((await a('diff_commits', { from, to })).data['changes'] as { nodeId: string; change: string }[]).map(({ nodeId, change }) => [
          nodeId,
          change,
        ]),
      );
    expect(await kinds(first, second)).toEqual({ [added]: 'Added', [changed]: 'Modified', [gone]: 'Deleted' });
    expect(await kinds(second, first)).toEqual({ [added]: 'Deleted', [changed]: 'Modified', [gone]: 'Added' });
    expect(await kinds(first, first)).toEqual({});
  });

  test('of one node has its text on both sides, null where it was not there', async () => {
    const { a } = freshWorkspace(canvas);
    await createNode(a);
    const before = await commit(a);
    const nodeId = await createNode(a, { content: 'words' });
    await commit(a);
    expect((await a('diff_commits', { from: before, nodeId })).data).toMatchObject({ before: null, after: 'words' });
    await a('delete_node', { nodeId });
    await commit(a);
    expect((await a('diff_commits', { from: before, nodeId })).data).toMatchObject({ total: 0, before: null, after: null });
  });

  test('counts all and tells at most so many', async () => {
    const { a } = freshWorkspace(canvas);
    await a('batch_create_nodes', { nodes: [{ title: 'a' }, { title: 'b' }, { title: 'c' }] });
    await a('create_branch', { name: 'empty' });
    await commit(a);
    const { data } = await a('diff_commits', { from: 'empty', maxResults: 2 });
    expect([data['total'], (data['changes'] as unknown[]).length]).toEqual([3, 2]);
  });
});

describe('restore_node', () => {
  test('stages the node as it was, with all its fields', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'old', content: 'old words', tags: ['t'] });
    await commit(a, { createTag: true, tagName: 'v1' });
    await a('update_node', { nodeId, title: 'new', content: 'new words', tags: ['u'], mode: 'Replace' });
    await commit(a);
    expect((await a('restore_node', { nodeId, from: 'v1' })).data).toMatchObject({ changed: ['title', 'tags', 'content'] });
    expect((await a('expand_node', { nodeId })).data).toMatchObject({ title: 'old', content: 'old words', tags: ['t'] });
    expect((await a('list_changes')).data).toMatchObject({ total: 1 });
  });

  test('of a deleted subtree brings back what is below it', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'top' });
    const below = await createNode(a, { title: 'below', parentId: nodeId });
    await commit(a, { createTag: true, tagName: 'v1' });
    await a('delete_node', { nodeId, recursive: true });
    await commit(a);
    await a('restore_node', { nodeId, from: 'v1' });
    expect(await title(a, below)).toBe('below');
  });

  test('is refused where there was no such node, and where its parent is gone', async () => {
    const { a } = freshWorkspace(canvas);
    const parentId = await createNode(a);
    const nodeId = await createNode(a, { parentId });
    await commit(a, { createTag: true, tagName: 'v1' });
    await expect(a('restore_node', { nodeId: 'ffffffffffff', from: 'v1' })).rejects.toMatchObject(refusal('NODE_NOT_FOUND', /'v1'/));
    await a('delete_node', { nodeId: parentId, recursive: true });
    await expect(a('restore_node', { nodeId, from: 'v1' })).rejects.toMatchObject(
      refusal('PARENT_NOT_FOUND', /restore or move that first/),
    );
  });
});
