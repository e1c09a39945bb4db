// BM25 written down plainly, over everything, with an English analysis of its own: what the keyword leg is compared with.
import { stemmer } from 'stemmer';

const stops = new Set(
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  ),
);
const k1 = 1.2;
const b = 0.75;

function analyse(text: string): readonly string[] {
  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((word) => !stops.has(word)).map((word) => stemmer(word));
}

export class ReferenceBm25 {
  readonly #documents: { readonly id: string; readonly counts: ReadonlyMap<string, number>; readonly length: number }[] = [];
  readonly #df = new Map<string, number>();
  #totalLength = 0;

  add(id: string, text: string): void {
    const counts = new Map<string, number>();
    const terms = analyse(text);
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const term of counts.keys()) this.#df.set(term, (this.#df.get(term) ?? 0) + 1);
    this.#documents.push({ id, counts, length: terms.length });
    this.#totalLength += terms.length;
  }

  search(query: string, limit: number): readonly string[] {
    const total = this.#documents.length;
    const average = this.#totalLength / Math.max(1, total);
    const terms = analyse(query).map((term) => ({
      term,
      idf: Math.log(1 + (total - (this.#df.get(term) ?? 0) + 0.5) / ((this.#df.get(term) ?? 0) + 0.5)),
    }));
    const scores: { id: string; score: number }[] = [];
    for (const { id, counts, length } of this.#documents) {
      let score = 0;
      for (const { term, idf } of terms) {
        const tf = counts.get(term) ?? 0;
        score += (idf * tf * (k1 + 1)) / (tf + k1 * (1 - b + (b * length) / average));
      }
      if (score > 0) scores.push({ id, score });
    }
    return scores
      .toSorted((one, other) => other.score - one.score)
      .slice(0, limit)
      .map(({ id }) => id);
  }
}
