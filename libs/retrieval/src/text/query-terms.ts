import { tokens, type TokenKind } from './tokens.js';

/** What a term of a question counts beside a plain word. Pairs across word borders are mostly accidents. */
const kindWeight: Readonly<Record<TokenKind, number>> = { word: 1, code: 1.5, pair: 1, joint: 0.3, long: 0.7, single: 0.6 };
/** A question is cut here; what nobody reads, nobody need search for. */
const mostTerms = 64;

export interface QueryTerm {
  readonly term: string;
  readonly kind: TokenKind;
  /** Above 0; twice as much for a term that is said twice. */
  readonly weight: number;
}

export function queryTerms(query: string): readonly QueryTerm[] {
  const terms = new Map<string, QueryTerm>();
  for (const { term, kind } of tokens(query)) {
    const known = terms.get(term);
    if (known) terms.set(term, { ...known, weight: known.weight + kindWeight[kind] });
    else if (terms.size < mostTerms) terms.set(term, { term, kind, weight: kindWeight[kind] });
  }
  return [...terms.values()];
}
