import type { Sql } from '../sql.js';

/** A term that units of some spaces have. */
export interface KnownTerm {
  readonly term: string;
  /** One for each space. */
  readonly ids: number[];
  /** The number of units that have it. */
  readonly df: number;
}

/** Those of the terms that some of the spaces has. */
export async function knownTerms(sql: Sql, spaceIds: readonly number[], terms: readonly string[]): Promise<readonly KnownTerm[]> {
  const { rows } = await sql.query<KnownTerm>(
    `SELECT term, array_agg(id) AS ids, sum(df)::int AS df FROM retrieval_term
     WHERE space_id = ANY($1) AND term = ANY($2) AND df > 0 GROUP BY term`,
    [spaceIds, [...new Set(terms)]],
  );
  return rows;
}
