import type { RepeatableCall } from '../../calls/repeatable-call.js';

/** Characters of heads and bodies that are kept, all together; a call is some kilobytes besides. */
const mostCharacters = 8 * 1_048_576;
const mostCalls = 20_000;

/** What a head has been found to be. */
export interface KnownHead {
  readonly method: string;
  /** The pattern of its route. */
  readonly route: string;
  /** Names and values, in turns, of the headers of its answers. */
  readonly headers: readonly string[];
  /** Whether its bodies are messages with ids of their own. */
  readonly hasIds: boolean;
  /** Its calls, by their bodies, or by those without their ids. */
  readonly calls: Map<string, RepeatableCall>;
}

/** Requests that may come again, by their words. The heads that were first known are forgotten first. */
export class KnownRequests {
  readonly #heads = new Map<string, KnownHead>();
  #characters = 0;
  #calls = 0;

  get isEmpty(): boolean {
    return this.#heads.size === 0;
  }

  find(head: string): KnownHead | undefined {
    return this.#heads.get(head);
  }

  keep(head: string, { body, call }: { readonly body: string; readonly call: RepeatableCall }, make: () => Omit<KnownHead, 'calls'>): void {
    let known = this.#heads.get(head);
    if (!known) {
      known = { ...make(), calls: new Map() };
      this.#heads.set(head, known);
      this.#characters += head.length;
    }
    if (!known.calls.has(body)) {
      this.#calls += 1;
      this.#characters += body.length;
    }
    known.calls.set(body, call);
    for (const oldest of this.#heads.keys()) {
      if (this.#calls <= mostCalls && this.#characters <= mostCharacters) return;
      this.#forget(oldest);
    }
  }

  #forget(head: string): void {
    const bodies = [...(this.#heads.get(head)?.calls.keys() ?? [])];
    this.#heads.delete(head);
    this.#calls -= bodies.length;
    this.#characters -= bodies.reduce((sum, body) => sum + body.length, head.length);
  }
}
