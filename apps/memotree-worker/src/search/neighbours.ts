import type { RelationType } from '#lib/contracts';
import { outgoingRelations } from '../nodes/relations.js';
import type { Reader } from '../store/reader.js';

/** Most nodes that one step may reach; a hub may have many more neighbours than anyone reads. */
const maxPerStep = 500;

interface Walk {
  readonly hops: number;
  readonly types: readonly RelationType[] | null | undefined;
}

/** The nodes within some steps along relations, in either direction, with their number of steps. The start is not among them. */
export async function neighbours(reader: Reader, start: readonly string[], { hops, types }: Walk): Promise<ReadonlyMap<string, number>> {
  const reached = new Map(start.map((id) => [id, 0]));
  let edge: readonly string[] = start;
  for (let step = 1; step <= hops && edge.length > 0; step++) {
    const from = new Set(edge);
    const sources = [...(await reader.versions(edge)).values(), ...(await reader.referencing(edge, maxPerStep))].filter(
      ({ deleted }) => !deleted,
    );
    const relations = sources.flatMap(outgoingRelations).filter(({ type }) => !types?.length || types.includes(type));
    const next = relations.flatMap(({ sourceId, targetId }) => [
      ...(from.has(sourceId) ? [targetId] : []),
      ...(from.has(targetId) ? [sourceId] : []),
    ]);
    edge = [...new Set(next)].filter((id) => !reached.has(id)).slice(0, maxPerStep);
    for (const id of edge) reached.set(id, step);
  }
  for (const id of start) reached.delete(id);
  return reached;
}
