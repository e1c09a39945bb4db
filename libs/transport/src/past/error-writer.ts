import type { Logger } from '#lib/platform';
import { idOf, type CallError, type CountedKind, type CountedSample } from './call-error.js';
import type { CallReports } from './call-reports.js';
import { errorMinuteMs, type CountedErrors, type ErrorStore } from './error-store.js';
import { templateOf } from './error-template.js';
import { SinkWriter } from './sink-writer.js';

const everyMs = 1_000;
/** Kinds by minute that are held. Others are counted as the spare kind of their tenant and code, or of their code. */
const mostHeld = 1_000;
const mostSpares = 1_000;
/** Counts that Redis has not taken for so long are dropped: their hour may be in Postgres by then. */
export const errorsHeldMs = 10 * 60_000;
const samplesOfKind = 3;

type Held = CountedErrors & { count: number; readonly samples: CountedSample[] };

/** Counts the calls that end with an error in this process, and adds the counts to those of all once a second, if there are any. */
export class ErrorWriter extends SinkWriter<CallError> {
  readonly #store: Pick<ErrorStore, 'add'>;
  readonly #log: Pick<Logger, 'warn'>;
  #held = new Map<string, Held>();

  constructor(store: Pick<ErrorStore, 'add'>, { errors }: Pick<CallReports, 'errors'>, log: Pick<Logger, 'warn'>) {
    super(errors, everyMs, { event: 'errors-fault', message: 'counts of errors could not be written; trying again', log });
    this.#store = store;
    this.#log = log;
  }

  protected hold({ at, kind: facts, family, sample }: CallError): void {
    const kind = { ...facts, message: templateOf(sample.message) };
    const ofTenant: CountedKind = { ...kind, tool_name: null, code: family, native_code: null, message: null };
    const ofAll: CountedKind = { ...ofTenant, tenant_id: null };
    const minute = Math.floor(at / errorMinuteMs) * errorMinuteMs;
    const held = this.#placeFor([kind, ofTenant, ofAll], minute);
    held.count += 1;
    held.samples.push({ at: Math.round(at), ...sample });
    if (held.samples.length > samplesOfKind) held.samples.shift();
  }

  #placeFor([kind, ofTenant, ofAll]: readonly [CountedKind, CountedKind, CountedKind], minute: number): Held {
    for (const [one, most] of [
      [kind, mostHeld],
      [ofTenant, mostHeld + mostSpares],
      [ofAll, Number.POSITIVE_INFINITY],
    ] as const) {
      const key = `${idOf(one)} ${minute}`;
      const known = this.#held.get(key);
      if (known) return known;
      if (this.#held.size >= most) continue;
      const held = { kind: one, spares: [ofTenant, ofAll] as const, minute, count: 0, samples: [] };
      this.#held.set(key, held);
      return held;
    }
    throw new TypeError('There is always a place for all');
  }

  protected async write(): Promise<void> {
    if (this.#held.size === 0) return;
    const written = this.#held;
    this.#held = new Map();
    try {
      await this.#store.add([...written.values()]);
    } catch (error) {
      this.report(error);
      // Some of it may be written. A call that counts twice spoils the picture less than one that is missing.
      this.#holdOn(written);
    }
  }

  #holdOn(written: ReadonlyMap<string, Held>): void {
    let dropped = 0;
    for (const [key, old] of written) {
      if (old.minute < Date.now() - errorsHeldMs) {
        dropped += old.count;
        continue;
      }
      const newer = this.#held.get(key);
      if (newer) newer.count += old.count;
      else this.#held.set(key, old);
    }
    if (dropped > 0)
      this.#log.warn({ event: 'errors-dropped', errors: dropped }, 'counts of errors were held too long for Redis, and dropped');
  }
}
