interface Entry<Value> {
  readonly value: Value;
  /** When it was loaded, on the cache's clock. */
  readonly at: number;
}

interface Limits {
  /** A younger value is given as it is. */
  readonly freshMs: number;
  /** A value between `freshMs` and this age is given as it is and loaded again; an older one is waited for. */
  readonly staleMs: number;
  /** The oldest values go first. */
  readonly maxEntries: number;
}

/** A cache by key. However many ask at once, a key is loaded once at a time. */
export class StaleWhileRevalidate<Value> {
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #loading = new Map<string, Promise<Value | null>>();

  /** @param now a monotonic clock, ms */
  constructor(limits: Limits, now = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** @param load gives null when there is no value now: nothing is cached, and the next caller loads again */
  async get(key: string, load: () => Promise<Value | null>): Promise<Value | null> {
    const { freshMs, staleMs } = this.#limits;
    const entry = this.#entries.get(key);
    const age = entry ? this.#now() - entry.at : Infinity;
    if (entry && age < freshMs) return entry.value;
    const loading = this.#loading.get(key) ?? this.#load(key, load);
    if (!entry || age >= staleMs) return loading;
    // The stale value is given, so a failed load concerns nobody.
    loading.catch(() => undefined);
    return entry.value;
  }

  /** Drops a value that has changed. A load that is under way is not cached. */
  invalidate(key: string): void {
    this.#entries.delete(key);
    this.#loading.delete(key);
  }

  #load(key: string, load: () => Promise<Value | null>): Promise<Value | null> {
    const loading = load().then((value) => {
      if (value !== null && this.#loading.get(key) === loading) this.#store(key, value);
      return value;
    });
    this.#loading.set(key, loading);
    const done = () => void (this.#loading.get(key) === loading && this.#loading.delete(key));
    loading.then(done, done);
    return loading;
  }

  #store(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, at: this.#now() });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#limits.maxEntries && oldest !== undefined) this.#entries.delete(oldest);
  }
}
