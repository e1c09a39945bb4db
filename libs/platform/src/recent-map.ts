/** A map that holds a bounded number of entries: a further one takes the place of the one that was set longest ago. */
export class RecentMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: Key, value: Value): this {
    // Set again, an entry is the newest.
    this.delete(key);
    super.set(key, value);
    if (this.size <= this.#most) return this;
    const [oldest] = this.keys();
    if (oldest !== undefined) this.delete(oldest);
    return this;
  }
}
