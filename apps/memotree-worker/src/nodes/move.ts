import { memotreeLimits as limits, rootId } from '#lib/contracts';
import type { Draft } from '../draft.js';
import { Rejection } from '../rejection.js';
import { positionAmong } from '../store/positions.js';

interface Move {
  readonly nodeId: string;
  readonly parentId?: string | null | undefined;
  readonly beforeId?: string | null | undefined;
  readonly commitMessage: string;
}

/**
 * Moves a node with its subtree by writing one row.
 * @throws Rejection NODE_NOT_FOUND, PARENT_NOT_FOUND, or INVALID_PARAMS for the root, a circle, or a tree that would be too deep
 */
export async function moveOne(
  draft: Draft,
  { nodeId, parentId, beforeId, commitMessage }: Move,
): Promise<{ nodeId: string; parentId: string }> {
  if (nodeId === rootId) throw new Rejection('INVALID_PARAMS', 'The root cannot be moved');
  const { nodes, ancestry: here } = await draft.reader.liveNodes([nodeId]);
  const before = nodes.get(nodeId);
  if (!before) throw new Rejection('NODE_NOT_FOUND', `There is no node '${nodeId}'`);
  const target = parentId ?? before.parentId ?? rootId;
  const { nodes: parents, ancestry } = await draft.reader.liveNodes([target]);
  if (!parents.has(target)) throw new Rejection('PARENT_NOT_FOUND', `There is no node '${target}' to move under`);
  if (ancestry.isUnder(target, nodeId)) throw new Rejection('INVALID_PARAMS', `The node '${nodeId}' cannot be moved under itself`);
  // The height of the subtree matters only if the node moves down.
  const sinks = ancestry.depth(target) + 1 > here.depth(nodeId);
  const depth = ancestry.depth(target) + 1 + (sinks ? await draft.reader.height(nodeId, limits.depth) : 0);
  if (depth > limits.depth) throw new Rejection('INVALID_PARAMS', `The tree would be ${depth} steps deep; ${limits.depth} are allowed`);
  const position = await positionAmong(draft.reader, target, { beforeId, nodeId });
  await draft.put(nodeId, { ...before, parentId: target, position }, { before, message: commitMessage });
  return { nodeId, parentId: target };
}
