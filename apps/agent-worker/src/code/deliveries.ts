/**
 * The order in which replies reach the code. It runs the same way again only if they come in the same order again, so each reply has a number; those
 * that an earlier attempt has kept come first.
 */
export class Deliveries {
  /** Of replies that are still to come, in their order. */
  readonly #expected: number[];
  readonly #ready = new Map<number, () => void>();
  #last: number;

  /** @param kept numbers of replies that are kept */
  constructor(kept: readonly number[]) {
    this.#expected = kept.toSorted((a, b) => a - b);
    this.#last = this.#expected.at(-1) ?? 0;
  }

  /** The number of a reply that has come now. Each has to get its turn. */
  next(): number {
    this.#last += 1;
    this.#expected.push(this.#last);
    return this.#last;
  }

  /** Resolves when all replies before this one have had their turns. */
  async turn(number: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ready.set(number, resolve);
    // By then each of them is awaited, so they go on in the order in which they are resolved.
    setImmediate(() => this.#deliver());
    return promise;
  }

  #deliver(): void {
    for (let [first] = this.#expected; first !== undefined && this.#ready.has(first); [first] = this.#expected) {
      this.#ready.get(first)?.();
      this.#ready.delete(first);
      this.#expected.shift();
    }
  }
}
