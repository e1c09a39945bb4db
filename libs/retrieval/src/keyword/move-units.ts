import type { Sql } from '../sql.js';
import { tableOf } from '../vectors/vector-store.js';
import { lockSpace, removeFrom } from './write-units.js';

interface Move {
  readonly from: string;
  readonly to: string;
  readonly refs: readonly string[];
}

/**
 * Moves units into another space, where they replace units with the same `ref`. They keep their ids and vectors, and no text is analysed
 * again. Unknown refs are ignored. The space `to` is created if necessary.
 * @returns the ids of the moved units
 */
export async function moveUnits(sql: Sql, { from, to, refs }: Move): Promise<readonly number[]> {
  if (refs.length === 0) return [];
  const fromId = await lockSpace(sql, from);
  const toId = await lockSpace(sql, to);
  await removeFrom(sql, toId, refs);
  // Postings are rewritten, because their key begins with the term, and terms belong to a space.
  const { rows } = await sql.query<{ id: number }>(
    `WITH moving AS (SELECT id, terms, impacts, heads, length FROM retrieval_unit WHERE space_id = $1 AND ref = ANY($3)),
     used AS (
       SELECT term.id, term.term, held.units
       FROM (SELECT term_id, count(*)::int AS units FROM moving, unnest(terms) AS t(term_id) GROUP BY term_id) held
       JOIN retrieval_term term ON term.id = held.term_id),
     counted AS (
       INSERT INTO retrieval_term (space_id, term, df) SELECT $2, term, units FROM used ORDER BY term
       ON CONFLICT (space_id, term) DO UPDATE SET df = retrieval_term.df + excluded.df RETURNING id, term),
     discounted AS (UPDATE retrieval_term SET df = df - used.units FROM used WHERE retrieval_term.id = used.id),
     map AS MATERIALIZED (SELECT used.id AS old, counted.id AS new FROM used JOIN counted USING (term)),
     old AS (
       DELETE FROM retrieval_posting posting USING moving, unnest(moving.terms, moving.impacts) AS held(term_id, impact)
       WHERE posting.term_id = held.term_id AND posting.impact = held.impact AND posting.unit_id = moving.id),
     new AS (
       INSERT INTO retrieval_posting (term_id, impact, unit_id)
       SELECT map.new, held.impact, moving.id FROM moving, unnest(moving.terms, moving.impacts) AS held(term_id, impact)
       JOIN map ON map.old = held.term_id ORDER BY 1, 2, 3),
     mapped AS (
       SELECT moving.id, array_agg(map.new ORDER BY held.place) AS terms,
         coalesce(array_agg(map.new) FILTER (WHERE held.term_id = ANY(moving.heads)), '{}') AS heads
       FROM moving, unnest(moving.terms) WITH ORDINALITY AS held(term_id, place) JOIN map ON map.old = held.term_id GROUP BY moving.id),
     sums AS (SELECT count(*)::int AS units, coalesce(sum(length), 0) AS length FROM moving),
     left_behind AS (
       UPDATE retrieval_space space SET units = space.units - sums.units, total_length = space.total_length - sums.length FROM sums WHERE id = $1),
     gained AS (
       UPDATE retrieval_space space SET units = space.units + sums.units, total_length = space.total_length + sums.length FROM sums WHERE id = $2)
     UPDATE retrieval_unit unit SET space_id = $2, terms = coalesce(mapped.terms, '{}'), heads = coalesce(mapped.heads, '{}')
     FROM moving LEFT JOIN mapped ON mapped.id = moving.id WHERE unit.id = moving.id RETURNING unit.id`,
    [fromId, toId, refs],
  );
  const ids = rows.map(({ id }) => id);
  await moveVectors(sql, ids, toId);
  return ids;
}

async function moveVectors(sql: Sql, ids: readonly number[], spaceId: number): Promise<void> {
  // A model is removed by its row first and then its table; the lock keeps both until this transaction has ended.
  const { rows } = await sql.query<{ id: number; dimension: number }>('SELECT id, dimension FROM retrieval_model FOR KEY SHARE');
  for (const model of rows) await sql.query(`UPDATE ${tableOf(model)} SET space_id = $2 WHERE unit_id = ANY($1)`, [ids, spaceId]);
}
