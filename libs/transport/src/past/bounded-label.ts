/** Values of a label that callers can make more of. Each value is a series that is kept for ever, so only the first ones get a name. */
export class BoundedLabel {
  readonly #names = new Set<string>();
  readonly #max: number;

  /** @param max number of values that get their name */
  constructor(max: number) {
    this.#max = max;
  }

  /** The value itself, or `other` where there are enough. */
  of(value: string): string {
    if (this.#names.size < this.#max) this.#names.add(value);
    return this.#names.has(value) ? value : 'other';
  }
}
