import { AsyncResource } from 'node:async_hooks';

export type OnAsk = (value: unknown, signal: AbortSignal) => Promise<unknown>;

/** What a task has asked its worker, and how long it has waited for replies: that time is the worker's. */
export class Asked implements Disposable {
  readonly #onAsk: OnAsk;
  readonly #over = new AbortController();
  #open = 0;
  #since = 0;
  #waitedMs = 0;

  /** What is done for a task is of the call that the task is of, also where the process tells it in an event of its own. */
  constructor(onAsk: OnAsk) {
    this.#onAsk = AsyncResource.bind(onAsk);
  }

  /** The time in which at least one reply was awaited, ms. */
  get waitedMs(): number {
    return this.#waitedMs + (this.#open > 0 ? performance.now() - this.#since : 0);
  }

  /** Gives the reply. Undefined when the task is over: nobody waits for it. */
  async reply(value: unknown): Promise<{ readonly value: unknown } | undefined> {
    if (this.#open === 0) this.#since = performance.now();
    this.#open += 1;
    try {
      const reply = await this.#onAsk(value, this.#over.signal);
      return this.#over.signal.aborted ? undefined : { value: reply };
    } finally {
      this.#open -= 1;
      if (this.#open === 0) this.#waitedMs += performance.now() - this.#since;
    }
  }

  /** The task is over, and with it what is being done for it. */
  [Symbol.dispose](): void {
    this.#over.abort(new Error('the task that asked is over'));
  }
}
