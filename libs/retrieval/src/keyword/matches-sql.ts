// BM25 over the postings, with bounded work: of each term the units of highest impact, and the sums of those.
import { filterSql, type LabelFilter } from '../filter.js';
import { impactUnit } from './bm25.js';

/** A term of the index and what it counts. */
export type WeighedList = readonly [termId: number, weight: number];

export interface MatchOptions {
  readonly lists: readonly WeighedList[];
  readonly filter: LabelFilter;
  /** Units read of each term at most. A term in fewer units is read whole, and then the sums are exact at the reference length. */
  readonly depth: number;
  /** Units that came later than this one are not seen. */
  readonly upTo?: number | undefined;
}

/** A filter may discard so many times what it lets through before a term's list is left. */
const filterSlack = 8;

/** A query for `unit_id, score` of every match, in no order. Its values come first; more may be added after them. */
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
