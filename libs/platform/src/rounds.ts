import { setTimeout as sleep } from 'node:timers/promises';

/** The least wait after a fault. */
const pauseMs = 5_000;

interface RoundsParts {
  /** Between the end of a round and the next. Each wait is up to a fifth shorter or longer, so that processes do not ask at the same moment. */
  readonly everyMs: number;
  readonly round: () => Promise<unknown>;
  /** A round that fails is reported. The next one comes after the usual wait, and after 5 s at the earliest. */
  readonly onFault: (error: unknown) => void;
}

/** Work that a process does again and again between its start and its end. One round is done at a time. */
export class Rounds {
  readonly #parts: RoundsParts;
  readonly #stopping = new AbortController();
  #wake = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(parts: RoundsParts) {
    this.#parts = parts;
  }

  /** Fires at `stop`: a long round looks at it between two steps. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** The first round comes after one wait. */
  start(): void {
    this.#running = this.#run();
  }

  /** Begins a round now, or when the present one has ended. */
  nudge(): void {
    this.#wake.abort();
  }

  /** Resolves when the round that runs has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.nudge();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { everyMs, round, onFault } = this.#parts;
    let waitMs = everyMs;
    while (!this.stopping.aborted) {
      await sleep(waitMs * (0.8 + 0.4 * Math.random()), undefined, { signal: this.#wake.signal, ref: false }).catch(() => undefined);
      if (this.stopping.aborted) return;
      this.#wake = new AbortController();
      waitMs = everyMs;
      try {
        await round();
      } catch (error) {
        onFault(error);
        waitMs = Math.max(everyMs, pauseMs);
      }
    }
  }
}
