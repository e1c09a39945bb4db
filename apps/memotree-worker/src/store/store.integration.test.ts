import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { givenStores } from '#lib/testing';
import fc from 'fast-check';
import { memotreeLimits as limits } from '#lib/contracts';
import { Draft } from '../draft.js';
import { TestCanvas } from '../test-canvas.js';
import { idOf, nodeState } from '../test-states.js';
import { positionAmong, positionsAtEnd } from './positions.js';
import { Reader, stagedVersions } from './reader.js';
import { lineageOf, openScope, type Scope } from './scope.js';
import { writeTexts, writeVersions } from './write-versions.js';

let canvas: TestCanvas;
beforeAll(() => void (canvas = new TestCanvas(givenStores().databaseUrl)));
afterAll(async () => canvas[Symbol.asyncDispose]());

let sessions = 0;
const caller = (userId: string | null) => ({ tenantId: canvas.tenantId, userId, tier: 'pro', scopes: [], credentialId: 'key-1' }) as const;

async function newScope(workspace: string | null = `store${++sessions}`, sessionKey = 's', userId: string | null = 'u'): Promise<Scope> {
  return openScope(canvas.services.database, { caller: caller(userId), sessionKey, workspace });
}

/** Nodes in the main branch, by name of the parent. */
async function givenNodes(scope: Scope, parents: Readonly<Record<number, number | 'root'>>, at = 1): Promise<Reader> {
  const { database } = canvas.services;
  await writeVersions(
    database,
    { layerId: scope.branch.id, seq: at },
    Object.entries(parents).map(([n, parent]) => ({
      ...nodeState({ parentId: parent === 'root' ? 'root' : idOf(parent), position: `a${n}`, title: `title ${n}` }),
      nodeId: idOf(Number(n)),
      baseLayerId: null,
      baseSeq: null,
      message: '',
    })),
  );
  return new Reader(database, scope.workspaceId, scope.lineage);
}

describe('a scope', () => {
  test('is made once, however many calls open it at the same time', async () => {
    const workspace = `race${++sessions}`;
    const opened = await Promise.all(Array.from({ length: 8 }, () => newScope(workspace)));
    expect(new Set(opened.map(({ workspaceId, sessionId, branch }) => `${workspaceId} ${sessionId} ${branch.id}`)).size).toBe(1);
    const reader = new Reader(canvas.services.database, opened[0]?.workspaceId ?? 0, opened[0]?.lineage ?? [{ id: 0, at: 0 }]);
    expect(await reader.version('root')).toMatchObject({ title: 'MemoTree', parentId: null });
  });

  test('has a session for each user and key', async () => {
    const workspace = `keys${++sessions}`;
    const ids = [await newScope(workspace, 'a', 'u'), await newScope(workspace, 'b', 'u'), await newScope(workspace, 'a', 'v')].map(
      ({ sessionId }) => sessionId,
    );
    expect(new Set(ids).size).toBe(3);
    expect((await newScope(workspace, 'a', 'u')).sessionId).toBe(ids[0]);
  });

  test('without a workspace is the caller’s own, of the key where there is no user', async () => {
    expect((await newScope(null, 's', 'owner')).principal).toBe('owner');
    expect((await newScope(null, 's', null)).principal).toBe('key:key-1');
    expect((await newScope(null, 's', 'owner')).workspaceId).toBe((await newScope('~owner', 's', 'owner')).workspaceId);
    await expect(newScope('~owner', 's', 'thief')).rejects.toMatchObject({ literal: 'PERMISSION_DENIED' });
  });

  test('sees its stage before the branch once there is one', async () => {
    const scope = await newScope('staged');
    expect([scope.stageId, scope.lineage]).toEqual([null, scope.committed]);
    const draft = await Draft.open(canvas.services.database, scope);
    const again = await newScope('staged');
    expect(again.stageId).toBe(draft.stageId);
    expect(again.lineage.map(({ id }) => id)).toEqual([draft.stageId, scope.branch.id]);
  });

  test('of a layer that is not there is a fault', async () => {
    await expect(lineageOf(canvas.services.database, 2_000_000_000, 1)).rejects.toThrow('there is no layer 2000000000');
  });
});

describe('reads', () => {
  test('give the version of the nearest layer, tombstones included', async () => {
    const scope = await newScope();
    await givenNodes(scope, { 1: 'root', 2: 'root' });
    const draft = await Draft.open(canvas.services.database, scope);
    await writeVersions(canvas.services.database, { layerId: draft.stageId, seq: 0 }, [
      { ...nodeState({ title: 'staged' }), nodeId: idOf(1), baseLayerId: null, baseSeq: null, message: '' },
      { ...nodeState({ deleted: true }), nodeId: idOf(2), baseLayerId: null, baseSeq: null, message: '' },
    ]);
    const versions = await draft.reader.versions([idOf(1), idOf(2), idOf(3)]);
    expect([versions.get(idOf(1))?.title, versions.get(idOf(2))?.deleted, versions.has(idOf(3))]).toEqual(['staged', true, false]);
    expect((await draft.reader.through(scope.committed).version(idOf(1)))?.title).toBe('title 1');
    expect((await stagedVersions(canvas.services.database, draft.stageId)).map(({ nodeId }) => nodeId).toSorted()).toEqual([
      idOf(1),
      idOf(2),
    ]);
  });

  test('of live nodes leave out what is below something deleted or missing', async () => {
    const scope = await newScope();
    const reader = await givenNodes(scope, { 1: 'root', 2: 1, 3: 2, 4: 99 });
    expect([...(await reader.liveNodes([idOf(3), idOf(4)])).nodes.keys()]).toEqual([idOf(3)]);
    const draft = await Draft.open(canvas.services.database, scope);
    await draft.put(idOf(1), nodeState({ deleted: true }), { before: await draft.reader.version(idOf(1)), message: '' });
    expect((await draft.reader.liveNodes([idOf(2), idOf(3)])).nodes.size).toBe(0);
    expect((await draft.reader.liveNodes(['root'])).nodes.size).toBe(1);
  });

  test('of children keep their order, with bounds for each parent and for all', async () => {
    const reader = await givenNodes(await newScope(), { 1: 'root', 2: 'root', 3: 1, 4: 1, 5: 1, 6: 2 });
    const ids = async (each: number, all?: number) =>
      (await reader.children([idOf(1), idOf(2)], each, all)).map(({ nodeId }) => nodeId).toSorted();
    expect(await ids(10)).toEqual([3, 4, 5, 6].map(idOf));
    expect(await ids(2)).toEqual([3, 4, 6].map(idOf));
    expect(await ids(10, 1)).toHaveLength(1);
    expect((await reader.children([idOf(1)], 10)).map(({ nodeId }) => nodeId)).toEqual([3, 4, 5].map(idOf));
    expect(Object.fromEntries(await reader.childCounts([idOf(1), idOf(2), idOf(3)]))).toEqual({ [idOf(1)]: 3, [idOf(2)]: 1, [idOf(3)]: 0 });
  });

  test('of a height count the longest way down, and stop one step beyond the bound', async () => {
    const reader = await givenNodes(await newScope(), { 1: 'root', 2: 1, 3: 2, 4: 3, 5: 1 });
    expect([await reader.height(idOf(4), 20), await reader.height(idOf(1), 20), await reader.height(idOf(1), 1)]).toEqual([0, 3, 2]);
  });

  test('of descendants include the node, and are at most so many', async () => {
    const reader = await givenNodes(await newScope(), { 1: 'root', 2: 1, 3: 2, 4: 'root' });
    expect((await reader.descendants(idOf(1), 10)).toSorted()).toEqual([1, 2, 3].map(idOf));
    expect(await reader.descendants(idOf(1), 2)).toHaveLength(2);
  });

  test('of nothing ask nothing', async () => {
    const reader = await givenNodes(await newScope(), { 1: 'root' });
    expect([
      (await reader.versions([])).size,
      await reader.listed([]),
      await reader.children([], 5),
      (await reader.childCounts([])).size,
    ]).toEqual([0, [], [], 0]);
    expect([await reader.nodesTitled([]), await reader.referencing([], 5), (await reader.texts([null])).size]).toEqual([[], [], 0]);
    expect((await reader.liveNodes([])).nodes.size).toBe(0);
  });

  test('of titles are exact', async () => {
    const reader = await givenNodes(await newScope(), { 1: 'root', 2: 'root' });
    expect((await reader.nodesTitled(['title 1', 'Title 2', 'none'])).map(({ nodeId }) => nodeId)).toEqual([idOf(1)]);
  });

  test('of texts give what was written, whatever it is', async () => {
    const scope = await newScope();
    const reader = await givenNodes(scope, {});
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0') && text.isWellFormed()),
          { maxLength: 5 },
        ),
        async (texts) => {
          await writeTexts(canvas.services.database, scope.workspaceId, texts);
          const { textHash } = await import('./write-versions.js');
          const found = await reader.texts(texts.map(textHash));
          for (const text of texts) expect(found.get(textHash(text))).toBe(text);
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('positions', () => {
  test('lie before the sibling that is named, else at the end, and never move another', async () => {
    const reader = await givenNodes(await newScope(), { 1: 'root', 2: 'root' });
    const before = await positionAmong(reader, 'root', { beforeId: idOf(1) });
    const between = await positionAmong(reader, 'root', { beforeId: idOf(2) });
    const end = await positionAmong(reader, 'root', {});
    expect([before, 'a1', between, 'a2', end]).toEqual([before, 'a1', between, 'a2', end].toSorted());
    expect(new Set([before, between, end]).size).toBe(3);
  });

  test('before one of two siblings with the same position lie before both', async () => {
    const scope = await newScope();
    await givenNodes(scope, { 1: 'root' });
    const reader = await givenNodes(scope, {});
    await writeVersions(canvas.services.database, { layerId: scope.branch.id, seq: 1 }, [
      { ...nodeState({ position: 'a1' }), nodeId: idOf(2), baseLayerId: null, baseSeq: null, message: '' },
    ]);
    expect((await positionAmong(reader, 'root', { beforeId: idOf(2) })) < 'a1').toBe(true);
  });

  test('of a moving node leave the node itself out', async () => {
    const reader = await givenNodes(await newScope(), { 1: 'root', 2: 'root' });
    await expect(positionAmong(reader, 'root', { beforeId: idOf(1), nodeId: idOf(1) })).rejects.toMatchObject({
      literal: 'NODE_NOT_FOUND',
    });
    expect((await positionAmong(reader, 'root', { nodeId: idOf(2) })) > 'a1').toBe(true);
  });

  test.each([0, 1, 50])('for %i nodes at the end are in order, after all that is there', async (count) => {
    const reader = await givenNodes(await newScope(), { 1: 'root', 2: 'root' });
    const positions = await positionsAtEnd(reader, 'root', count);
    expect(positions).toHaveLength(count);
    expect([...positions]).toEqual(positions.toSorted());
    expect(positions.every((position) => position > 'a2')).toBe(true);
  });

  test('are refused beyond the most children, and given up to it', async () => {
    await expect(positionsAtEnd(null, 'root', limits.children + 1)).rejects.toMatchObject({ literal: 'INVALID_PARAMS' });
    expect(await positionsAtEnd(null, 'root', limits.children)).toHaveLength(limits.children);
  });
});
