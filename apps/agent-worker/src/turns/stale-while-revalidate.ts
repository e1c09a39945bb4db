interface Kept<Value> {
  readonly value: Value;
  readonly at: number;
}

/**
 * What was read lately, by key. A key is read once at a time, however many ask for it; one that is no longer fresh is given as
 * it was and read again behind the answer.
 */
export class Remembered<Value> {
  readonly #limits: { readonly freshMs: number; readonly keptMs: number; readonly size: number };
  readonly #kept = new Map<string, Kept<Value>>();
  readonly #reading = new Map<string, Promise<Value | null>>();

  constructor(limits: { readonly freshMs: number; readonly keptMs: number; readonly size: number }) {
    this.#limits = limits;
  }

  /** @param read null when it cannot be read now: the next who asks makes it tried again */
  async get(key: string, read: () => Promise<Value | null>): Promise<Value | null> {
    const { freshMs, keptMs } = this.#limits;
    const kept = this.#kept.get(key);
    const age = kept ? performance.now() - kept.at : Infinity;
    if (kept && age < freshMs) return kept.value;
    const reading = this.#reading.get(key) ?? this.#read(key, read);
    if (!kept || age >= keptMs) return reading;
    reading.catch(() => undefined);
    return kept.value;
  }

  /** It has changed: the next who asks waits for it to be read. */
  forget(key: string): void {
    this.#kept.delete(key);
    this.#reading.delete(key);
  }

  #read(key: string, read: () => Promise<Value | null>): Promise<Value | null> {
    const reading = read().then((value) => {
      // What was forgotten meanwhile is not what was read.
      if (value !== null && this.#reading.get(key) === reading) this.#keep(key, value);
      return value;
    });
    this.#reading.set(key, reading);
    const done = () => void (this.#reading.get(key) === reading && this.#reading.delete(key));
    reading.then(done, done);
    return reading;
  }

  #keep(key: string, value: Value): void {
    this.#kept.delete(key);
    this.#kept.set(key, { value, at: performance.now() });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#limits.size && oldest !== undefined) this.#kept.delete(oldest);
  }
}
