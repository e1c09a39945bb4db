import { questionWords } from './stop-words.js';
import { tokens, type TokenKind } from './tokens.js';

/** What a term of a question counts beside a plain word. Pairs across word borders are mostly accidents. */
const kindWeight: Readonly<Record<TokenKind, number>> = { word: 1, code: 1.5, pair: 1, joint: 0.3, long: 0.7, single: 0.6 };
/** A question is cut here; what nobody reads, nobody need search for. */
const mostTerms = 64;
const questionWordShare = 0.1;

export interface QueryTerm {
  readonly term: string;
  readonly kind: TokenKind;
  /** Above 0; twice as much for a term that is said twice. */
  readonly weight: number;
}

export function queryTerms(query: string): readonly QueryTerm[] {
  const terms = new Map<string, QueryTerm>();
  for (const { term, kind, start, end } of tokens(query)) {
    const share = kind === 'word' && questionWords.has(query.slice(start, end).toLowerCase()) ? questionWordShare : 1;
    const weight = kindWeight[kind] * share;
    const known = terms.get(term);
    if (known) terms.set(term, { ...known, weight: known.weight + weight });
    else if (terms.size < mostTerms) terms.set(term, { term, kind, weight });
  }
  return [...terms.values()];
}
