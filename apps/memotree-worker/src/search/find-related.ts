import { relationTypes, type RelationType } from '#lib/contracts';
import { sql } from '#lib/platform';
import type { Reader } from '../store/reader.js';
import { neighbours } from './neighbours.js';
import type { Found } from './find-nodes.js';

interface Related extends Found {
  readonly hops: number;
}

interface RelatedQuery {
  readonly query: string;
  readonly types: readonly RelationType[] | null | undefined;
  readonly hops: number;
  /** Finds the nodes that match the query as text. */
  readonly byText: () => Promise<readonly Found[]>;
}

const maxAnchors = 10;
const maxOfType = 200;

/** Finds the neighbours of what the query names: a node id, a type of relation, or text (C-70). Nearer ones come first. */
export async function findRelated(reader: Reader, { query, types, hops, byText }: RelatedQuery): Promise<readonly Related[]> {
  const named = query.trim().replace(/^\[\[([^|\n]*)(?:\|.*)?\]\]$/, '$1');
  const type = relationTypes.find((one) => one.toLowerCase() === named.toLowerCase());
  if (type) return withRelation(reader, type);
  const direct = (await reader.liveNodes([named])).nodes.get(named);
  const anchors = direct ? [{ node: direct, score: 1 }] : (await byText()).slice(0, maxAnchors);
  const found = new Map<string, { hops: number; score: number }>();
  for (const { node, score } of anchors) {
    const reached = await neighbours(reader, [node.nodeId], { hops, types });
    for (const [id, steps] of reached) {
      const value = score / steps;
      if (value > (found.get(id)?.score ?? 0)) found.set(id, { hops: steps, score: value });
    }
  }
  const { nodes } = await reader.liveNodes([...found.keys()]);
  return [...nodes.values()]
    .map((node) => ({ node, hops: found.get(node.nodeId)?.hops ?? 1, score: found.get(node.nodeId)?.score ?? 0 }))
    .toSorted((a, b) => b.score - a.score);
}

/** Both ends of every relation of a type, most recently changed first. */
async function withRelation(reader: Reader, type: RelationType): Promise<readonly Related[]> {
  const sources = await reader.newest(sql`v.relations @> ${JSON.stringify([{ type }])}::jsonb`, maxOfType);
  const ends = sources.flatMap(({ nodeId, relations }) => [
    nodeId,
    ...relations.filter((one) => one.type === type).map(({ targetId }) => targetId),
  ]);
  const { nodes } = await reader.liveNodes(ends);
  return [...new Set(ends)].flatMap((id, index) => {
    const node = nodes.get(id);
    return node ? [{ node, hops: 1, score: 1 / (1 + index) }] : [];
  });
}
