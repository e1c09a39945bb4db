import { tokens } from '../text/tokens.js';
import { impactOf } from './bm25.js';

export interface UnitField {
  readonly text: string;
  /** How many times a word in this field counts, 1–10. Default 1. */
  readonly weight?: number;
  /** True for fields that name the topic of the unit: titles, key terms. */
  readonly isHead?: boolean;
}

export interface UnitTerms {
  /** Sum of the weighed frequencies. */
  readonly length: number;
  readonly terms: readonly { readonly term: string; readonly tf: number; readonly impact: number; readonly isHead: boolean }[];
}

const highestTf = 30_000;

/** The terms of a unit with their frequencies (simple BM25F): the weighted frequencies of all fields are added before saturation. */
export function unitTerms(fields: readonly UnitField[]): UnitTerms {
  const steps = unitTermsInSteps(fields);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same, a word at a time: analysing a long text takes a second, in which its thread may have other work. */
export function* unitTermsInSteps(fields: readonly UnitField[]): Generator<undefined, UnitTerms> {
  const counts = new Map<string, { tf: number; isHead: boolean }>();
  let length = 0;
  for (const { text, weight = 1, isHead = false } of fields) {
    for (const { term } of tokens(text)) {
      const known = counts.get(term) ?? { tf: 0, isHead: false };
      counts.set(term, { tf: Math.min(highestTf, known.tf + weight), isHead: known.isHead || isHead });
      length += weight;
      yield;
    }
  }
  return { length, terms: [...counts].map(([term, { tf, isHead }]) => ({ term, tf, isHead, impact: impactOf(tf, length) })) };
}
