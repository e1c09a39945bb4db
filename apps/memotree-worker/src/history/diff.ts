import { joinSql, sql, type SqlRunner } from '#lib/platform';
import type { Lineage } from '../store/lineage.js';
import { changeBetween, type ChangeKind, type ComparedField, type NodeVersion } from '../store/node-state.js';
import { Reader } from '../store/reader.js';

export interface NodeDifference {
  readonly nodeId: string;
  readonly kind: ChangeKind;
  readonly fields: readonly ComparedField[];
  readonly before: NodeVersion | undefined;
  readonly after: NodeVersion | undefined;
}

interface Comparison {
  readonly workspaceId: number;
  readonly from: Lineage;
  readonly to: Lineage;
  /** Compares this node alone. */
  readonly nodeId?: string | null | undefined;
}

/**
 * The differences between two states of the tree. Reads only nodes that were written between them, so its work grows with the number
 * of changes and not with the tree. A deleted subtree is one difference: its top.
 */
export async function differences(runner: SqlRunner, { workspaceId, from, to, nodeId }: Comparison): Promise<readonly NodeDifference[]> {
  const ids = nodeId ? [nodeId] : await writtenBetween(runner, from, to);
  const before = await new Reader(runner, workspaceId, from).versions(ids);
  const after = await new Reader(runner, workspaceId, to).versions(ids);
  return ids.flatMap((id) => {
    const change = changeBetween(before.get(id), after.get(id));
    return change ? [{ nodeId: id, kind: change.kind, fields: change.fields, before: before.get(id), after: after.get(id) }] : [];
  });
}

async function writtenBetween(runner: SqlRunner, a: Lineage, b: Lineage): Promise<readonly string[]> {
  const bounds = new Map<number, { low: number; high: number }>();
  for (const { id, at } of a) bounds.set(id, { low: -1, high: at });
  for (const { id, at } of b) {
    const other = bounds.get(id);
    bounds.set(id, other ? { low: Math.min(other.high, at), high: Math.max(other.high, at) } : { low: -1, high: at });
  }
  const ranges = [...bounds].filter(([, { low, high }]) => low < high);
  if (ranges.length === 0) return [];
  // Versions from before the first commit (seq 0) are the same in every state.
  const parts = ranges.map(([id, { low, high }]) => sql`(layer_id = ${id}::int AND seq > 0 AND seq > ${low}::int AND seq <= ${high}::int)`);
  const rows = await runner.$queryRaw<{ id: string }[]>(
    sql`SELECT DISTINCT node_id AS id FROM memotree_version WHERE ${joinSql(parts, ' OR ')} ORDER BY node_id`,
  );
  return rows.map(({ id }) => id);
}
