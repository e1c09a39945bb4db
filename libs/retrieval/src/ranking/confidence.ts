import type { Features } from './features.js';

type Weights = Readonly<Record<keyof Features | 'bias', number>>;

// Fitted to the development half of the labelled questions by logistic regression, and to the same questions asked of a collection that
// cannot answer them; `npx invoq eval knowledge --fit` prints new ones. A confidence of 0.7 means: about seven of ten such hits are right.
const bySpelling: Weights = {
  bias: -4.17,
  coverage: 2.21,
  head_coverage: 2.06,
  unknown: -2.2,
  gap: -2.18,
  keyword: 0.88,
  lead: 2.68,
  similarity: 1.03,
};
const byKeywords: Weights = {
  bias: -4.07,
  coverage: 2.2,
  head_coverage: 2.16,
  unknown: -2.2,
  gap: -2.22,
  keyword: 1,
  lead: 2.6,
  similarity: 0,
};
/** Estimated, not fitted, since no semantic model is part of the project. A very similar unit needs no words in common. Fit your own. */
const byMeaning: Weights = { bias: -5.2, coverage: 1.6, head_coverage: 1.2, unknown: 0, gap: 0, keyword: 0.9, lead: 1.2, similarity: 6 };

/**
 * The log-odds that a unit answers the question. A unit without a vector is judged by its words, not treated as dissimilar.
 * @param knows what the vectors express
 */
export function logOdds(features: Features, knows: 'spelling' | 'meaning' = 'spelling'): number {
  const withVector = knows === 'meaning' ? byMeaning : bySpelling;
  const weights = features.similarity === undefined ? byKeywords : withVector;
  return (
    weights.bias +
    weights.coverage * features.coverage +
    weights.head_coverage * features.head_coverage +
    weights.unknown * features.unknown +
    weights.gap * features.gap +
    weights.keyword * features.keyword +
    weights.lead * features.lead +
    weights.similarity * (features.similarity ?? 0)
  );
}

/** The probability of log-odds (logistic function). */
export function probability(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}
