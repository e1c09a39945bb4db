// Looks up the terms of a question in the index: their ids, their rarity, and corrections for unknown ones.
import type { Sql } from '../sql.js';
import { simplify, spellingsOf } from '../text/chinese.js';
import type { QueryTerm } from '../text/query-terms.js';
import { idf } from './bm25.js';
import { closestTerms, wordsWith } from './closest-terms.js';
import { halvesOf } from './halves.js';
import { knownTerms, type KnownTerm } from './known-terms.js';

export interface WeighedTerm {
  readonly term: string;
  /** The ids of the term, one for each space that has it. Empty when none has. */
  readonly ids: readonly number[];
  readonly df: number;
  /** Rarity times the weight in the question. An unknown term has a weight too, since an answer lacks it. */
  readonly weight: number;
  /** The known word that is used instead of this unknown one. */
  readonly readAs?: string;
}

export interface WeighedQuery {
  readonly terms: readonly WeighedTerm[];
  readonly spaceIds: readonly number[];
  readonly units: number;
}

/** The weight of a corrected word, relative to a known one. */
const correctedShare = 0.7;
/** The weight of an unknown word, relative to a known one. The question may be about something else, or only use another word. */
const absentShare = 0.6;
/** A term of less weight is not corrected. */
const leastCorrected = 0.5;

export async function weighTerms(sql: Sql, spaces: readonly string[], terms: readonly QueryTerm[]): Promise<WeighedQuery> {
  const spaceRows = await sql.query<{ id: number; units: number }>('SELECT id, units FROM retrieval_space WHERE name = ANY($1)', [spaces]);
  const spaceIds = spaceRows.rows.map(({ id }) => id);
  const units = spaceRows.rows.reduce((sum, row) => sum + row.units, 0);
  const known = await spelledTerms(
    sql,
    spaceIds,
    terms.map(({ term }) => term),
  );
  const isLookedFor = ({ term, weight }: QueryTerm): boolean => !known.has(term) && weight >= leastCorrected;
  const singles = terms.filter((one) => one.kind === 'single' && isLookedFor(one)).map(({ term }) => term);
  const words = await wordsWith(sql, spaceIds, singles);
  const weighed = await Promise.all(
    terms.map(async (one): Promise<WeighedTerm[]> => {
      const { term, kind, weight } = one;
      const exact = known.get(term);
      if (exact) return [{ term, ...exact, weight: weight * idf(units, exact.df) }];
      // A pair of characters across a word border is no word, so it is not counted as missing.
      if (kind === 'joint') return [];
      const others = words.get(term) ?? (isLookedFor(one) ? await otherTerms(sql, spaceIds, { term, kind }) : []);
      if (others.length === 0) return [{ term, ids: [], df: 0, weight: weight * absentShare * idf(units, 0) }];
      return others.map((other) => ({
        term,
        ids: other.ids,
        df: other.df,
        readAs: other.term,
        weight: (weight * correctedShare * idf(units, other.df)) / others.length,
      }));
    }),
  );
  return { terms: weighed.flat(), spaceIds, units };
}

/** What an unknown word may be meant for: a word that it is a misspelling of, or two words that it joins. */
async function otherTerms(sql: Sql, spaceIds: readonly number[], wanted: Pick<QueryTerm, 'term' | 'kind'>): Promise<readonly KnownTerm[]> {
  const closest = await closestTerms(sql, spaceIds, wanted);
  return closest.length > 0 ? closest : halvesOf(sql, spaceIds, wanted);
}

/** Those of the terms that some space has. Units that were written by an older version have traditional characters in their terms. */
async function spelledTerms(
  sql: Sql,
  spaceIds: readonly number[],
  terms: readonly string[],
): Promise<ReadonlyMap<string, Pick<KnownTerm, 'ids' | 'df'>>> {
  const known = new Map<string, Pick<KnownTerm, 'ids' | 'df'>>();
  for (const { term, ids, df } of await knownTerms(sql, spaceIds, terms.flatMap(spellingsOf))) {
    const before = known.get(simplify(term));
    known.set(simplify(term), { ids: [...(before?.ids ?? []), ...ids], df: (before?.df ?? 0) + df });
  }
  return known;
}
