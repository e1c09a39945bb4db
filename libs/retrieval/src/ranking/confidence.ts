import type { Features } from './features.js';

/**
 * Log-odds that a unit answers the question. The weights were fitted to labelled questions by logistic regression
 * (`npm run eval:knowledge -- --fit` prints new ones), so a confidence of 0.7 means: about seven of ten such hits are right.
 */
const weights: Readonly<Record<keyof Features | 'bias', number>> = {
  bias: -3.91,
  coverage: 2.4,
  head_coverage: 2.02,
  keyword: 3.46,
  similarity: 1.83,
};

export function logOdds(features: Features): number {
  return (
    weights.bias +
    weights.coverage * features.coverage +
    weights.head_coverage * features.head_coverage +
    weights.keyword * features.keyword +
    weights.similarity * features.similarity
  );
}

export function probability(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}
