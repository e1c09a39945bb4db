import { commonCharacters, commonWords } from './common-words.js';
import { questionWords } from './stop-words.js';
import { tokens, type Token, type TokenKind } from './tokens.js';

/** What a term of a question counts beside a plain word. Pairs across word borders are mostly accidents. */
const kindWeight: Readonly<Record<TokenKind, number>> = { word: 1, code: 1.5, pair: 1, joint: 0.3, long: 0.7, single: 0.6 };
/** A question is cut here; what nobody reads, nobody need search for. */
const maxTerms = 64;
const questionWordShare = 0.1;
const commonWordShare = 0.4;

export interface QueryTerm {
  readonly term: string;
  readonly kind: TokenKind;
  /** Above 0; twice as much for a term that is said twice. */
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

/** Of what a word of its kind counts, by what anybody says in any question. */
function shareOf({ term, kind, start, end }: Token, query: string): number {
  if (kind === 'single') return commonCharacters.has(term) ? commonWordShare : 1;
  // Words are stemmed; the lists hold them as they are said.
  const said = kind === 'word' ? query.slice(start, end).toLowerCase() : term;
  if (kind === 'word' && questionWords.has(said)) return questionWordShare;
  return commonWords.has(said) ? commonWordShare : 1;
}
