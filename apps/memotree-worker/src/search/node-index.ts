// Nodes in the search index. A space a layer: a branch's own present versions, a session's staged ones; a search looks through the
// spaces of its lineage and keeps what its lineage shows. Versions that only an older branch still sees are kept beside the present.
import { moveUnits, putUnits, removeUnits, type NewUnit, type Sql, type VectorIndex } from '#lib/retrieval';
import { sql as statement, type Database, type Logger, type SqlRunner } from '#lib/platform';
import type { Draft } from '../draft.js';
import type { NodeVersion } from '../store/node-state.js';
import { versionsWhere } from '../store/reader.js';

/** Of a longer text only the beginning is searched; it bounds the time that one write may take. */
const searchedChars = 200_000;
const embeddedChars = 2_000;
/** Vectors are made beside the answer if they are few and come in this time; the rest is made in the background. */
const inlineEmbeddingMs = 1_000;
const maxInlineEmbeddings = 10;
const batchSize = 100;
/** How often the background looks at all units again, for those that it passed while they were being written. */
const rescanIntervalMs = 10 * 60_000;

/** Texts that need vectors, by unit id. */
export type ToEmbed = ReadonlyMap<number, string>;

export function spaceOf(layerId: number): string {
  return `memotree:${layerId}`;
}

export function layerOfSpace(space: string): number {
  return Number(space.slice('memotree:'.length));
}

/** The reference of a version that is not the present one of its layer. */
function pastRef({ nodeId, seq }: NodeVersion): string {
  return `${nodeId}@${seq}`;
}

export function nodeOfRef(ref: string): { readonly nodeId: string; readonly seq: number | null } {
  const [nodeId = '', seq] = ref.split('@');
  return { nodeId, seq: seq === undefined ? null : Number(seq) };
}

interface Published {
  readonly workspaceId: number;
  readonly branchId: number;
  readonly seq: number;
  readonly nodeIds: readonly string[];
}

interface PublishedStage extends Omit<Published, 'nodeIds'> {
  readonly stageId: number;
  readonly published: readonly NodeVersion[];
}

export class NodeIndex {
  readonly #database: Database;
  readonly #vectors: VectorIndex | null;
  readonly #log: Logger;
  /** The id of the last unit that was examined. */
  #after = 0;
  #rescannedAt = 0;

  constructor(database: Database, vectors: VectorIndex | null, log: Logger) {
    this.#database = database;
    this.#vectors = vectors;
    this.#log = log;
  }

  /** Indexes what a draft has staged. Runs in the transaction of the draft. */
  async refreshStage({ runner, scope, stageId, touched }: Draft): Promise<ToEmbed> {
    if (touched.size === 0) return new Map();
    const ids = [...touched];
    const staged = await versionsWhere(
      runner,
      statement`v.layer_id = ${stageId}::int AND v.node_id = ANY(${ids}::text[]) AND NOT v.deleted`,
    );
    const there = new Set(staged.map(({ nodeId }) => nodeId));
    const gone = ids.filter((id) => !there.has(id));
    if (gone.length > 0) await removeUnits(onPrisma(runner), spaceOf(stageId), gone);
    return this.#put(runner, { workspaceId: scope.workspaceId, layerId: stageId, versions: staged, refOf: ({ nodeId }) => nodeId });
  }

  /** Moves units from the stage to the branch after a commit, without reading any text. Runs in the transaction of the commit. */
  async publishStaged(runner: SqlRunner, { workspaceId, branchId, stageId, seq, published }: PublishedStage): Promise<ToEmbed> {
    const nodeIds = published.map(({ nodeId }) => nodeId);
    const there = published.filter(({ deleted }) => !deleted).map(({ nodeId }) => nodeId);
    await moveUnits(onPrisma(runner), { from: spaceOf(stageId), to: spaceOf(branchId), refs: there });
    await this.remove(
      runner,
      branchId,
      published.filter(({ deleted }) => deleted).map(({ nodeId }) => nodeId),
    );
    return this.#indexReplaced(runner, { workspaceId, branchId, seq, nodeIds });
  }

  /** Indexes the new versions of the branch after a merge. Runs in the transaction of the merge. */
  async publishMerged(runner: SqlRunner, published: Published): Promise<ToEmbed> {
    const { workspaceId, branchId, seq, nodeIds } = published;
    const present = await versionsWhere(
      runner,
      statement`v.layer_id = ${branchId}::int AND v.seq = ${seq}::int AND v.node_id = ANY(${[...nodeIds]}::text[])`,
    );
    await this.remove(
      runner,
      branchId,
      present.filter(({ deleted }) => deleted).map(({ nodeId }) => nodeId),
    );
    const past = await this.#indexReplaced(runner, published);
    const versions = present.filter(({ deleted }) => !deleted);
    const now = await this.#put(runner, { workspaceId, layerId: branchId, versions, refOf: ({ nodeId }) => nodeId });
    return new Map([...past, ...now]);
  }

  /** Removes nodes that the layer has no longer. */
  async remove(runner: SqlRunner, layerId: number, nodeIds: readonly string[]): Promise<void> {
    await removeUnits(onPrisma(runner), spaceOf(layerId), nodeIds);
  }

  /** Keeps replaced versions in the index as long as a branch that began before the commit sees them. */
  async #indexReplaced(runner: SqlRunner, { workspaceId, branchId, seq, nodeIds }: Published): Promise<ToEmbed> {
    const versions = await versionsWhere(
      runner,
      statement`v.layer_id = ${branchId}::int AND v.until_seq = ${seq}::int AND v.node_id = ANY(${[...nodeIds]}::text[]) AND NOT v.deleted AND EXISTS (
        SELECT FROM memotree_layer fork WHERE fork.parent_id = ${branchId}::int AND fork.name IS NOT NULL AND fork.parent_seq >= v.seq)`,
    );
    return this.#put(runner, { workspaceId, layerId: branchId, versions, refOf: pastRef });
  }

  /** Indexes present versions of a branch, to fill an index that does not exist yet. */
  async publishVersions(runner: SqlRunner, layerId: number, versions: readonly NodeVersion[]): Promise<ToEmbed> {
    const [layer] = await runner.$queryRaw<
      { workspaceId: number }[]
    >`SELECT workspace_id AS "workspaceId" FROM memotree_layer WHERE id = ${layerId}::int`;
    if (!layer) return new Map();
    return this.#put(runner, { workspaceId: layer.workspaceId, layerId, versions, refOf: ({ nodeId }) => nodeId });
  }

  /** Before a branch begins at an earlier commit: indexes the versions that it sees and that its parent has replaced. */
  async indexPast(runner: SqlRunner, { layerId, seq }: { readonly layerId: number; readonly seq: number }): Promise<void> {
    const versions = await versionsWhere(
      runner,
      statement`v.layer_id = ${layerId}::int AND v.seq <= ${seq}::int AND v.until_seq > ${seq}::int AND v.until_seq < 2147483647 AND NOT v.deleted`,
    );
    const [layer] = await runner.$queryRaw<
      { workspaceId: number }[]
    >`SELECT workspace_id AS "workspaceId" FROM memotree_layer WHERE id = ${layerId}::int`;
    if (layer) await this.#put(runner, { workspaceId: layer.workspaceId, layerId, versions, refOf: pastRef });
  }

  /**
   * Makes vectors of texts that were just written, if there are few and the provider is quick. The background makes the others; until
   * then keywords find the nodes.
   */
  async embed(texts: ToEmbed): Promise<void> {
    if (!this.#vectors || texts.size === 0 || texts.size > maxInlineEmbeddings) return;
    await this.#vectors.put(texts, { signal: AbortSignal.timeout(inlineEmbeddingMs) }).catch((error: unknown) => {
      this.#log.debug({ event: 'vectors-later', err: error }, 'vectors are made in the background');
    });
  }

  /** Makes the vectors that are missing, for units of this domain. */
  async embedMissing(signal: AbortSignal): Promise<void> {
    if (!this.#vectors) return;
    if (Date.now() - this.#rescannedAt > rescanIntervalMs) {
      this.#after = 0;
      this.#rescannedAt = Date.now();
    }
    while (!signal.aborted) {
      const units = await this.#vectors.missing({ after: this.#after, limit: batchSize });
      const last = units.at(-1);
      if (!last) return;
      const texts = await this.#textsOf(units.filter(({ space }) => space.startsWith('memotree:')));
      await this.#vectors.put(texts, { signal });
      this.#after = last.id;
    }
  }

  /** Writes units in batches. @returns the texts to embed */
  async #put(
    runner: SqlRunner,
    given: {
      readonly workspaceId: number;
      readonly layerId: number;
      readonly versions: readonly NodeVersion[];
      readonly refOf: (version: NodeVersion) => string;
    },
  ): Promise<ToEmbed> {
    const written = new Map<number, string>();
    for (let start = 0; start < given.versions.length; start += batchSize) {
      const versions = given.versions.slice(start, start + batchSize);
      const texts = await readTexts(runner, given.workspaceId, versions);
      const units = versions.map((version): NewUnit => ({
        ref: given.refOf(version),
        fields: [
          { text: version.title, weight: 3, isHead: true },
          { text: version.tags.join(' ') },
          ...[version.detailHash, version.summaryHash, version.briefHash].map((hash) => ({
            text: (texts.get(hash ?? '') ?? '').slice(0, searchedChars),
          })),
        ],
        labels: [`type:${version.type}`, ...version.tags.map((tag) => `tag:${tag}`)],
      }));
      const ids = await putUnits(onPrisma(runner), spaceOf(given.layerId), units);
      for (const version of versions) {
        const id = ids.get(given.refOf(version));
        if (id !== undefined) written.set(id, `${version.title}\n${(texts.get(version.detailHash) ?? '').slice(0, embeddedChars)}`);
      }
    }
    return written;
  }

  async #textsOf(
    units: readonly { readonly id: number; readonly space: string; readonly ref: string }[],
  ): Promise<ReadonlyMap<number, string>> {
    const wanted = JSON.stringify(
      units.map(({ id, space, ref }) => ({ id, layer: layerOfSpace(space), node: nodeOfRef(ref).nodeId, seq: nodeOfRef(ref).seq })),
    );
    const rows = await this.#database.$queryRaw<{ id: number; title: string; text: string }[]>`
      SELECT row.id, v.title, left(coalesce(t.text, ''), ${embeddedChars}::int) AS text
      FROM jsonb_to_recordset(${wanted}::jsonb) AS row(id int, layer int, node text, seq int)
      JOIN memotree_version v ON v.layer_id = row.layer AND v.node_id = row.node AND (v.seq = row.seq OR (row.seq IS NULL AND v.until_seq = 2147483647))
      JOIN memotree_layer l ON l.id = v.layer_id LEFT JOIN memotree_text t ON t.workspace_id = l.workspace_id AND t.hash = v.detail_hash`;
    return new Map(rows.map(({ id, title, text }) => [id, `${title}\n${text}`]));
  }
}

async function readTexts(runner: SqlRunner, workspaceId: number, versions: readonly NodeVersion[]): Promise<ReadonlyMap<string, string>> {
  const hashes = versions
    .flatMap(({ detailHash, summaryHash, briefHash }) => [detailHash, summaryHash, briefHash])
    .filter((hash) => hash !== null);
  const rows = await runner.$queryRaw<{ hash: string; text: string }[]>`
    SELECT hash, left(text, ${searchedChars}::int) AS text FROM memotree_text
    WHERE workspace_id = ${workspaceId}::int AND hash = ANY(${[...new Set(hashes)]}::text[])`;
  return new Map(rows.map(({ hash, text }) => [hash, text]));
}

/** Prisma's runner in the shape of `pg`, which the library expects. */
function onPrisma(runner: SqlRunner): Sql {
  return { query: async (text, values = []) => ({ rows: await runner.$queryRawUnsafe(text, ...values) }) };
}
