// Adds units to the index and removes them, in the caller's transaction. Writers of one space wait for each other on the space's row.
import { setImmediate } from 'node:timers/promises';
import type { Sql } from '../sql.js';
import { unitTermsInSteps, type UnitField, type UnitTerms } from './unit-terms.js';

export interface NewUnit {
  /** The owner's id of the unit, unique in its space. */
  readonly ref: string;
  /** What the unit is a part of, such as the document of a section. `listMatches` groups by it. */
  readonly parent?: string;
  readonly fields: readonly UnitField[];
  /** Labels for filters: `domain:sleep`, `tag:vitamin`. */
  readonly labels?: readonly string[];
}

/**
 * Adds units to a space, which is created if necessary. A unit with the same `ref` is replaced. The units can be found once the
 * transaction is committed. 50 to 500 units per call are fastest.
 * @returns the unit ids by ref
 */
export async function putUnits(sql: Sql, space: string, units: readonly NewUnit[]): Promise<ReadonlyMap<string, number>> {
  const latest = [...new Map(units.map((unit) => [unit.ref, unit])).values()];
  if (latest.length === 0) return new Map();
  const spaceId = await lockSpace(sql, space);
  await removeFrom(
    sql,
    spaceId,
    latest.map(({ ref }) => ref),
  );
  const analysed = await analyse(latest);
  const termIds = await countTerms(
    sql,
    spaceId,
    analysed.flatMap(({ terms }) => terms.map(({ term }) => term)),
  );
  const idOf = (term: string): number => {
    const id = termIds.get(term);
    if (id === undefined) throw new Error('a term that was just written is not there');
    return id;
  };
  const rows = analysed.map(({ unit, length, terms }) => ({
    ref: unit.ref,
    parent: unit.parent ?? null,
    labels: unit.labels ?? [],
    length,
    terms: terms.map(({ term }) => idOf(term)),
    tfs: terms.map(({ tf }) => tf),
    impacts: terms.map(({ impact }) => impact),
    heads: terms.filter(({ isHead }) => isHead).map(({ term }) => idOf(term)),
  }));
  const written = await sql.query<{ id: number; ref: string }>(
    `INSERT INTO retrieval_unit (space_id, ref, parent, labels, length, terms, tfs, impacts, heads)
     SELECT $1, ref, parent, labels, length, terms, tfs, impacts, heads
     FROM jsonb_to_recordset($2::jsonb)
       AS row(ref text, parent text, labels text[], length int, terms int[], tfs smallint[], impacts smallint[], heads int[])
     RETURNING id, ref`,
    [spaceId, JSON.stringify(rows)],
  );
  // Sorted, so that neighbours of the index are written together.
  await sql.query(
    `INSERT INTO retrieval_posting (term_id, impact, unit_id)
     SELECT posting.term_id, posting.impact, unit.id
     FROM retrieval_unit unit, unnest(unit.terms, unit.impacts) AS posting(term_id, impact)
     WHERE unit.id = ANY($1) ORDER BY 1, 2, 3`,
    [written.rows.map(({ id }) => id)],
  );
  const length = analysed.reduce((sum, unit) => sum + unit.length, 0);
  await sql.query('UPDATE retrieval_space SET units = units + $2, total_length = total_length + $3 WHERE id = $1', [
    spaceId,
    rows.length,
    length,
  ]);
  return new Map(written.rows.map(({ ref, id }) => [ref, id]));
}

/** How long analysis may occupy the thread at a time. */
const sliceMs = 10;

/** The terms of units. Other work of the thread gets its turn between words. */
async function analyse(units: readonly NewUnit[]): Promise<readonly (UnitTerms & { readonly unit: NewUnit })[]> {
  const analysed: (UnitTerms & { readonly unit: NewUnit })[] = [];
  let since = performance.now();
  for (const unit of units) {
    const steps = unitTermsInSteps(unit.fields);
    let step = steps.next();
    for (; !step.done; step = steps.next()) {
      if (performance.now() - since < sliceMs) continue;
      await setImmediate();
      since = performance.now();
    }
    analysed.push({ unit, ...step.value });
  }
  return analysed;
}

/** Removes units from a space. Unknown refs are ignored. */
export async function removeUnits(sql: Sql, space: string, refs: readonly string[]): Promise<void> {
  if (refs.length > 0) await removeFrom(sql, await lockSpace(sql, space), refs);
}

/** Deletes a space with all its units. */
export async function dropSpace(sql: Sql, space: string): Promise<void> {
  await sql.query(
    'DELETE FROM retrieval_posting WHERE term_id IN (SELECT t.id FROM retrieval_term t JOIN retrieval_space s ON s.id = t.space_id WHERE s.name = $1)',
    [space],
  );
  await sql.query('DELETE FROM retrieval_space WHERE name = $1', [space]);
}

export async function lockSpace(sql: Sql, name: string): Promise<number> {
  const { rows } = await sql.query<{ id: number }>(
    'INSERT INTO retrieval_space (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id',
    [name],
  );
  const [space] = rows;
  if (!space) throw new Error(`the space ${name} could not be made`);
  return space.id;
}

/** Increases the document frequency of a term for each time it is named. @returns the ids of the terms */
async function countTerms(sql: Sql, spaceId: number, named: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const term of named) counts.set(term, (counts.get(term) ?? 0) + 1);
  const { rows } = await sql.query<{ id: number; term: string }>(
    `INSERT INTO retrieval_term (space_id, term, df) SELECT $1, * FROM unnest($2::text[], $3::int[])
     ON CONFLICT (space_id, term) DO UPDATE SET df = retrieval_term.df + excluded.df RETURNING id, term`,
    [spaceId, [...counts.keys()], [...counts.values()]],
  );
  return new Map(rows.map(({ id, term }) => [term, id]));
}

export async function removeFrom(sql: Sql, spaceId: number, refs: readonly string[]): Promise<void> {
  const { rows } = await sql.query<{ id: number }>('SELECT id FROM retrieval_unit WHERE space_id = $1 AND ref = ANY($2)', [spaceId, refs]);
  if (rows.length === 0) return;
  await sql.query(
    `WITH gone AS (DELETE FROM retrieval_unit WHERE id = ANY($2) RETURNING id, terms, impacts, length),
     postings AS (
       DELETE FROM retrieval_posting posting USING gone, unnest(gone.terms, gone.impacts) AS old(term_id, impact)
       WHERE posting.term_id = old.term_id AND posting.impact = old.impact AND posting.unit_id = gone.id),
     terms AS (
       UPDATE retrieval_term SET df = df - held.units
       FROM (SELECT term_id, count(*)::int AS units FROM gone, unnest(terms) AS t(term_id) GROUP BY term_id) held WHERE id = held.term_id)
     UPDATE retrieval_space space SET units = space.units - held.units, total_length = space.total_length - held.length
     FROM (SELECT count(*)::int AS units, sum(length) AS length FROM gone) held WHERE id = $1`,
    [spaceId, rows.map(({ id }) => id)],
  );
}
