// Finds the nodes of a search, best first, as the lineage shows them.
import { listMatches, type LabelFilter, type Retriever, type Sql } from '#lib/retrieval';
import type { NodeType } from '#lib/contracts';
import { sql } from '#lib/platform';
import { forever } from '../store/lineage.js';
import type { NodeVersion } from '../store/node-state.js';
import type { Reader } from '../store/reader.js';
import { layerOfSpace, nodeOfRef, spaceOf } from './node-index.js';
import type { SearchScope } from './search-scope.js';

export interface Found {
  readonly node: NodeVersion;
  readonly score: number;
}

interface NodeQuery {
  readonly query: string;
  readonly legs: 'keyword' | 'vector' | 'both';
  readonly types: readonly NodeType[];
  readonly tags: readonly string[];
  readonly allowed: SearchScope;
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface NodeSearch {
  readonly retriever: Retriever;
  readonly sql: Sql;
}

/** How many further matches a search in a large subtree reads, in portions, until enough of them lie inside. */
const portions = [300, 1_700] as const;
const depth = 2_000;

export async function findNodes(
  { retriever, sql: runner }: NodeSearch,
  reader: Reader,
  wanted: NodeQuery,
): Promise<{ found: readonly Found[]; warnings: readonly string[] }> {
  const { query, legs, allowed, limit, signal } = wanted;
  const spaces = reader.lineage.map(({ id }) => spaceOf(id));
  const filter = filterOf(wanted);
  const result = await retriever.search({ spaces, query, legs, filter, limit: 60, signal });
  const hits = result.hits.map(({ space, ref, confidence }) => ({ space, ref, score: confidence }));
  const found = await visibleHits(reader, hits, allowed);
  if (allowed.kind !== 'below' || legs === 'vector') return { found: found.slice(0, limit), warnings: result.warnings };
  // In a large subtree most of the best hits may lie outside: read further keyword matches until enough lie inside.
  let snapshot: Awaited<ReturnType<typeof listMatches>>['snapshot'] | undefined;
  let offset = 0;
  for (const portion of portions) {
    if (found.length >= limit) break;
    signal.throwIfAborted();
    const next = await listMatches(runner, { spaces, query, filter, offset, limit: portion, snapshot, depth });
    offset += portion;
    snapshot = next.snapshot;
    const known = new Set(found.map(({ node }) => node.nodeId));
    const least = found.at(-1)?.score ?? 1;
    const more = await visibleHits(reader, next.matches, allowed);
    // Scores of keyword matches are on another scale. They are mapped below the others and only keep their own order.
    found.push(
      ...more.filter(({ node }) => !known.has(node.nodeId)).map(({ node, score }) => ({ node, score: (least * score) / (score + 50) })),
    );
    if (next.matches.length < portion) break;
  }
  return { found: found.toSorted((a, b) => b.score - a.score).slice(0, limit), warnings: result.warnings };
}

/** The nodes that pass the filters, newest first (MT-36). */
export async function newestNodes(
  reader: Reader,
  { types, tags, allowed, limit }: Pick<NodeQuery, 'types' | 'tags' | 'allowed' | 'limit'>,
): Promise<readonly Found[]> {
  const nodes = await reader.newest(
    sql`(${types.length === 0} OR v.type::text = ANY(${types}::text[])) AND v.tags @> ${tags}::text[]
      AND (${allowed.kind !== 'ids'} OR v.node_id = ANY(${allowed.kind === 'ids' ? allowed.ids : []}::text[])) AND v.parent_id IS NOT NULL`,
    // Read more than the limit: some may lie below a deleted node, or outside of a large subtree.
    allowed.kind === 'below' ? 2_000 : limit * 2 + 50,
  );
  const there = await liveIn(reader, nodes, allowed);
  return there.slice(0, limit).map((node, index) => ({ node, score: 1 / (1 + index) }));
}

function filterOf({ types, tags, allowed }: NodeQuery): LabelFilter {
  return {
    all: tags.map((tag) => `tag:${tag}`),
    ...(types.length > 0 && { anyOf: [types.map((type) => `type:${type}`)] }),
    ...(allowed.kind === 'ids' && { refs: allowed.ids }),
  };
}

/** Keeps the hits whose layer and version are those that the lineage shows. */
async function visibleHits(
  reader: Reader,
  hits: readonly { readonly space: string; readonly ref: string; readonly score: number }[],
  allowed: SearchScope,
): Promise<Found[]> {
  const versions = await reader.versions(hits.map(({ ref }) => nodeOfRef(ref).nodeId));
  const seen = hits.flatMap(({ space, ref, score }) => {
    const { nodeId, seq } = nodeOfRef(ref);
    const node = versions.get(nodeId);
    if (!node || node.deleted || node.layerId !== layerOfSpace(space)) return [];
    return (seq === null ? node.untilSeq === forever : node.seq === seq) ? [{ node, score }] : [];
  });
  const there = new Set(
    await liveIn(
      reader,
      seen.map(({ node }) => node),
      allowed,
    ),
  );
  return seen.filter(({ node }) => there.has(node));
}

/** Keeps the nodes that exist and lie in the scope. */
async function liveIn(reader: Reader, nodes: readonly NodeVersion[], allowed: SearchScope): Promise<readonly NodeVersion[]> {
  const ancestry = await reader.ancestry(nodes.map(({ nodeId }) => nodeId));
  return nodes.filter(({ nodeId }) => ancestry.isLive(nodeId) && (allowed.kind !== 'below' || ancestry.isUnder(nodeId, allowed.topId)));
}
