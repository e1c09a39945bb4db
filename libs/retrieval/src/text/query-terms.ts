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
  for (const token of tokens(query)) {
    const { term, kind } = token;
    const weight = kindWeight[kind] * shareOf(token, query);
    const known = terms.get(term);
    if (known) terms.set(term, { ...known, weight: known.weight + weight });
    else if (terms.size < maxTerms) terms.set(term, { term, kind, weight });
  }
  return [...terms.values()];
}

/** Reduces the weight of words that are common in any question. */
function shareOf({ term, kind, start, end }: Token, query: string): number {
  if (kind === 'single') return commonCharacters.has(term) ? commonWordShare : 1;
  // Terms are stemmed, but the lists contain unstemmed words.
  const said = kind === 'word' ? query.slice(start, end).toLowerCase() : term;
  if (kind === 'word' && questionWords.has(said)) return questionWordShare;
  return commonWords.has(said) ? commonWordShare : 1;
}
