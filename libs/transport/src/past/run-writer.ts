import type { Logger } from '#lib/platform';
import { toListedRun } from './listed-run.js';
import type { RunIndex } from './run-index.js';
import { runSink, type EndHeard, type RunRecord } from './run-sink.js';
import { SinkWriter } from './sink-writer.js';

const flushMs = 100;
/** Kept while Redis is away; the oldest go first. Runs that are lost here can still be read by their ids. */
const mostHeld = 10_000;
/** Runs that one write takes. */
const batch = 500;

/**
 * Writes the runs that this process begins and ends to the lists, ten times a second. A run that ends before its beginning was written is
 * written once, by the process that ended it.
 */
export class RunWriter extends SinkWriter<RunRecord | EndHeard> {
  readonly #index: Pick<RunIndex, 'write'>;
  #held = new Map<string, RunRecord>();

  constructor(index: Pick<RunIndex, 'write'>, log: Pick<Logger, 'warn'>) {
    super(runSink, flushMs, { event: 'run-lists-fault', message: 'the lists of runs could not be written; trying again', log });
    this.#index = index;
  }

  protected hold(record: RunRecord | EndHeard): void {
    if (record.state === 'ended elsewhere') return this.#drop(record.jobId);
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

  protected async write(): Promise<void> {
    const runs = [...this.#held.values()];
    this.#held = new Map();
    for (let from = 0; from < runs.length; from += batch)
      try {
        await this.#index.write(runs.slice(from, from + batch).map(toListedRun));
      } catch (error) {
        this.report(error);
        // What has come meanwhile is newer.
        this.#held = new Map([...runs.slice(from).map((run) => [run.jobId, run] as const), ...this.#held]);
        this.#bound();
        return;
      }
  }
}
