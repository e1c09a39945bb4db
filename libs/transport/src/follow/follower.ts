import type { LoggedEvent, Rest } from '#lib/contracts';
import type { Ending } from '../record/codec.js';
import type { EventLog } from './event-log.js';
import type { CallRecord, NumberedRest } from '../record/call-record.js';
import type { InvocationStore } from '../record/invocation-store.js';

export interface FollowerSources {
  readonly store: Pick<InvocationStore, 'read' | 'readPlace' | 'listen' | 'listener'>;
  readonly log: Pick<EventLog, 'readAfter'>;
}

/** What a follower is told of its call. */
export interface Notice {
  /** Null when the notice has none: then the follower reads. */
  readonly ending: Ending | null;
  readonly isOpen: boolean;
  /** Those that were written just now; null when the notice has none. */
  readonly events: readonly LoggedEvent[] | null;
}

/** Something may have happened: the follower reads. */
export const nothingSaid: Notice = { ending: null, isOpen: false, events: null };

interface FollowerParts extends FollowerSources {
  /** Nothing has happened to the call yet that is not told from now on. */
  readonly isFresh: boolean;
  readonly isTold: boolean;
  /** Hears of the call's domain. */
  readonly include: () => Promise<void>;
  readonly leave: () => void;
}

/** One waiter for one invocation. It keeps a notice that comes between two waits, so it misses nothing between them. */
export class Follower implements Disposable {
  readonly jobId: string;
  readonly #parts: FollowerSources & Pick<FollowerParts, 'leave' | 'include'>;
  #isTold: boolean;
  #ending: Ending | null = null;
  #notified = false;
  /** Whether something may have happened that this follower has not read. */
  #mayHaveMissed: boolean;
  /** Of the only notice since the last look; null when there was none or were several: then the log is read, which gathers. */
  #events: Notice['events'] = null;
  /** Of the last event that was read. One who waits for the end reads none. */
  #place = Infinity;
  /** Whether the call was open at the latest notice: then its record need not be read. */
  #isOpen = false;
  #wake: (() => void) | null = null;

  constructor(jobId: string, parts: FollowerParts) {
    this.jobId = jobId;
    this.#parts = parts;
    this.#mayHaveMissed = !parts.isFresh;
    this.#isTold = parts.isTold;
  }

  /** Whether the call tells this process what happens to it. */
  get isTold(): boolean {
    return this.#isTold;
  }

  /** Whether nothing has happened to the call since it was accepted. */
  get isFresh(): boolean {
    return !this.#mayHaveMissed;
  }

  /** Whether a call, or one whose record is gone, has come further than what was read of it. */
  isBehind(call: { readonly isEnded: boolean; readonly seq: number } | null): boolean {
    return !call || call.isEnded || call.seq > this.#place;
  }

  notify({ ending, isOpen, events }: Notice): void {
    this.#ending ??= ending;
    this.#isOpen = isOpen;
    this.#events = this.#notified ? null : events;
    this.#mayHaveMissed = true;
    this.#notified = true;
    this.#wake?.();
  }

  /** The invocation's end, or null when the signal fires first or the record is gone. */
  async end(signal: AbortSignal): Promise<Ending | null> {
    return this.#found(signal, ({ ending }) => ending);
  }

  /** The invocation's end, or a rest that counts, if that comes first; null as with `end`. */
  async endOrRest(signal: AbortSignal, counts: (rest: Rest) => boolean): Promise<Ending | NumberedRest | null> {
    return this.#found(signal, ({ ending, rest }) => ending ?? (rest && counts(rest) ? rest : null));
  }

  async #found<Wanted>(signal: AbortSignal, wanted: (record: CallRecord) => Wanted | null): Promise<Ending | Wanted | null> {
    if (this.#ending) return this.#ending;
    if (this.#mayHaveMissed) this.#notified = true;
    while (await this.#next(signal)) {
      if (this.#ending) return this.#ending;
      await this.#listen();
      const record = await orLater(this.#parts.store.read(this.jobId));
      if (record === null) return null;
      const found = record === later ? null : wanted(record);
      if (found) return found;
    }
    return null;
  }

  /**
   * Every event after a place, once each and in order, as they come, up to and including the end. The first event, at place 1, follows from
   * the head of the call and is not among them. The signal ends the wait for further events; what was read is delivered. Ends without an end
   * when the log is gone.
   */
  async *events(after: number, signal: AbortSignal): AsyncGenerator<LoggedEvent> {
    this.#place = Math.max(after, 1);
    if (this.#mayHaveMissed) this.#notified = true;
    while (await this.#next(signal)) {
      const [isOpen, told] = [this.#isOpen, this.#events];
      this.#isOpen = false;
      this.#events = null;
      if (told && (told[0]?.seq ?? Infinity) <= this.#place + 1) {
        for (const entry of told.filter(({ seq }) => seq > this.#place)) {
          this.#place = entry.seq;
          yield entry;
        }
        continue;
      }
      await this.#listen();
      // What is known of the end is older than what is read of the log: nothing comes between the two.
      const known = this.#ending;
      const entries = await orLater(this.#parts.log.readAfter(this.jobId, this.#place));
      if (entries === later) continue;
      for (const entry of entries) {
        this.#place = entry.seq;
        yield entry;
        if (entry.kind === 'end') return;
      }
      if (known && after <= 1) return yield endOf(known, this.#place + 1);
      if (isOpen && entries.length > 0) continue;
      const record = await orLater(this.#parts.store.read(this.jobId));
      if (record === later) continue;
      if (record === null || (record.ending && record.lastSeq <= this.#place)) return;
      this.#ending = record.ending;
      if (record.ending && record.lastSeq === this.#place + 1) return yield endOf(record.ending, record.lastSeq);
      // More was written since the log was read, or the log is gone.
      if (record.ending && known && entries.length === 0) return;
      if (record.ending) this.#notified = true;
    }
  }

  [Symbol.dispose](): void {
    this.#parts.leave();
  }

  /** Before anything is read, so that nothing is missed between the two. Tried again with each read while Redis is away. */
  async #listen(): Promise<void> {
    if (this.#isTold) return;
    const listen = async () => {
      await this.#parts.include();
      await this.#parts.store.listen(this.jobId);
    };
    this.#isTold = (await orLater(listen())) !== later;
  }

  /** Waits for a notice; false when the signal has fired. */
  async #next(signal: AbortSignal): Promise<boolean> {
    if (!this.#notified && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = () => {
          signal.removeEventListener('abort', done);
          this.#wake = null;
          resolve();
        };
        this.#wake = done;
        signal.addEventListener('abort', done);
      });
    }
    this.#notified = false;
    return !signal.aborted;
  }
}

/** The last event of a call that ended so. */
function endOf({ finishedAt }: Ending, seq: number): LoggedEvent {
  return { kind: 'end', seq, at: finishedAt };
}

export const later = Symbol('later');

/** While Redis is away a follower goes on waiting; the return of the subscription makes it read again. */
export async function orLater<T>(reading: Promise<T>): Promise<T | typeof later> {
  return reading.catch(() => later);
}
