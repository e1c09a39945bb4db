// What is seen from a layer: of each node the version in the nearest layer that has one. Nothing is copied when a branch begins
// or a session stages a change; all reads go through `visible`.
import { joinSql, sql, type Sql } from '#lib/platform';

/** `until_seq` of a version that nothing has replaced. */
export const forever = 2_147_483_647;
/** Reads a layer as it is now, whatever is committed next. */
export const head = forever - 1;

interface LayerAt {
  readonly id: number;
  /** The commit up to which it is seen, or `head`. */
  readonly at: number;
}

/** Nearest first: a stage, its branch, what the branch began on, and so on. */
export type Lineage = readonly [LayerAt, ...LayerAt[]];

/**
 * The version of one node that is seen through a lineage, a tombstone included; no row without one. One look into the index a layer.
 * @param nodeId an expression of its id
 */
export function visibleVersion(lineage: Lineage, nodeId: Sql): Sql {
  const parts = lineage.map(
    (layer, depth) => sql`SELECT v.*, ${depth}::int AS depth FROM memotree_version v WHERE ${inside(layer)} AND v.node_id = ${nodeId}`,
  );
  return lineage.length === 1 ? joinSql(parts, '') : sql`${joinSql(parts, ' UNION ALL ')} ORDER BY depth LIMIT 1`;
}

/**
 * Rows of `memotree_version` that are seen through a lineage, deleted ones included: the caller decides about tombstones.
 * @param where a condition on the alias `v`
 * @param rest order and limit of each layer's own part
 */
export function visibleVersions(lineage: Lineage, where: Sql, rest?: Sql): Sql {
  return joinSql(
    lineage.map((layer, depth) => {
      const hidden = lineage
        .slice(0, depth)
        .map((nearer) => sql` AND NOT EXISTS (SELECT FROM memotree_version w WHERE w.node_id = v.node_id AND ${insideW(nearer)})`);
      const open = hidden.length > 0 ? joinSql(hidden, '') : sql``;
      const part = sql`SELECT v.* FROM memotree_version v WHERE ${inside(layer)} AND ${where}${open}`;
      return rest ? sql`(${part} ${rest})` : part;
    }),
    ' UNION ALL ',
  );
}

// Written out where the present is meant, so that the indexes of present versions are used.
function inside({ id, at }: LayerAt): Sql {
  return at === head
    ? sql`v.layer_id = ${id}::int AND v.until_seq = 2147483647`
    : sql`v.layer_id = ${id}::int AND v.seq <= ${at}::int AND v.until_seq > ${at}::int`;
}

function insideW({ id, at }: LayerAt): Sql {
  return at === head
    ? sql`w.layer_id = ${id}::int AND w.until_seq = 2147483647`
    : sql`w.layer_id = ${id}::int AND w.seq <= ${at}::int AND w.until_seq > ${at}::int`;
}
