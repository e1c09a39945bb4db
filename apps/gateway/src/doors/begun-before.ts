import type { RequestFacts } from '../calls/call-facts.js';

/** What was begun for a request before its door was asked. */
export class BegunBefore<Begun> {
  readonly #of = new WeakMap<RequestFacts, Promise<Begun>>();

  hand(facts: RequestFacts, begun: Promise<Begun>): void {
    this.#of.set(facts, begun);
    // One that fails is told of by its door, some steps later.
    begun.catch(() => undefined);
  }

  /** The first who takes it has it. */
  take(facts: RequestFacts): Promise<Begun> | null {
    const begun = this.#of.get(facts) ?? null;
    this.#of.delete(facts);
    return begun;
  }
}
