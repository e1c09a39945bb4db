import type { BegunCall, RequestFacts } from '../calls/call-facts.js';

/** What a door has begun for requests before it was asked. */
export class BegunBefore<Begun> {
  readonly #left = new WeakMap<RequestFacts, Promise<Begun>>();

  /** @param dispose follows it no longer */
  hold(facts: RequestFacts, begun: Promise<Begun>, dispose: (begun: Begun) => void): Pick<BegunCall, 'leave' | 'letGo'> {
    let isLeft = false;
    return {
      leave: (reason) => {
        isLeft = reason === undefined;
        const left = isLeft ? begun : Promise.reject(reason);
        this.#left.set(facts, left);
        // One that fails is told of by its door, some steps later.
        left.catch(() => undefined);
      },
      letGo: () => void (isLeft ? this.take(facts) : begun)?.then(dispose, () => undefined),
    };
  }

  /** The first who takes it has it. */
  take(facts: RequestFacts): Promise<Begun> | null {
    const begun = this.#left.get(facts) ?? null;
    this.#left.delete(facts);
    return begun;
  }
}
