import { onceASecond, type Logger } from '#lib/platform';
import { toListedRun } from './listed-run.js';
import type { RunIndex } from './run-index.js';
import { runSink, type RunRecord } from './run-sink.js';

const flushMs = 100;
/** Kept while Redis is away; the oldest go first. Runs that are lost here can still be read by their ids. */
const mostHeld = 10_000;
/** Runs that one write takes. */
const batch = 500;

/**
 * Writes the runs that this process begins and ends to the lists, ten times a second. A run that ends before its beginning was written is
 * written once, by the process that ended it.
 */
export class RunWriter {
  readonly #index: Pick<RunIndex, 'write'>;
  readonly #report: (error: unknown) => void;
  #held = new Map<string, RunRecord>();
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
    this.#detach = runSink.attach((record) => {
      if (record.state === 'ended elsewhere') this.#drop(record.jobId);
      else this.#hold(record);
    });
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
    if (this.#held.size === 0) return;
    this.#writing ??= this.#write().finally(() => (this.#writing = null));
    await this.#writing;
  }

  #hold(record: RunRecord): void {
    this.#held.set(record.jobId, record);
    this.#bound();
  }

  #drop(jobId: string): void {
    if (this.#held.get(jobId)?.ending === null) this.#held.delete(jobId);
  }

  #bound(): void {
    for (const jobId of this.#held.keys()) {
      if (this.#held.size <= mostHeld) return;
      this.#held.delete(jobId);
    }
  }

  async #write(): Promise<void> {
    const runs = [...this.#held.values()];
    this.#held = new Map();
    for (let from = 0; from < runs.length; from += batch)
      try {
        await this.#index.write(runs.slice(from, from + batch).map(toListedRun));
      } catch (error) {
        this.#report(error);
        // What has come meanwhile is newer.
        this.#held = new Map([...runs.slice(from).map((run) => [run.jobId, run] as const), ...this.#held]);
        this.#bound();
        return;
      }
  }
}
