import { commonCharacters, commonWords } from './common-words.js';
import { questionWords } from './stop-words.js';
import { tokens, type Token, type TokenKind } from './tokens.js';

/** The weight of each kind of term, relative to a plain word. Pairs across word borders seldom mean anything. */
const kindWeight: Readonly<Record<TokenKind, number>> = { word: 1, code: 1.5, pair: 1, joint: 0.3, long: 0.7, single: 0.6 };
/** Further terms of a very long question are ignored. */
const maxTerms = 64;
const questionWordShare = 0.1;
const commonWordShare = 0.4;

export interface QueryTerm {
  readonly term: string;
  readonly kind: TokenKind;
  /** Greater than 0. A term that occurs twice has twice the weight. */
  readonly weight: number;
}

export function queryTerms(query: string): readonly QueryTerm[] {
  const terms = new Map<string, QueryTerm>();
  const add = ({ term, kind, weight }: QueryTerm): void => {
    const known = terms.get(term);
    if (known) terms.set(term, { ...known, weight: known.weight + weight });
    else if (terms.size < maxTerms) terms.set(term, { term, kind, weight });
  };
  for (const token of tokens(query)) add({ ...token, weight: kindWeight[token.kind] * shareOf(token, query) });
  return [...terms.values()];
}

/** What an index is asked for: the terms of the question, and two words as one where only a space is between them (`wifi` for `wi fi`). */
export function lookedUpTerms(query: string): readonly QueryTerm[] {
  const terms = queryTerms(query);
  const known = new Set(terms.map(({ term }) => term));
  const joined = new Set(joinedWords(query).filter((term) => !known.has(term)));
  return [...terms, ...[...joined].map((term): QueryTerm => ({ term, kind: 'joint', weight: kindWeight.joint }))].slice(0, maxTerms);
}

function joinedWords(query: string): readonly string[] {
  const words = [...tokens(query)].filter(({ kind }) => kind === 'word');
  return words.slice(1).flatMap((right, index) => {
    const left = words[index];
    if (!left || query.slice(left.end, right.start) !== ' ') return [];
    const [joined] = tokens(query.slice(left.start, left.end) + query.slice(right.start, right.end));
    return joined?.kind === 'word' ? [joined.term] : [];
  });
}

/** Reduces the weight of words that are common in any question. */
function shareOf({ term, kind, start, end }: Token, query: string): number {
  if (kind === 'single') return commonCharacters.has(term) ? commonWordShare : 1;
  // Terms are stemmed, but the lists contain unstemmed words.
  const said = kind === 'word' ? query.slice(start, end).toLowerCase() : term;
  if (kind === 'word' && questionWords.has(said)) return questionWordShare;
  return commonWords.has(said) ? commonWordShare : 1;
}
