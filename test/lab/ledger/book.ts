// The records of the ledger. `order` is the test's name of an invocation, `key` is the product's: an order with two keys
// or two effects was run twice.
export interface Called {
  readonly key: string;
  readonly attempt: number;
  /** Process id of the worker that ran this attempt. */
  readonly pid: number;
  readonly at: number;
}

export interface Effect {
  readonly id: string;
  readonly key: string;
  readonly at: number;
}

export interface OrderRecord {
  readonly order: string;
  /** All requests for the effect, also failed ones. */
  readonly calls: readonly Called[];
  readonly effects: readonly Effect[];
  /** Attempts of tools that count them here. */
  readonly attempts: readonly Called[];
  /** Points that a handler has reported, such as `started` or `aborted`. */
  readonly notes: readonly (Called & { readonly note: string })[];
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] extends readonly (infer Item)[] ? Item[] : Type[Key] };

export class Book {
  readonly #orders = new Map<string, Writable<OrderRecord>>();
  readonly #effectByKey = new Map<string, Effect>();

  of(order: string): OrderRecord {
    return this.#orders.get(order) ?? { order, calls: [], effects: [], attempts: [], notes: [] };
  }

  all(): readonly OrderRecord[] {
    return [...this.#orders.values()];
  }

  called(order: string, call: Called): void {
    this.#writable(order).calls.push(call);
  }

  /** The effect of this key; made if it is not there. */
  effect(order: string, key: string): Effect {
    const made = this.#effectByKey.get(key);
    if (made) return made;
    const effect = { id: `eff_${this.#effectByKey.size + 1}`, key, at: Date.now() };
    this.#effectByKey.set(key, effect);
    this.#writable(order).effects.push(effect);
    return effect;
  }

  attempted(order: string, call: Called): number {
    return this.#writable(order).attempts.push(call);
  }

  noted(order: string, note: Called & { readonly note: string }): void {
    this.#writable(order).notes.push(note);
  }

  #writable(order: string): Writable<OrderRecord> {
    const record = this.#orders.get(order) ?? { order, calls: [], effects: [], attempts: [], notes: [] };
    this.#orders.set(order, record);
    return record;
  }
}
