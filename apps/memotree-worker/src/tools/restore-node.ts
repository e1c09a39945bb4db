import { restoreNode, rootId } from '#lib/contracts';
import { findRef } from '../history/refs.js';
import { stagingOperation } from '../operation.js';
import { Rejection } from '../rejection.js';
import { positionAmong } from '../store/positions.js';
import { differingFields } from '../store/node-state.js';

/** Restores a node as of a commit, at its old position. Its parent of then must still exist. */
export const handleRestoreNode = stagingOperation(restoreNode, async ({ nodeId, from, commitMessage }, draft) => {
  const { reader, runner, scope } = draft;
  const ref = await findRef(runner, scope.workspaceId, from);
  const then = (await reader.through(ref.lineage).liveNodes([nodeId])).nodes.get(nodeId);
  if (!then) throw new Rejection('NODE_NOT_FOUND', `There was no node '${nodeId}' in '${from}'`);
  const before = await reader.version(nodeId);
  const parentId = then.parentId ?? rootId;
  const { nodes, ancestry } = await reader.liveNodes([parentId]);
  if (then.parentId !== null && (!nodes.has(parentId) || ancestry.isUnder(parentId, nodeId)))
    throw new Rejection('PARENT_NOT_FOUND', `Its parent of then, '${parentId}', is not there now; restore or move that first`);
  const isBack = before && !before.deleted && before.parentId === then.parentId;
  const position = then.parentId === null || isBack ? then.position : ((await placeOf(parentId)) ?? then.position);
  const state = { ...then, position };
  await draft.put(nodeId, state, { before, message: commitMessage });
  return {
    data: {
      nodeId,
      title: then.title,
      type: then.type,
      tags: [...then.tags],
      parentId: then.parentId,
      changed: before && !before.deleted ? [...differingFields(before, state)] : ['deleted'],
    },
    message: `'${nodeId}' is staged as it was in '${from}'`,
  };

  /** Refuses a full parent. The old key is kept: it is as good as any other among the present siblings. */
  async function placeOf(parent: string): Promise<string | null> {
    await positionAmong(reader, parent, { nodeId });
    return null;
  }
});
