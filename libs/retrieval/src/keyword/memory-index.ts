import { lookedUpTerms } from '../text/query-terms.js';
import { idf, impactUnit } from './bm25.js';
import { unitTerms, type UnitField } from './unit-terms.js';

interface Value {
  readonly place: number;
  readonly value: number;
  readonly isHead: boolean;
}

interface Posting {
  readonly place: number;
  readonly impact: number;
  readonly isHead: boolean;
}

export interface Found {
  /** Of the unit, from 0. */
  readonly place: number;
  /** Greater than 0; only compared with those of the same search. */
  readonly score: number;
}

/** A term of a head says more of what a unit is about. */
const headFactor = 1.6;
/** What a word counts that stands for another of the question. */
const otherWordShare = 0.5;

/**
 * Search by words in some hundreds or thousands of units that stand in memory, such as the tools of a catalog: BM25 by the terms of the
 * index in Postgres, for Chinese and English. It never changes; another set of units is another index.
 */
export class MemoryIndex {
  readonly #postings = new Map<string, Posting[]>();
  /** How many terms the head of each unit has. */
  readonly #heads: readonly number[];

  constructor(units: readonly (readonly UnitField[])[]) {
    this.#heads = units.map((fields, place) => {
      const { terms } = unitTerms(fields);
      for (const { term, impact, isHead } of terms) {
        const known = this.#postings.get(term) ?? [];
        this.#postings.set(term, known);
        known.push({ place, impact, isHead });
      }
      return terms.filter(({ isHead }) => isHead).length;
    });
  }

  /**
   * The best come first; those that come to the same stay in their order. A unit that has more of the question's words comes before one that
   * has one of them often, and one whose head says little else before one whose head says more.
   * @param others words that stand for a word of the question, stemmed as its terms are
   */
  search(query: string, others: ReadonlyMap<string, readonly string[]> = new Map()): readonly Found[] {
    const scores = new Map<number, { sum: number; covered: number; inHead: number }>();
    const terms = lookedUpTerms(query);
    let whole = 0;
    for (const { term, weight } of terms) {
      whole += weight;
      const best = new Map<number, Value>();
      for (const [word, weighs] of [[term, 1] as const, ...(others.get(term) ?? []).map((other) => [other, otherWordShare] as const)])
        for (const { place, value, isHead } of this.#valuesOf(word)) {
          const known = best.get(place);
          if (!known || known.value < value * weighs) best.set(place, { place, value: value * weighs, isHead });
        }
      for (const { place, value, isHead } of best.values()) {
        const { sum, covered, inHead } = scores.get(place) ?? { sum: 0, covered: 0, inHead: 0 };
        scores.set(place, { sum: sum + value * weight, covered: covered + weight, inHead: inHead + (isHead ? 1 : 0) });
      }
    }
    return [...scores]
      .map(([place, { sum, covered, inHead }]) => ({
        place,
        score: sum * share(covered / whole, 0.6) * share(inHead / Math.max(1, this.#heads[place] ?? 1), 0.4),
      }))
      .toSorted((one, other) => other.score - one.score || one.place - other.place);
  }

  #valuesOf(term: string): readonly Value[] {
    const postings = this.#postings.get(term) ?? [];
    const rarity = idf(this.#heads.length, postings.length);
    return postings.map(({ place, impact, isHead }) => ({
      place,
      isHead,
      value: impact * impactUnit * rarity * (isHead ? headFactor : 1),
    }));
  }
}

/** What is left of a value when so much depends on a part, 0–1. */
function share(part: number, depends: number): number {
  return 1 - depends + depends * Math.min(1, part);
}
