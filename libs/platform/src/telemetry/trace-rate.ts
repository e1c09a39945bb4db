const secondMs = 1_000;

/**
 * Which traces are kept where only so many a second may be: all of them up to that rate, and a share of them, by chance, above it. In the first
 * second of a burst it is somewhat more.
 */
export class TraceRate {
  readonly #perSecond: number;
  #second = 0;
  #begun = 0;
  #before = 0;

  /** @param perSecond `Infinity` for all of them */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Whether a trace that begins now is kept. */
  takes(): boolean {
    const second = Math.floor(performance.now() / secondMs);
    if (second !== this.#second) {
      this.#before = second === this.#second + 1 ? this.#begun : 0;
      this.#begun = 0;
      this.#second = second;
    }
    this.#begun += 1;
    return Math.random() * Math.max(this.#before, this.#begun) < this.#perSecond;
  }
}
