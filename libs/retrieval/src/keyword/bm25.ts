// Okapi BM25 with Lucene's inverse document frequency, which is never negative.

/** How fast repetitions of a word lose value (BM25's k1). */
export const k1 = 1.2;
/** How much a long text is penalised, 0–1 (BM25's b). */
const b = 0.75;

/** Length of a typical unit in terms, instead of the average length. So stored impacts stay valid when a space grows. */
const referenceLength = 120;
const impactScale = 30_000;

/** Inverse document frequency. @param df number of units with the term */
export function idf(units: number, df: number): number {
  return Math.log(1 + (Math.max(units, df) - df + 0.5) / (df + 0.5));
}

/** The BM25 value of a term frequency in a text of this length, from 0 to k1 + 1. */
export function saturation(tf: number, length: number): number {
  return (tf * (k1 + 1)) / (tf + k1 * (1 - b + (b * length) / referenceLength));
}

/** The same value as a whole number, 0–30,000, for a column of two bytes. */
export function impactOf(tf: number, length: number): number {
  return Math.round((saturation(tf, length) / (k1 + 1)) * impactScale);
}

/** One unit of impact as a BM25 value. SQL multiplies impacts by it. */
export const impactUnit = (k1 + 1) / impactScale;
