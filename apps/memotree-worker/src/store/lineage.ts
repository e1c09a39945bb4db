// A lineage is a list of layers: a node has the version of the nearest layer that contains it. Nothing is copied when a branch begins
// or a session stages a change. All reads go through `visibleVersion` and `visibleVersions`.
import { joinSql, sql, type Sql } from '#lib/platform';

/** The `until_seq` of a version that nothing has replaced. */
export const forever = 2_147_483_647;
/** Reads a layer as it is now, including later commits. */
export const head = forever - 1;

interface LayerAt {
  readonly id: number;
  /** The commit up to which the layer is visible, or `head`. */
  readonly at: number;
}

/** Nearest first: the stage, its branch, the branch from which that began, and so on. */
export type Lineage = readonly [LayerAt, ...LayerAt[]];

/**
 * The version of one node that a lineage shows, tombstones included; no row if there is none. One index lookup per layer.
 * @param nodeId an SQL expression
 */
export function visibleVersion(lineage: Lineage, nodeId: Sql): Sql {
  const parts = lineage.map(
    (layer, depth) => sql`SELECT v.*, ${depth}::int AS depth FROM memotree_version v WHERE ${inside(layer)} AND v.node_id = ${nodeId}`,
  );
  return lineage.length === 1 ? joinSql(parts, '') : sql`${joinSql(parts, ' UNION ALL ')} ORDER BY depth LIMIT 1`;
}

/**
 * The rows of `memotree_version` that a lineage shows. Tombstones are included: the caller decides about them.
 * @param where a condition on the alias `v`
 * @param rest ORDER BY and LIMIT of each layer's own part
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

// The present is written as a constant, so that the partial indexes of present versions are used.
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
