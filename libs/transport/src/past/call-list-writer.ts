import type { Logger } from '#lib/platform';
import { toListedCall } from './listed-call.js';
import type { CallIndex } from './call-index.js';
import type { CallChange, CallReports, EndHeard } from './call-reports.js';
import { SinkWriter } from './sink-writer.js';

const flushMs = 100;
/** Kept while Redis is away; the oldest go first. Calls that are lost here can still be read by their ids. */
const mostHeld = 10_000;
/** Calls that one write takes. */
const batch = 500;

/**
 * Writes the calls that this process begins and ends to the lists, ten times a second. A call that ends before its beginning was written is
 * written once, by the process that ended it.
 */
export class CallListWriter extends SinkWriter<CallChange | EndHeard> {
  readonly #index: Pick<CallIndex, 'write'>;
  #held = new Map<string, CallChange>();

  constructor(index: Pick<CallIndex, 'write'>, { changes }: Pick<CallReports, 'changes'>, log: Pick<Logger, 'warn'>) {
    super(changes, flushMs, { event: 'call-lists-fault', message: 'the lists of calls could not be written; trying again', log });
    this.#index = index;
  }

  protected hold(record: CallChange | EndHeard): void {
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
    const calls = [...this.#held.values()];
    this.#held = new Map();
    for (let from = 0; from < calls.length; from += batch)
      try {
        await this.#index.write(calls.slice(from, from + batch).map(toListedCall));
      } catch (error) {
        this.report(error);
        // What has come meanwhile is newer.
        this.#held = new Map([...calls.slice(from).map((call) => [call.jobId, call] as const), ...this.#held]);
        this.#bound();
        return;
      }
  }
}
