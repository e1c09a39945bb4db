import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { givenStores } from '#lib/testing';
import { TestCanvas, type Call } from '../test-canvas.js';
import { createNode, freshWorkspace, refusal } from '../test-workspace.js';

let canvas: TestCanvas;
beforeAll(() => void (canvas = new TestCanvas(givenStores().databaseUrl)));
afterAll(async () => canvas[Symbol.asyncDispose]());

const unknown = 'ffffffffffff';

async function detail(call: Call, nodeId: string): Promise<Record<string, unknown>> {
  return (await call('expand_node', { nodeId, includeChildren: true })).data;
}

describe('a batch', () => {
  test('of nodes is made in its order, and committed together', async () => {
    const { a } = freshWorkspace(canvas);
    const { data, message } = await a('batch_create_nodes', { nodes: [{ title: 'one' }, { title: 'two' }] });
    expect(data).toMatchObject({ succeeded: 2, failed: 0 });
    expect(message).toBe('Created 2 nodes');
    expect((await detail(a, 'root'))['children']).toMatchObject([{ title: 'one' }, { title: 'two' }]);
  });

  test('that is atomic leaves nothing after a refusal', async () => {
    const { a } = freshWorkspace(canvas);
    const nodes = [{ title: 'one' }, { parentId: unknown }];
    await expect(a('batch_create_nodes', { nodes })).rejects.toMatchObject({
      ...refusal('PARENT_NOT_FOUND', /Item 1: .* Nothing was changed/),
      extra: { index: 1 },
    });
    expect(await detail(a, 'root')).toMatchObject({ childCount: 0 });
    expect((await a('list_changes')).data).toMatchObject({ total: 0 });
  });

  test('that is not atomic keeps what was possible', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'old' });
    const updates = [
      { nodeId, title: 'new' },
      { nodeId: unknown, title: 'x' },
    ];
    const { data, warnings } = await a('batch_update_nodes', { updates, atomic: false });
    expect(data).toMatchObject({ succeeded: 1, failed: 1, results: [{ success: true }, { success: false, errorCode: 'NODE_NOT_FOUND' }] });
    expect(warnings).toEqual([expect.stringContaining('Item 1')]);
    expect(await detail(a, nodeId)).toMatchObject({ title: 'new' });
  });

  test('sees what its earlier items did', async () => {
    const { a } = freshWorkspace(canvas);
    const parent = await createNode(a);
    const child = await createNode(a, { parentId: parent });
    const { data } = await a('batch_delete_nodes', { nodes: [{ nodeId: child }, { nodeId: parent }] });
    expect(data).toMatchObject({ succeeded: 2 });
    const again = await a('batch_delete_nodes', { nodes: [{ nodeId: parent }], atomic: false });
    expect(again.data).toMatchObject({ failed: 1, results: [{ errorCode: 'NODE_NOT_FOUND' }] });
  });
});
