import { memotreeLimits as limits, type RelationType } from '#lib/contracts';
import { targetsOf, type Draft } from '../draft.js';
import { Rejection } from '../rejection.js';
import type { NodeVersion, Relation } from '../store/node-state.js';
import { newNodeId } from '../store/scope.js';

interface Link {
  readonly sourceId: string;
  readonly targetId: string;
  readonly type: RelationType;
  readonly description: string;
  readonly commitMessage: string;
}

/**
 * Adds a relation, or replaces the one of the same type. Relations are part of their source's state: they are staged, committed, merged
 * and restored with it.
 * @throws Rejection NODE_NOT_FOUND, or INVALID_PARAMS for a relation to itself or beyond the limit
 */
export async function linkOne(draft: Draft, { sourceId, targetId, type, description, commitMessage }: Link): Promise<Relation> {
  if (sourceId === targetId) throw new Rejection('INVALID_PARAMS', 'A node cannot be related to itself');
  const { nodes } = await draft.reader.liveNodes([sourceId, targetId]);
  const source = nodes.get(sourceId);
  if (!source) throw new Rejection('NODE_NOT_FOUND', `There is no node '${sourceId}'`);
  if (!nodes.has(targetId)) throw new Rejection('NODE_NOT_FOUND', `There is no node '${targetId}'`);
  const same = source.relations.find((one) => one.targetId === targetId && one.type === type);
  const relation: Relation = { id: same?.id ?? newNodeId(), type, targetId, description };
  const relations = [...source.relations.filter((one) => one !== same), relation];
  if (relations.length > limits.relations)
    throw new Rejection('INVALID_PARAMS', `The node '${sourceId}' has ${limits.relations} relations, the most that a node may have`);
  await putRelations(draft, source, { relations, message: commitMessage });
  return relation;
}

interface Unlink {
  readonly sourceId: string;
  readonly targetId: string;
  readonly type?: RelationType | null | undefined;
  readonly commitMessage: string;
}

/** Removes the relations to a node, or those of one type. @returns how many */
export async function unlinkOne(draft: Draft, { sourceId, targetId, type, commitMessage }: Unlink): Promise<number> {
  const source = (await draft.reader.liveNodes([sourceId])).nodes.get(sourceId);
  if (!source) throw new Rejection('NODE_NOT_FOUND', `There is no node '${sourceId}'`);
  const relations = source.relations.filter((one) => one.targetId !== targetId || (type != null && one.type !== type));
  const removed = source.relations.length - relations.length;
  if (removed > 0) await putRelations(draft, source, { relations, message: commitMessage });
  return removed;
}

/** Stages the relations. Targets also contain the links of the content, so the content is read. */
async function putRelations(
  draft: Draft,
  source: NodeVersion,
  { relations, message }: { readonly relations: readonly Relation[]; readonly message: string },
): Promise<void> {
  const text = (await draft.reader.texts([source.detailHash])).get(source.detailHash) ?? '';
  await draft.put(source.nodeId, { ...source, relations, targets: targetsOf(source.nodeId, relations, text) }, { before: source, message });
}
