import { tokens } from '../text/tokens.js';
import { impactOf } from './bm25.js';

export interface UnitField {
  readonly text: string;
  /** How much a word here counts beside one in the body, 1–10. Default 1. */
  readonly weight?: number;
  /** Whether it names what the unit is about: titles, key terms. */
  readonly isHead?: boolean;
}

export interface UnitTerms {
  /** Sum of the weighed frequencies. */
  readonly length: number;
  readonly terms: readonly { readonly term: string; readonly tf: number; readonly impact: number; readonly isHead: boolean }[];
}

const highestTf = 30_000;

/** BM25F in its simple form: the frequencies of all fields are added, each by its weight, before they saturate. */
export function unitTerms(fields: readonly UnitField[]): UnitTerms {
  const counts = new Map<string, { tf: number; isHead: boolean }>();
  let length = 0;
  for (const { text, weight = 1, isHead = false } of fields) {
    for (const { term } of tokens(text)) {
      const known = counts.get(term) ?? { tf: 0, isHead: false };
      counts.set(term, { tf: Math.min(highestTf, known.tf + weight), isHead: known.isHead || isHead });
      length += weight;
    }
  }
  return { length, terms: [...counts].map(([term, { tf, isHead }]) => ({ term, tf, isHead, impact: impactOf(tf, length) })) };
}
