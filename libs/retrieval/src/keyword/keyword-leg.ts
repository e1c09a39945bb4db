import type { Sql } from '../sql.js';
import { matchesSql, type MatchOptions, type WeighedList } from './matches-sql.js';
import type { WeighedQuery } from './weigh-terms.js';

export interface KeywordHits {
  readonly hits: readonly { readonly id: number; readonly score: number }[];
  /** Number of units with at least one term, among those that were read. */
  readonly found: number;
}

export function listsOf({ terms }: WeighedQuery): readonly WeighedList[] {
  return terms.flatMap(({ ids, weight }) => ids.map((id): WeighedList => [id, weight]));
}

/** The best units by BM25, best first. Equal scores are sorted by id. */
export async function keywordLeg(sql: Sql, { limit, ...options }: MatchOptions & { readonly limit: number }): Promise<KeywordHits> {
  if (options.lists.length === 0) return { hits: [], found: 0 };
  const { text, values } = matchesSql(options);
  const { rows } = await sql.query<{ unit_id: number; score: number; found: number }>(
    `SELECT unit_id, score, (count(*) OVER ())::int AS found FROM (${text}) matches ORDER BY score DESC, unit_id LIMIT ${Number(limit)}`,
    values,
  );
  return { hits: rows.map(({ unit_id, score }) => ({ id: unit_id, score })), found: rows[0]?.found ?? 0 };
}
