import { onceASecond, type Logger } from '#lib/platform';
import { toListedRun, type ListedRun } from './listed-run.js';
import type { RunIndex } from './run-index.js';
import { runSink, type RunRecord } from './run-sink.js';

const flushMs = 100;
/** Kept while Redis is away; the oldest go first. Runs that are lost here can still be read by their ids. */
const mostHeld = 10_000;
/** Runs that one write takes. */
const batch = 500;

/** Writes the runs that this process begins and ends to the lists, ten times a second. */
export class RunWriter {
  readonly #index: Pick<RunIndex, 'write'>;
  readonly #report: (error: unknown) => void;
  #held: ListedRun[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | null = null;
  #detach: (() => void) | undefined;

  constructor(index: Pick<RunIndex, 'write'>, log: Pick<Logger, 'warn'>) {
    this.#index = index;
    this.#report = onceASecond((error: unknown) =>
      log.warn({ event: 'run-lists-fault', err: error }, 'the lists of runs could not be written; trying again'),
    );
  }

  start(): void {
    this.#detach = runSink.attach((record) => this.#hold(record));
    this.#timer = setInterval(() => void this.flush(), flushMs).unref();
  }

  /** Writes what is held, for the last time. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#detach?.();
    await this.#writing;
    await this.flush();
  }

  /** Writes what is held. What could not be written is held on. */
  async flush(): Promise<void> {
    if (this.#held.length === 0) return;
    this.#writing ??= this.#write().finally(() => (this.#writing = null));
    await this.#writing;
  }

  #hold(record: RunRecord): void {
    this.#held.push(toListedRun(record));
    if (this.#held.length > mostHeld) this.#held.splice(0, batch);
  }

  async #write(): Promise<void> {
    const runs = this.#held;
    this.#held = [];
    for (let from = 0; from < runs.length; from += batch)
      try {
        await this.#index.write(runs.slice(from, from + batch));
      } catch (error) {
        this.#report(error);
        this.#held = [...runs.slice(from), ...this.#held].slice(-mostHeld);
        return;
      }
  }
}
