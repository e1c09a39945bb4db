import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { isRefusedByRedis } from './redis-faults.js';

/** The pause before a write is tried again that Redis rejected. */
const refusedMs = 500;

/** Names the writes of a process, and makes them. The client sends a command again when its connection broke before the reply. */
export class Writes {
  readonly #writer = randomUUID();
  readonly #retriesRefused: boolean;
  #count = 0;

  /** @param retriesRefused false gives the caller the error of a write that Redis rejected (full, read-only) */
  constructor(retriesRefused: boolean) {
    this.#retriesRefused = retriesRefused;
  }

  get retriesRefused(): boolean {
    return this.#retriesRefused;
  }

  /** The number of a write among those of this process. */
  number(): number {
    return ++this.#count;
  }

  /** A name that no other write has, to be given before its first try: then every try has the same. */
  name(): string {
    return `${this.#writer}:${this.number()}`;
  }

  /** Runs a write, again and again while Redis refuses it where this process waits for that. */
  async run<Reply>(write: () => Promise<Reply>): Promise<Reply> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!this.#retriesRefused || !isRefusedByRedis(error)) throw error;
        await setTimeout(refusedMs);
      }
    }
  }
}
