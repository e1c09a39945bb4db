import { distance } from 'fastest-levenshtein';
import type { Sql } from '../sql.js';
import type { TokenKind } from '../text/tokens.js';
import type { KnownTerm } from './known-terms.js';

const maxCandidates = 20_000;
const maxContainingTerms = 20;

/**
 * Known terms for a term that no unit has: for a word of 5–32 Latin letters the one with the fewest edits (one, or two from seven letters
 * on). Empty when there is none.
 */
export async function closestTerms(
  sql: Sql,
  spaceIds: readonly number[],
  wanted: { term: string; kind: TokenKind },
): Promise<readonly KnownTerm[]> {
  if (wanted.kind !== 'word' || !/^[a-z]{5,32}$/.test(wanted.term)) return [];
  const [first = '', second = ''] = wanted.term;
  // A typing error seldom changes both of the first two letters, and the index is sorted by them.
  const { rows } = await sql.query<KnownTerm>(
    `SELECT term, array_agg(id) AS ids, sum(df)::int AS df FROM (
       SELECT term, id, df FROM retrieval_term
       WHERE space_id = ANY($1) AND df > 0 AND length(term) BETWEEN $2 AND $3
         AND ((term >= $4 AND term < $5) OR (term >= $6 AND term < $7)) AND term LIKE ANY($8)
       LIMIT ${maxCandidates}) AS near GROUP BY term`,
    [spaceIds, wanted.term.length - 2, wanted.term.length + 2, first, after(first), second, after(second), thirds(wanted.term)],
  );
  const near = rows
    .map((row) => ({ row, edits: editsBetween(wanted.term, row.term) }))
    .filter(({ edits }) => edits <= editsAllowed(wanted.term))
    .toSorted((a, b) => a.edits - b.edits || b.row.df - a.row.df || (a.row.term < b.row.term ? -1 : 1));
  return near.slice(0, 1).map(({ row }) => row);
}

/** LIKE patterns for the three thirds of a word. Two wrong letters lie in two thirds at most, so the right word contains one third unchanged. */
function thirds(word: string): readonly string[] {
  const [first, second] = [Math.floor(word.length / 3), Math.floor((word.length * 2) / 3)];
  return [word.slice(0, first), word.slice(first, second), word.slice(second)].map((part) => `%${part}%`);
}

function editsAllowed(word: string): number {
  return word.length < 7 ? 1 : 2;
}

/** Levenshtein distance, except that two swapped neighbours count as one edit. */
function editsBetween(a: string, b: string): number {
  const edits = distance(a, b);
  return edits === 2 && a.length === b.length && isSwap(a, b) ? 1 : edits;
}

function isSwap(a: string, b: string): boolean {
  const place = Array.from(a).findIndex((letter, index) => letter !== b[index]);
  return a[place] === b[place + 1] && a[place + 1] === b[place] && a.slice(place + 2) === b.slice(place + 2);
}

/**
 * The two-character words with each of some single Chinese characters, most frequent first. All characters are looked for in one pass,
 * because no index leads from a character to its words.
 */
export async function wordsWith(
  sql: Sql,
  spaceIds: readonly number[],
  characters: readonly string[],
): Promise<ReadonlyMap<string, readonly KnownTerm[]>> {
  if (characters.length === 0) return new Map();
  const { rows } = await sql.query<KnownTerm>(
    `SELECT term, array_agg(id) AS ids, sum(df)::int AS df FROM retrieval_term
     WHERE space_id = ANY($1) AND df > 0 AND length(term) = 2 AND (left(term, 1) = ANY($2) OR right(term, 1) = ANY($2))
     GROUP BY term ORDER BY df DESC, term LIMIT ${maxCandidates}`,
    [spaceIds, characters],
  );
  return new Map(
    characters.map((character) => [character, rows.filter(({ term }) => term.includes(character)).slice(0, maxContainingTerms)]),
  );
}

function after(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) + 1);
}
