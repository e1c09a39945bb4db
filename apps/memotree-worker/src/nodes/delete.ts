import { rootId } from '#lib/contracts';
import type { Draft } from '../draft.js';
import { Rejection } from '../rejection.js';

interface NodeDeletion {
  readonly nodeId: string;
  readonly recursive: boolean;
  readonly commitMessage: string;
}

/**
 * Deletes a node with one tombstone, however large its subtree is: nodes below a deleted node are not visible.
 * @throws Rejection NODE_NOT_FOUND, INVALID_PARAMS for the root, CONFLICT for children without `recursive`
 */
export async function deleteOne(
  draft: Draft,
  { nodeId, recursive, commitMessage }: NodeDeletion,
): Promise<{ nodeId: string; deleted: boolean }> {
  if (nodeId === rootId) throw new Rejection('INVALID_PARAMS', 'The root cannot be deleted');
  const { nodes } = await draft.reader.liveNodes([nodeId]);
  const before = nodes.get(nodeId);
  if (!before) throw new Rejection('NODE_NOT_FOUND', `There is no node '${nodeId}'`);
  if (!recursive && (await draft.reader.children([nodeId], 1)).length > 0)
    throw new Rejection('CONFLICT', `The node '${nodeId}' has children; set recursive to delete them too`);
  await draft.put(nodeId, { ...before, deleted: true }, { before, message: commitMessage });
  return { nodeId, deleted: true };
}
