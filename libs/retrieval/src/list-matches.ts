import type { LabelFilter } from './filter.js';
import { listsOf } from './keyword/keyword-leg.js';
import { matchesSql, type WeighedList } from './keyword/matches-sql.js';
import { weighTerms } from './keyword/weigh-terms.js';
import type { Sql } from './sql.js';
import { queryTerms } from './text/query-terms.js';

/** What a first page fixes for those that follow: which units there were, and what each term weighed. Plain data, for a cursor. */
export interface Snapshot {
  /** Units that came later are not seen. */
  readonly upTo: number;
  readonly lists: readonly WeighedList[];
}

export interface MatchPage {
  /** Wholes with the part of them that matches best. A unit without a parent is its own whole. */
  readonly matches: readonly { readonly space: string; readonly whole: string; readonly ref: string; readonly score: number }[];
  /** All wholes that match, over all pages. */
  readonly found: number;
  readonly snapshot: Snapshot;
}

interface ListOptions {
  readonly spaces: readonly string[];
  readonly query: string;
  readonly filter?: LabelFilter;
  readonly offset: number;
  readonly limit: number;
  /** Of the first page; absent makes one. */
  readonly snapshot?: Snapshot | undefined;
  /** Units read of each term. Beyond it a list is cut, so that time stays bounded. Default 20,000: nobody pages that far. */
  readonly depth?: number;
}

/**
 * A page of everything that matches by keywords, best first. Pages of one snapshot neither repeat nor miss a whole, whatever is
 * added between them; what is removed or replaced meanwhile is gone.
 */
export async function listMatches(sql: Sql, options: ListOptions): Promise<MatchPage> {
  const { spaces, query, filter = {}, offset, limit, snapshot, depth = 20_000 } = options;
  const fixed = snapshot ?? (await takeSnapshot(sql, spaces, query));
  if (fixed.lists.length === 0) return { matches: [], found: 0, snapshot: fixed };
  const { text, values } = matchesSql({ ...fixed, filter, depth });
  const { rows } = await sql.query<{ space: string; whole: string; ref: string; score: number; found: number }>(
    `WITH best AS (
       SELECT DISTINCT ON (unit.space_id, whole) unit.space_id, coalesce(unit.parent, unit.ref) AS whole, unit.ref, unit.id, match.score
       FROM (${text}) match JOIN retrieval_unit unit ON unit.id = match.unit_id
       ORDER BY unit.space_id, whole, match.score DESC, unit.id)
     SELECT space.name AS space, best.whole, best.ref, best.score, (count(*) OVER ())::int AS found
     FROM best JOIN retrieval_space space ON space.id = best.space_id
     ORDER BY best.score DESC, best.id LIMIT ${Number(limit)} OFFSET ${Number(offset)}`,
    values,
  );
  return {
    matches: rows.map(({ space, whole, ref, score }) => ({ space, whole, ref, score })),
    found: rows[0]?.found ?? 0,
    snapshot: fixed,
  };
}

async function takeSnapshot(sql: Sql, spaces: readonly string[], query: string): Promise<Snapshot> {
  const lists = listsOf(await weighTerms(sql, spaces, queryTerms(query)));
  const { rows } = await sql.query<{ last: number }>('SELECT coalesce(max(id), 0) AS last FROM retrieval_unit');
  // Few digits make short cursors.
  return { upTo: rows[0]?.last ?? 0, lists: lists.map(([id, weight]) => [id, Number(weight.toPrecision(4))]) };
}
