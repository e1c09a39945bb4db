// Okapi BM25 with Lucene's inverse document frequency, which is never negative.

/** How soon more of the same says nothing new. */
export const k1 = 1.2;
/** How much a long text must say a word more often, 0–1. */
const b = 0.75;

/** A typical unit, in terms. Postings are sorted by impact at this length, so that growing does not move those that are there. */
const referenceLength = 120;
const impactScale = 30_000;

export function idf(units: number, df: number): number {
  return Math.log(1 + (Math.max(units, df) - df + 0.5) / (df + 0.5));
}

/** What a frequency is worth in a text of this length, 0 to k1 + 1. */
export function saturation(tf: number, length: number): number {
  return (tf * (k1 + 1)) / (tf + k1 * (1 - b + (b * length) / referenceLength));
}

/** The same as a whole number up to 30,000. */
export function impactOf(tf: number, length: number): number {
  return Math.round((saturation(tf, length) / (k1 + 1)) * impactScale);
}

/** What SQL multiplies an impact by. */
export const impactUnit = (k1 + 1) / impactScale;
