// Texts without meaning and with the statistics of language: words by Zipf's law, half of them Chinese, from a seed.
import type { ImportSource, NewDocument } from '#lib/knowledge';

const vocabulary = 40_000;
const wordsASection = 80;
const sectionsADocument = 10;
const letters = 'etaoinshrdlucmfwypvbgkjqxz';

/** A generator of numbers in [0, 1) that gives the same ones for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export class SyntheticTexts {
  readonly #random: () => number;
  readonly #words: readonly string[];
  readonly #cumulated: Float64Array;

  constructor(seed: number) {
    this.#random = seeded(seed);
    this.#words = Array.from({ length: vocabulary }, (_, rank) => (rank % 2 === 0 ? this.#chineseWord() : this.#latinWord()));
    this.#cumulated = new Float64Array(vocabulary);
    let sum = 0;
    for (let rank = 0; rank < vocabulary; rank++) {
      sum += 1 / (rank + 10);
      this.#cumulated[rank] = sum;
    }
  }

  *documents(sections: number): Generator<ImportSource> {
    for (let first = 0; first < sections; first += sectionsADocument) {
      const path = `d${first}.md`;
      yield { path, read: () => this.#document(path, Math.min(sectionsADocument, sections - first)) };
    }
  }

  /** A question of two to six words, frequent and rare ones as texts have them. */
  question(): string {
    return Array.from({ length: 2 + Math.floor(this.#random() * 5) }, () => this.#word()).join(' ');
  }

  #document(path: string, sections: number): NewDocument {
    const all = Array.from({ length: sections }, (_, at) => ({
      anchor: `s${at}`,
      headingPath: [],
      title: this.#sentence(4),
      content: this.#sentence(wordsASection),
    }));
    return { path, title: this.#sentence(3), type: 'public', repoPath: `bench/${path}`, content: '-', sections: all };
  }

  #sentence(words: number): string {
    return Array.from({ length: words }, () => this.#word()).join(' ');
  }

  #word(): string {
    const wanted = this.#random() * (this.#cumulated[vocabulary - 1] ?? 0);
    let [low, high] = [0, vocabulary - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#cumulated[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return this.#words[low] ?? '';
  }

  #latinWord(): string {
    return Array.from({ length: 4 + Math.floor(this.#random() * 6) }, () => letters[Math.floor(this.#random() ** 2 * letters.length)]).join(
      '',
    );
  }

  #chineseWord(): string {
    return Array.from({ length: 2 }, () => String.fromCodePoint(0x4e00 + Math.floor(this.#random() * 3_000))).join('');
  }
}
