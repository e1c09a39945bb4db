import type { RelationType } from '#lib/contracts';
import type { NodeVersion } from '../store/node-state.js';
import type { Reader } from '../store/reader.js';

export interface RelationFact {
  /** Null for a link in the content. */
  readonly relationId: string | null;
  readonly type: RelationType;
  readonly sourceId: string;
  readonly targetId: string;
  readonly description: string;
}

const maxIncoming = 200;

/** Relations from and to a node, if both of their ends exist. */
export async function relationsAround(reader: Reader, node: NodeVersion): Promise<RelationFact[]> {
  const sources = await reader.referencing([node.nodeId], maxIncoming);
  const facts = [node, ...sources].flatMap(outgoingRelations).filter((one) => one.sourceId === node.nodeId || one.targetId === node.nodeId);
  const others = facts.map((one) => (one.sourceId === node.nodeId ? one.targetId : one.sourceId));
  const { nodes } = await reader.liveNodes(others);
  return facts.filter((_, index) => nodes.has(others[index] ?? ''));
}

/** The relations that a node has itself, and a reference for each link in its content that is not among them. */
export function outgoingRelations({ nodeId, relations, targets }: NodeVersion): readonly RelationFact[] {
  const explicit = relations.map(({ id, type, targetId, description }) => ({
    relationId: id,
    type,
    sourceId: nodeId,
    targetId,
    description,
  }));
  const related = new Set(relations.map(({ targetId }) => targetId));
  const linked = targets.filter((id) => !related.has(id));
  return [
    ...explicit,
    ...linked.map((targetId) => ({ relationId: null, type: 'References' as const, sourceId: nodeId, targetId, description: '' })),
  ];
}
