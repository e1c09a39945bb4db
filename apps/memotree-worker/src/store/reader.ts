// Reads the tree as one lineage shows it. Each method is one statement whose work grows with its answer and not with the tree.
import { sql, type Sql, type SqlRunner } from '#lib/platform';
import { Ancestry, type PathStep } from './ancestry.js';
import { visibleVersion, visibleVersions, type Lineage } from './lineage.js';
import type { ListedNode, NodeVersion } from './node-state.js';

const columns = sql`v.layer_id AS "layerId", v.node_id AS "nodeId", v.seq, v.until_seq AS "untilSeq", v.deleted, v.parent_id AS "parentId", v.position, v.type::text AS type,
  v.title, v.tags, v.detail_hash AS "detailHash", v.detail_chars AS "detailChars", v.detail_tokens AS "detailTokens",
  v.brief_hash AS "briefHash", v.summary_hash AS "summaryHash", v.summary_of AS "summaryOf", v.relations, v.targets,
  v.state_hash AS "stateHash", v.base_layer_id AS "baseLayerId", v.base_seq AS "baseSeq", v.message`;

const listedColumns = sql`v.node_id AS "nodeId", v.parent_id AS "parentId", v.position, v.deleted, v.type::text AS type, v.title, v.tags,
  v.detail_hash AS "detailHash", v.detail_chars AS "detailChars", v.detail_tokens AS "detailTokens", v.brief_hash AS "briefHash",
  v.summary_hash AS "summaryHash", v.summary_of AS "summaryOf"`;

/** Most versions that are examined when looking for references to a node. */
const maxReferences = 10_000;

/** A step to the root; the step at which a path begins has the whole version. */
type FoundStep = PathStep & { readonly version: NodeVersion | null };

/** Nodes that exist, and the paths from them to the root. */
export interface LiveNodes {
  readonly nodes: ReadonlyMap<string, NodeVersion>;
  readonly ancestry: Ancestry;
}

export interface SummaryRow {
  readonly state: 'Pending' | 'InProgress' | 'Completed' | 'Failed';
  readonly brief: string | null;
  readonly summary: string | null;
}

export interface Layers {
  /** Texts by their hash. */
  readonly texts: ReadonlyMap<string, string>;
  /** Summaries by the hash of the text that they summarise. */
  readonly summaries: ReadonlyMap<string, SummaryRow>;
}

interface LayerRequest {
  readonly hashes: ReadonlySet<string>;
  /** Hashes of texts whose summaries are needed. */
  readonly sources: ReadonlySet<string>;
  /** Those of `sources` whose text is needed as long as it has no summary. */
  readonly standIns: ReadonlySet<string>;
}

type LayerRow = { readonly hash: string; readonly text: string | null } & (SummaryRow | { readonly [Key in keyof SummaryRow]: null });

export class Reader {
  readonly #runner: SqlRunner;
  readonly #workspaceId: number;
  readonly lineage: Lineage;

  constructor(runner: SqlRunner, workspaceId: number, lineage: Lineage) {
    this.#runner = runner;
    this.#workspaceId = workspaceId;
    this.lineage = lineage;
  }

  /** A reader of the same workspace through another lineage. */
  through(lineage: Lineage): Reader {
    return new Reader(this.#runner, this.#workspaceId, lineage);
  }

  /** The visible versions of nodes, tombstones included. Unknown ids are left out. */
  async versions(ids: readonly string[]): Promise<ReadonlyMap<string, NodeVersion>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#runner.$queryRaw<NodeVersion[]>(sql`SELECT ${columns} ${this.#eachOf(ids)}`);
    return new Map(rows.map((version) => [version.nodeId, version]));
  }

  /** Like `versions`, with the fields that lists need. */
  async listed(ids: readonly string[]): Promise<readonly ListedNode[]> {
    if (ids.length === 0) return [];
    return this.#runner.$queryRaw<ListedNode[]>(sql`SELECT ${listedColumns} ${this.#eachOf(ids)}`);
  }

  async version(id: string): Promise<NodeVersion | undefined> {
    return (await this.versions([id])).get(id);
  }

  async ancestry(ids: readonly string[]): Promise<Ancestry> {
    if (ids.length === 0) return new Ancestry([]);
    return new Ancestry(
      await this.#runner.$queryRaw<PathStep[]>(
        sql`WITH RECURSIVE up AS (
              SELECT v.node_id, v.parent_id, v.deleted, v.title ${this.#eachOf(ids)}
              UNION
              SELECT p.node_id, p.parent_id, p.deleted, p.title FROM up CROSS JOIN LATERAL (${visibleVersion(this.lineage, sql`up.parent_id`)}) p
            )
            SELECT node_id AS "nodeId", parent_id AS "parentId", deleted, title FROM up`,
      ),
    );
  }

  /** The nodes of these ids that exist: neither deleted nor below a deleted or missing node. */
  async liveNodes(ids: readonly string[]): Promise<LiveNodes> {
    if (ids.length === 0) return { nodes: new Map(), ancestry: new Ancestry([]) };
    const steps = await this.#runner.$queryRaw<FoundStep[]>(
      sql`WITH RECURSIVE start AS MATERIALIZED (SELECT ${columns} ${this.#eachOf(ids)}),
          up AS (
            SELECT "nodeId" AS node_id, "parentId" AS parent_id, deleted, title FROM start
            UNION
            SELECT p.node_id, p.parent_id, p.deleted, p.title FROM up CROSS JOIN LATERAL (${visibleVersion(this.lineage, sql`up.parent_id`)}) p
          )
          SELECT up.node_id AS "nodeId", up.parent_id AS "parentId", up.deleted, up.title, to_jsonb(start) AS version
          FROM up LEFT JOIN start ON start."nodeId" = up.node_id`,
    );
    const ancestry = new Ancestry(steps);
    const nodes = new Map<string, NodeVersion>();
    for (const { nodeId, version } of steps) if (version && ancestry.isLive(nodeId)) nodes.set(nodeId, version);
    return { nodes, ancestry };
  }

  /**
   * The children of some parents, in their order.
   * @param each most children of one parent
   * @param all most children in total
   */
  async children(parentIds: readonly string[], each: number, all = parentIds.length * each): Promise<readonly NodeVersion[]> {
    if (parentIds.length === 0) return [];
    return this.#runner.$queryRaw<NodeVersion[]>(sql`SELECT ${columns} ${this.#childrenOf(parentIds, each)} LIMIT ${all}::int`);
  }

  /** Like `children`, with the fields that lists need. */
  async listedChildren(parentIds: readonly string[], each: number, all = parentIds.length * each): Promise<readonly ListedNode[]> {
    if (parentIds.length === 0) return [];
    return this.#runner.$queryRaw<ListedNode[]>(sql`SELECT ${listedColumns} ${this.#childrenOf(parentIds, each)} LIMIT ${all}::int`);
  }

  /** The number of children and the position of the last one. @param without a child that is not counted */
  async childrenEnd(parentId: string, without: string | undefined): Promise<{ readonly count: number; readonly last: string | null }> {
    const [row] = await this.#runner.$queryRaw<{ count: number; last: string | null }[]>(
      sql`SELECT count(*)::int AS count, max(v.position) AS last FROM (${visibleVersions(this.lineage, sql`v.parent_id = ${parentId}`)}) v
          WHERE NOT v.deleted AND v.node_id IS DISTINCT FROM ${without ?? null}::text`,
    );
    return row ?? { count: 0, last: null };
  }

  /** The ids and positions of the children of one parent, in their order. */
  async childPositions(parentId: string): Promise<readonly { readonly nodeId: string; readonly position: string }[]> {
    return this.#runner.$queryRaw<{ nodeId: string; position: string }[]>(
      sql`SELECT v.node_id AS "nodeId", v.position FROM (${visibleVersions(this.lineage, sql`v.parent_id = ${parentId}`)}) v
          WHERE NOT v.deleted ORDER BY v.position, v.node_id`,
    );
  }

  async childCounts(parentIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (parentIds.length === 0) return new Map();
    const own = visibleVersions(this.lineage, sql`v.parent_id = parent.id`);
    const rows = await this.#runner.$queryRaw<{ id: string; count: number }[]>(
      sql`SELECT parent.id, count.count FROM unnest(${[...new Set(parentIds)]}::text[]) AS parent(id)
          CROSS JOIN LATERAL (SELECT count(*)::int AS count FROM (${own}) v WHERE NOT v.deleted) count`,
    );
    return new Map(rows.map(({ id, count }) => [id, count]));
  }

  /** Steps from a node down to its deepest descendant, counted up to `most` + 1. */
  async height(nodeId: string, most: number): Promise<number> {
    const children = visibleVersions(this.lineage, sql`v.parent_id = ANY(level.ids)`);
    // One level per step, so that each step is one index lookup; the depth limit bounds the number of steps.
    const [row] = await this.#runner.$queryRaw<{ height: number }[]>(
      sql`WITH RECURSIVE level AS (
            SELECT ARRAY[${nodeId}]::text[] AS ids, 0 AS depth
            UNION ALL
            SELECT next.ids, level.depth + 1 FROM level CROSS JOIN LATERAL (
              SELECT array_agg(v.node_id) AS ids FROM (${children}) v WHERE NOT v.deleted
            ) next WHERE next.ids IS NOT NULL AND level.depth <= ${most}::int
          )
          SELECT max(depth)::int AS height FROM level`,
    );
    return row?.height ?? 0;
  }

  /** Nodes with exactly these titles, at most 1,000. */
  async nodesTitled(titles: readonly string[]): Promise<readonly NodeVersion[]> {
    if (titles.length === 0) return [];
    return (await this.#select(sql`v.title = ANY(${titles}::text[])`, sql`ORDER BY v.title, v.node_id LIMIT 1000`)).filter(
      ({ deleted }) => !deleted,
    );
  }

  /** Nodes that refer to any of these, by a relation or by a link in their content, in the order of their ids. */
  async referencing(ids: readonly string[], limit: number): Promise<readonly NodeVersion[]> {
    if (ids.length === 0) return [];
    // No LIMIT in the first step: with one the planner scans the tree instead of using the index of targets.
    return this.#runner.$queryRaw<NodeVersion[]>(
      sql`WITH pointing AS MATERIALIZED (SELECT node_id FROM memotree_version WHERE targets && ${ids}::text[])
          SELECT ${columns} FROM (
            SELECT DISTINCT node_id FROM (SELECT node_id FROM pointing LIMIT ${maxReferences}::int) pointed ORDER BY node_id
          ) asked
          CROSS JOIN LATERAL (${visibleVersion(this.lineage, sql`asked.node_id`)}) v
          WHERE NOT v.deleted AND v.targets && ${ids}::text[] ORDER BY asked.node_id LIMIT ${limit}::int`,
    );
  }

  /** The nodes that fulfil a condition, most recently changed first. @param where a condition on the alias `v` */
  async newest(where: Sql, limit: number): Promise<readonly NodeVersion[]> {
    // The newest of each layer, then the newest of these: each is a short index scan.
    const rest = sql`ORDER BY v.changed_at DESC, v.node_id LIMIT ${limit}::int`;
    return this.#runner.$queryRaw<NodeVersion[]>(
      sql`SELECT ${columns} FROM (${visibleVersions(this.lineage, sql`NOT v.deleted AND ${where}`, rest)}) v ${rest}`,
    );
  }

  /** The ids of a node and its descendants, at most `most`. Fewer than `most` means that these are all. */
  async descendants(nodeId: string, most: number): Promise<readonly string[]> {
    const next = visibleVersions(this.lineage, sql`v.parent_id = down.id`);
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

  /** Reads texts, and the summaries of texts. A text without a summary is read itself if it is among `standIns`. */
  async layers({ hashes, sources, standIns }: LayerRequest): Promise<Layers> {
    const texts = new Map<string, string>();
    const summaries = new Map<string, SummaryRow>();
    if (hashes.size + sources.size === 0) return { texts, summaries };
    const rows = await this.#runner.$queryRaw<LayerRow[]>(
      sql`SELECT t.hash, t.text, NULL AS state, NULL AS brief, NULL AS summary FROM memotree_text t
          WHERE t.workspace_id = ${this.#workspaceId}::int AND t.hash = ANY(${[...hashes]}::text[])
          UNION ALL
          SELECT source.hash, t.text, s.state::text, s.brief, s.summary FROM unnest(${[...sources]}::text[]) AS source(hash)
          LEFT JOIN memotree_summary s ON s.workspace_id = ${this.#workspaceId}::int AND s.source_hash = source.hash
          LEFT JOIN memotree_text t ON t.workspace_id = ${this.#workspaceId}::int AND t.hash = source.hash
            AND t.hash = ANY(${[...standIns].filter((hash) => !hashes.has(hash))}::text[]) AND s.state IS DISTINCT FROM 'Completed'`,
    );
    for (const { hash, text, state, brief, summary } of rows) {
      if (text !== null) texts.set(hash, text);
      if (state !== null) summaries.set(hash, { state, brief, summary });
    }
    return { texts, summaries };
  }

  #eachOf(ids: readonly string[]): Sql {
    return sql`FROM unnest(${[...new Set(ids)]}::text[]) AS asked(id) CROSS JOIN LATERAL (${visibleVersion(this.lineage, sql`asked.id`)}) v`;
  }

  #childrenOf(parentIds: readonly string[], each: number): Sql {
    const own = visibleVersions(this.lineage, sql`v.parent_id = parent.id`);
    return sql`FROM unnest(${parentIds}::text[]) AS parent(id)
      CROSS JOIN LATERAL (SELECT * FROM (${own}) v WHERE NOT v.deleted ORDER BY v.position, v.node_id LIMIT ${each}::int) v`;
  }

  async #select(where: Sql, rest: Sql = sql``): Promise<readonly NodeVersion[]> {
    return this.#runner.$queryRaw<NodeVersion[]>(sql`SELECT ${columns} FROM (${visibleVersions(this.lineage, where)}) v ${rest}`);
  }
}

/** All versions of a stage, in the order in which they were staged. */
export async function stagedVersions(runner: SqlRunner, stageId: number): Promise<readonly NodeVersion[]> {
  // A constant instead of a parameter, so that the partial index of staged versions is used.
  return versionsWhere(runner, sql`v.layer_id = ${stageId}::int AND v.seq = 0 ORDER BY v.changed_at, v.node_id`);
}

/** Versions of any layer by a condition on the alias `v`, for commits and diffs. */
export async function versionsWhere(runner: SqlRunner, where: Sql): Promise<readonly NodeVersion[]> {
  return runner.$queryRaw<NodeVersion[]>(sql`SELECT ${columns} FROM memotree_version v WHERE ${where}`);
}
