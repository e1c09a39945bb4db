import { stemmer } from 'stemmer';
import type { Sql } from '../sql.js';
import type { TokenKind } from '../text/tokens.js';
import { knownTerms, type KnownTerm } from './known-terms.js';

const leastLetters = 3;

/**
 * The two known words that an unknown one joins (`backend` where texts have `back end`): those of which the rarer one is in most units.
 * Empty when it joins none.
 */
export async function halvesOf(
  sql: Sql,
  spaceIds: readonly number[],
  wanted: { term: string; kind: TokenKind },
): Promise<readonly KnownTerm[]> {
  if (wanted.kind !== 'word' || !/^[a-z]{6,32}$/.test(wanted.term)) return [];
  // The stem of a word has lost its last e.
  const halves = [wanted.term, `${wanted.term}e`].flatMap((word) =>
    Array.from({ length: word.length - 2 * leastLetters + 1 }, (_, index) => {
      const at = index + leastLetters;
      return [stemmer(word.slice(0, at)), stemmer(word.slice(at))] as const;
    }),
  );
  const rows = await knownTerms(sql, spaceIds, halves.flat());
  const known = new Map(rows.map((row) => [row.term, row]));
  const found = halves.flatMap(([first, second]) => {
    const [left, right] = [known.get(first), known.get(second)];
    return left && right && left !== right ? [{ both: [left, right], df: Math.min(left.df, right.df) }] : [];
  });
  return found.toSorted((a, b) => b.df - a.df)[0]?.both ?? [];
}
