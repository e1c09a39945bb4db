// Runs background tasks beside the calls, again and again: summaries, vectors, deleting old effects. The state of each task is in the
// database, so any worker may die at any time.
import type { Logger } from '#lib/platform';

interface BackgroundTask {
  readonly name: string;
  readonly run: (signal: AbortSignal) => Promise<void>;
}

const intervalMs = 2_000;

export class BackgroundLoop {
  readonly #tasks: readonly BackgroundTask[];
  readonly #log: Logger;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isWoken = false;

  constructor(parts: readonly BackgroundTask[], log: Logger) {
    this.#tasks = parts;
    this.#log = log;
  }

  start(): void {
    // The jitter keeps the workers of the domain from polling at the same moment.
    this.#schedule(intervalMs * (0.8 + 0.4 * Math.random()));
  }

  /** Runs the tasks now, or once more right after the present round. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#round && !this.#stop.signal.aborted) this.#schedule(0);
  }

  /** Stops the running task through its signal and waits for its end. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('worker is stopping'));
    clearTimeout(this.#timer);
    await this.#round;
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isWoken = false;
      this.#round = this.#runAll().finally(() => {
        this.#round = undefined;
        if (!this.#stop.signal.aborted) this.#schedule(this.#isWoken ? 0 : intervalMs * (0.8 + 0.4 * Math.random()));
      });
    }, ms).unref();
  }

  async #runAll(): Promise<void> {
    for (const { name, run } of this.#tasks) {
      if (this.#stop.signal.aborted) return;
      await run(this.#stop.signal).catch((error: unknown) => {
        if (!this.#stop.signal.aborted)
          this.#log.warn({ event: 'background-paused', part: name, err: error }, `${name} cannot go on now; trying again`);
      });
    }
  }
}
