// Reads of the tree as one lineage shows it. Each method is one statement whose work grows with its answer, not with the tree.
import { sql, type Sql, type SqlRunner } from '#lib/platform';
import { Ancestry, type Step } from './ancestry.js';
import { visible, type Lineage } from './lineage.js';
import type { NodeVersion } from './node-state.js';

const columns = sql`v.layer_id AS "layerId", v.node_id AS "nodeId", v.seq, v.until_seq AS "untilSeq", v.deleted, v.parent_id AS "parentId", v.position, v.type::text AS type,
  v.title, v.tags, v.detail_hash AS "detailHash", v.detail_chars AS "detailChars", v.detail_tokens AS "detailTokens",
  v.brief_hash AS "briefHash", v.summary_hash AS "summaryHash", v.summary_of AS "summaryOf", v.relations, v.targets,
  v.state_hash AS "stateHash", v.base_layer_id AS "baseLayerId", v.base_seq AS "baseSeq", v.message, v.changed_at AS "changedAt"`;

export interface SummaryRow {
  readonly sourceHash: string;
  readonly state: 'Pending' | 'InProgress' | 'Completed' | 'Failed';
  readonly brief: string | null;
  readonly summary: string | null;
}

export class Reader {
  readonly #runner: SqlRunner;
  readonly #workspaceId: number;
  readonly lineage: Lineage;

  constructor(runner: SqlRunner, workspaceId: number, lineage: Lineage) {
    this.#runner = runner;
    this.#workspaceId = workspaceId;
    this.lineage = lineage;
  }

  /** The same database and workspace through another lineage. */
  through(lineage: Lineage): Reader {
    return new Reader(this.#runner, this.#workspaceId, lineage);
  }

  /** Versions by node, tombstones included. */
  async versions(ids: readonly string[]): Promise<ReadonlyMap<string, NodeVersion>> {
    if (ids.length === 0) return new Map();
    return byNode(await this.#select(sql`v.node_id = ANY(${[...new Set(ids)]}::text[])`));
  }

  async version(id: string): Promise<NodeVersion | undefined> {
    return (await this.versions([id])).get(id);
  }

  async ancestry(ids: readonly string[]): Promise<Ancestry> {
    if (ids.length === 0) return new Ancestry([]);
    const start = visible(this.lineage, sql`v.node_id = ANY(${[...new Set(ids)]}::text[])`);
    const above = visible(this.lineage, sql`v.node_id = up.parent_id`);
    return new Ancestry(
      await this.#runner.$queryRaw<Step[]>(
        sql`WITH RECURSIVE up AS (
              SELECT v.node_id, v.parent_id, v.deleted, v.title FROM (${start}) v
              UNION
              SELECT p.node_id, p.parent_id, p.deleted, p.title FROM up CROSS JOIN LATERAL (${above}) p
            )
            SELECT node_id AS "nodeId", parent_id AS "parentId", deleted, title FROM up`,
      ),
    );
  }

  /** The nodes of these ids that are really there: not deleted, nor below something deleted. */
  async living(ids: readonly string[]): Promise<{ readonly nodes: ReadonlyMap<string, NodeVersion>; readonly ancestry: Ancestry }> {
    // One after the other: inside a transaction there is one connection.
    const versions = await this.versions(ids);
    const ancestry = await this.ancestry(ids);
    return { nodes: new Map([...versions].filter(([id]) => ancestry.isAlive(id))), ancestry };
  }

  /** Children in their order. @param limit of each parent */
  async children(parentIds: readonly string[], limit: number): Promise<readonly NodeVersion[]> {
    if (parentIds.length === 0) return [];
    const own = visible(this.lineage, sql`v.parent_id = parent.id`);
    return this.#runner.$queryRaw<NodeVersion[]>(
      sql`SELECT ${columns} FROM unnest(${parentIds}::text[]) AS parent(id)
          CROSS JOIN LATERAL (SELECT * FROM (${own}) v WHERE NOT v.deleted ORDER BY v.position, v.node_id LIMIT ${limit}::int) v`,
    );
  }

  /** Ids and places of one parent's children, in their order. */
  async places(parentId: string): Promise<readonly { readonly nodeId: string; readonly position: string }[]> {
    return this.#runner.$queryRaw<{ nodeId: string; position: string }[]>(
      sql`SELECT v.node_id AS "nodeId", v.position FROM (${visible(this.lineage, sql`v.parent_id = ${parentId}`)}) v
          WHERE NOT v.deleted ORDER BY v.position, v.node_id`,
    );
  }

  async childCounts(parentIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (parentIds.length === 0) return new Map();
    const own = visible(this.lineage, sql`v.parent_id = parent.id`);
    const rows = await this.#runner.$queryRaw<{ id: string; count: number }[]>(
      sql`SELECT parent.id, count.count FROM unnest(${[...new Set(parentIds)]}::text[]) AS parent(id)
          CROSS JOIN LATERAL (SELECT count(*)::int AS count FROM (${own}) v WHERE NOT v.deleted) count`,
    );
    return new Map(rows.map(({ id, count }) => [id, count]));
  }

  /** Steps from a node down to its deepest descendant, counted up to one more than `most`. Stops at the first way that is too long. */
  async height(nodeId: string, most: number): Promise<number> {
    const below = visible(this.lineage, sql`v.parent_id = ANY(level.ids)`);
    // A whole level at a time, so that each step is one look into the index; the depth limit bounds the steps.
    const [row] = await this.#runner.$queryRaw<{ height: number }[]>(
      sql`WITH RECURSIVE level AS (
            SELECT ARRAY[${nodeId}]::text[] AS ids, 0 AS depth
            UNION ALL
            SELECT next.ids, level.depth + 1 FROM level CROSS JOIN LATERAL (
              SELECT array_agg(v.node_id) AS ids FROM (${below}) v WHERE NOT v.deleted
            ) next WHERE next.ids IS NOT NULL AND level.depth <= ${most}::int
          )
          SELECT max(depth)::int AS height FROM level`,
    );
    return row?.height ?? 0;
  }

  /** Nodes of exactly these titles. */
  async titled(titles: readonly string[]): Promise<readonly NodeVersion[]> {
    if (titles.length === 0) return [];
    return (await this.#select(sql`v.title = ANY(${titles}::text[])`, sql`ORDER BY v.title, v.node_id LIMIT 1000`)).filter(
      ({ deleted }) => !deleted,
    );
  }

  /** Nodes that point to any of these, by relation or by a link in their content. */
  async pointingTo(ids: readonly string[], limit: number): Promise<readonly NodeVersion[]> {
    if (ids.length === 0) return [];
    return (await this.#select(sql`v.targets && ${ids}::text[]`, sql`LIMIT ${limit}::int`)).filter(({ deleted }) => !deleted);
  }

  /** Nodes that a condition lets through, newest change first. @param where on the alias `v` */
  async newest(where: Sql, limit: number): Promise<readonly NodeVersion[]> {
    // The newest of each layer, then the newest of those: each is a short walk along an index.
    const rest = sql`ORDER BY v.changed_at DESC, v.node_id LIMIT ${limit}::int`;
    return this.#runner.$queryRaw<NodeVersion[]>(
      sql`SELECT ${columns} FROM (${visible(this.lineage, sql`NOT v.deleted AND ${where}`, rest)}) v ${rest}`,
    );
  }

  /** Ids below a node, at most so many: fewer than `most` are all of them. */
  async below(nodeId: string, most: number): Promise<readonly string[]> {
    const next = visible(this.lineage, sql`v.parent_id = down.id`);
    const rows = await this.#runner.$queryRaw<{ id: string }[]>(
      sql`WITH RECURSIVE down AS (
            SELECT ${nodeId}::text AS id
            UNION ALL
            SELECT child.node_id FROM down CROSS JOIN LATERAL (SELECT v.node_id FROM (${next}) v WHERE NOT v.deleted) child
          )
          SELECT id FROM down LIMIT ${most}::int`,
    );
    return rows.map(({ id }) => id);
  }

  async texts(hashes: readonly (string | null)[]): Promise<ReadonlyMap<string, string>> {
    const wanted = hashes.filter((hash): hash is string => hash !== null);
    if (wanted.length === 0) return new Map();
    const rows = await this.#runner.$queryRaw<{ hash: string; text: string }[]>(
      sql`SELECT hash, text FROM memotree_text WHERE workspace_id = ${this.#workspaceId}::int AND hash = ANY(${[...new Set(wanted)]}::text[])`,
    );
    return new Map(rows.map(({ hash, text }) => [hash, text]));
  }

  async summaries(sources: readonly (string | null)[]): Promise<ReadonlyMap<string, SummaryRow>> {
    const wanted = sources.filter((hash): hash is string => hash !== null);
    if (wanted.length === 0) return new Map();
    const rows = await this.#runner.$queryRaw<SummaryRow[]>(
      sql`SELECT source_hash AS "sourceHash", state::text AS state, brief, summary FROM memotree_summary
          WHERE workspace_id = ${this.#workspaceId}::int AND source_hash = ANY(${[...new Set(wanted)]}::text[])`,
    );
    return new Map(rows.map((row) => [row.sourceHash, row]));
  }

  async #select(where: Sql, rest: Sql = sql``): Promise<readonly NodeVersion[]> {
    return this.#runner.$queryRaw<NodeVersion[]>(sql`SELECT ${columns} FROM (${visible(this.lineage, where)}) v ${rest}`);
  }
}

/** Versions of one layer by any condition on `v`, for commits and diffs. */
export async function versionsWhere(runner: SqlRunner, where: Sql): Promise<readonly NodeVersion[]> {
  return runner.$queryRaw<NodeVersion[]>(sql`SELECT ${columns} FROM memotree_version v WHERE ${where}`);
}

function byNode(versions: readonly NodeVersion[]): ReadonlyMap<string, NodeVersion> {
  return new Map(versions.map((version) => [version.nodeId, version]));
}
