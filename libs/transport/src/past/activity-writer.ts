import type { Logger } from '#lib/platform';
import type { LoggedCall } from './logged-call.js';
import type { CallReports } from './call-reports.js';
import { fieldsOf } from './activity-fields.js';
import type { ActivityStore } from './activity-store.js';
import { SinkWriter } from './sink-writer.js';

const secondMs = 1_000;
/** Seconds that are held while Redis is away; the oldest go first. */
const mostHeld = 60;

/** Counts the calls that end in this process, and adds the counts to those of all once a second. */
export class ActivityWriter extends SinkWriter<LoggedCall> {
  readonly #store: Pick<ActivityStore, 'add'>;
  readonly #now: () => number;
  /** By the beginning of each second. */
  readonly #held = new Map<number, Map<string, number>>();

  constructor(
    store: Pick<ActivityStore, 'add'>,
    { records }: Pick<CallReports, 'records'>,
    { now, log }: { readonly now: () => number; readonly log: Pick<Logger, 'warn'> },
  ) {
    super(records, secondMs, { event: 'activity-fault', message: 'counts of calls could not be written; trying again', log });
    this.#store = store;
    this.#now = now;
  }

  protected hold(call: LoggedCall): void {
    const at = Math.floor(this.#now() / secondMs) * secondMs;
    const counts = this.#held.get(at) ?? new Map<string, number>();
    this.#held.set(at, counts);
    for (const field of fieldsOf(call)) counts.set(field, (counts.get(field) ?? 0) + 1);
  }

  protected async write(): Promise<void> {
    for (const [at, counts] of this.#held) {
      this.#held.delete(at);
      try {
        await this.#store.add(at, counts);
      } catch (error) {
        this.report(error);
        // Some of it may be written. What is shown is a picture, and a call that counts twice spoils it less than one that is missing.
        if (this.#held.size < mostHeld) this.#held.set(at, merged(counts, this.#held.get(at)));
        return;
      }
    }
  }
}

function merged(counts: Map<string, number>, more: ReadonlyMap<string, number> = new Map()): Map<string, number> {
  for (const [field, count] of more) counts.set(field, (counts.get(field) ?? 0) + count);
  return counts;
}
