// SQL for BM25 over the postings. The work is bounded: for each term only the units with the highest impact are read.
import { filterSql, type LabelFilter } from '../filter.js';
import { impactUnit } from './bm25.js';

/** A term of the index with its weight. */
export type WeighedList = readonly [termId: number, weight: number];

export interface MatchOptions {
  readonly lists: readonly WeighedList[];
  readonly filter: LabelFilter;
  /** How many units are read for each term. Scores are exact when every term is in fewer units than that. */
  readonly depth: number;
  /** Highest unit id that is seen. */
  readonly upTo?: number | undefined;
}

/** With a filter, this many times `depth` postings are read for each term, since the filter discards some. */
const filterSlack = 8;

/** A query for `unit_id, score` of every match, unsorted. The caller may append further values. */
export function matchesSql({ lists, filter, depth, upTo }: MatchOptions): { readonly text: string; readonly values: unknown[] } {
  const values: unknown[] = [lists.map(([id]) => id), lists.map(([, weight]) => weight * impactUnit), depth];
  let seen = '';
  if (upTo !== undefined) {
    values.push(upTo);
    seen = `AND unit_id <= $${values.length}`;
  }
  const condition = filterSql(filter, values.length + 1);
  values.push(...condition.values);
  const list = (limit: string): string =>
    `SELECT unit_id, impact FROM retrieval_posting WHERE term_id = asked.id ${seen} ORDER BY impact DESC, unit_id DESC LIMIT ${limit}`;
  const filtered = (): string =>
    `SELECT p.unit_id, p.impact FROM (${list(`$3 * ${filterSlack}`)}) p JOIN retrieval_unit unit ON unit.id = p.unit_id
     WHERE ${condition.text} LIMIT $3`;
  if (filter.refs) {
    return {
      text: `SELECT unit.id AS unit_id, sum(asked.weight * term.impact) AS score
     FROM retrieval_unit unit CROSS JOIN LATERAL unnest(unit.terms, unit.impacts) AS term(id, impact)
     JOIN unnest($1::int[], $2::float8[]) AS asked(id, weight) ON asked.id = term.id
     WHERE $3::int > 0 ${seen.replace('unit_id', 'unit.id')} AND ${condition.text}
       AND unit.space_id = ANY(ARRAY(SELECT DISTINCT space_id FROM retrieval_term WHERE id = ANY($1))) GROUP BY unit.id`,
      values,
    };
  }
  return {
    text: `SELECT unit_id, sum(asked.weight * posting.impact) AS score
     FROM unnest($1::int[], $2::float8[]) AS asked(id, weight)
     CROSS JOIN LATERAL (${condition.text ? filtered() : list('$3')}) AS posting GROUP BY unit_id`,
    values,
  };
}
