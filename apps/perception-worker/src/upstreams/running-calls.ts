import { AsyncLocalStorage } from 'node:async_hooks';
import type { UpstreamCall } from './upstream.js';

/** How long a server goes on with a call that nobody waits for: its questions end after a minute in the official SDK. */
const stillAskingMs = 60_000;

/** The call within which a server asks or logs something. */
const answering = new AsyncLocalStorage<UpstreamCall>();

/** The calls that run on one connection. */
export class RunningCalls {
  readonly #running = new Set<UpstreamCall>();
  /** Whose calls were left unanswered, and until when the server may still ask within one, by `performance.now`. */
  readonly #left = new Map<string, number>();

  async run<Answer>(call: UpstreamCall, work: () => Promise<Answer>): Promise<Answer> {
    this.#running.add(call);
    try {
      return await answering.run(call, work);
    } finally {
      this.#running.delete(call);
      if (call.signal.aborted) this.#left.set(call.caller, performance.now() + stillAskingMs);
    }
  }

  /**
   * The call that a message of the server is about. A command does not say of which of its calls it speaks: where several run, or one of another
   * caller was left, nobody knows whose caller is meant, and telling the wrong one would show it what another does.
   */
  get meant(): UpstreamCall | undefined {
    const known = answering.getStore();
    if (known) return known;
    const [only, ...others] = this.#running;
    const now = performance.now();
    for (const [caller, until] of this.#left) if (until < now) this.#left.delete(caller);
    const isSure = others.length === 0 && [...this.#left.keys()].every((caller) => caller === only?.caller);
    return isSure ? only : undefined;
  }
}
