import type { Caller, ToolContract } from '#lib/contracts';
import type { CallOfHead } from '../../calls/call-facts.js';
import type { RepeatableCall } from '../../calls/repeatable-call.js';

/** Characters of heads and bodies that are kept, all together; a call is some kilobytes besides. */
const mostCharacters = 8 * 1_048_576;
const mostCalls = 20_000;
/** Heads that came once. One that never comes again, such as one with a time in it, is not kept. */
const mostOnce = 256;

/** The call that a head asks for, with any parameters. */
export interface KnownCall {
  readonly caller: Caller;
  readonly ofHead: CallOfHead;
  /** `Catalog.tools` as the caller saw it. Where they are others, the head may mean something else. */
  readonly seen: readonly ToolContract[];
}

/** What a head has been found to be. */
export interface KnownHead {
  readonly text: string;
  readonly method: string;
  /** The pattern of its route. */
  readonly route: string;
  /** Names and values, in turns, of the headers of its answers. */
  readonly headers: readonly string[];
  /** Whether its bodies are messages with ids of their own. */
  readonly hasIds: boolean;
  /** Its calls, by their bodies, or by those without their ids. */
  readonly calls: Map<string, RepeatableCall>;
  /** Null where its call is in its bodies. */
  call: KnownCall | null;
}

type NewHead = Omit<KnownHead, 'text' | 'calls' | 'call'>;

/** Requests that may come again, by their words. The heads that were first known are forgotten first. */
export class KnownRequests {
  readonly #heads = new Map<string, KnownHead>();
  /** By what tools they were understood. */
  readonly #once = new Map<string, readonly ToolContract[]>();
  #characters = 0;
  #calls = 0;

  get isEmpty(): boolean {
    return this.#heads.size === 0;
  }

  find(head: string): KnownHead | undefined {
    return this.#heads.get(head);
  }

  /** Keeps a call that the cache has answered, by its words. */
  keep(head: string, { body, call }: { readonly body: string; readonly call: RepeatableCall }, make: () => NewHead): void {
    const known = this.#headOf(head, make);
    if (!known.calls.has(body)) {
      this.#calls += 1;
      this.#characters += body.length;
    }
    known.calls.set(body, call);
    this.#forgetOldest();
  }

  /** Keeps what a head asks for, from the second time on that it asks for it. */
  keepCall(head: string, call: KnownCall, make: () => NewHead): void {
    const before = this.#once.get(head);
    this.#once.set(head, call.seen);
    if (this.#once.size > mostOnce) this.#once.clear();
    // Whatever was looked at in the tools in between, they were these.
    if (before !== call.seen) return;
    this.#headOf(head, make).call = call;
    this.#forgetOldest();
  }

  #headOf(head: string, make: () => NewHead): KnownHead {
    const known = this.#heads.get(head);
    if (known) return known;
    const made = { ...make(), text: head, calls: new Map(), call: null };
    this.#heads.set(head, made);
    this.#characters += head.length;
    return made;
  }

  #forgetOldest(): void {
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
