import type { LabelFilter } from './filter.js';
import { listsOf } from './keyword/keyword-leg.js';
import { matchesSql, type WeighedList } from './keyword/matches-sql.js';
import { weighTerms } from './keyword/weigh-terms.js';
import type { Sql } from './sql.js';
import { lookedUpTerms } from './text/query-terms.js';

/** What the first page fixes for later ones: which units exist, and the weight of each term. Plain data that fits into a cursor. */
export interface Snapshot {
  /** The highest unit id. Units that are added later are not seen. */
  readonly upTo: number;
  readonly lists: readonly WeighedList[];
}

export interface MatchPage {
  /** One entry for each parent (`whole`), with its best unit (`ref`). A unit without a parent counts as its own parent. */
  readonly matches: readonly { readonly space: string; readonly whole: string; readonly ref: string; readonly score: number }[];
  /** Number of entries on all pages. */
  readonly found: number;
  readonly snapshot: Snapshot;
}

interface ListOptions {
  readonly spaces: readonly string[];
  readonly query: string;
  readonly filter?: LabelFilter;
  readonly offset: number;
  readonly limit: number;
  /** The snapshot of the first page. Absent for the first page itself. */
  readonly snapshot?: Snapshot | undefined;
  /** How many units are read for each term at most, so that the time is bounded. Default 20,000. */
  readonly depth?: number;
}

/**
 * A page of all keyword matches, best first. The pages of one snapshot neither repeat nor miss an entry when units are added between
 * them. Units that are removed or replaced meanwhile are missing.
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
  const lists = listsOf(await weighTerms(sql, spaces, lookedUpTerms(query)));
  const { rows } = await sql.query<{ last: number }>('SELECT coalesce(max(id), 0) AS last FROM retrieval_unit');
  // Four digits are enough, and they keep cursors short.
  return { upTo: rows[0]?.last ?? 0, lists: lists.map(([id, weight]) => [id, Number(weight.toPrecision(4))]) };
}
