import { Cron } from './cron.js';
import { localAt, momentOf, shiftBefore } from '#lib/platform';

/** When something is called again and again. Moments are epoch milliseconds. */
export interface PlanFields {
  /** Exactly one of `cron` and `everyMs` is set. */
  readonly cron: string | null;
  readonly everyMs: number | null;
  readonly timeZone: string;
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  /** What `everyMs` is counted from where there is no start. */
  readonly madeAt: number;
}

interface Times {
  /** The first one after a moment. */
  next(after: number): number | null;
  /** The last one before a moment. */
  previous(before: number): number | null;
}

/** The moments of a schedule, from its start to its end, both included. */
export class Plan {
  readonly #times: Times;
  readonly #first: number;
  readonly #last: number;

  /** Throws CronError. */
  constructor({ cron, everyMs, timeZone, startsAt, endsAt, madeAt }: PlanFields) {
    this.#times = everyMs === null ? new ZonedTimes(new Cron(cron ?? ''), timeZone) : new Steps(everyMs, startsAt ?? madeAt);
    // Without a start, the first step is one period after the schedule was made.
    this.#first = startsAt ?? madeAt + 1;
    this.#last = endsAt ?? Number.POSITIVE_INFINITY;
  }

  /** The first moment after another; null where there is none left. */
  next(after: number): number | null {
    const next = this.#times.next(Math.max(after, this.#first - 1));
    return next === null || next > this.#last ? null : next;
  }

  /** The newest moments after one and up to another, at most so many, in their order. */
  newest(after: number, until: number, most: number): readonly number[] {
    const from = Math.max(after, this.#first - 1);
    const found: number[] = [];
    let before = Math.min(until, this.#last) + 1;
    while (found.length < most) {
      const one = this.#times.previous(before);
      if (one === null || one <= from) break;
      found.push(one);
      before = one;
    }
    return found.toReversed();
  }
}

class Steps implements Times {
  readonly #everyMs: number;
  readonly #start: number;

  constructor(everyMs: number, start: number) {
    this.#everyMs = everyMs;
    this.#start = start;
  }

  next(after: number): number {
    return this.#start + Math.max(0, Math.floor((after - this.#start) / this.#everyMs) + 1) * this.#everyMs;
  }

  previous(before: number): number | null {
    const steps = Math.ceil((before - this.#start) / this.#everyMs) - 1;
    return steps < 0 ? null : this.#start + steps * this.#everyMs;
  }
}

/** Each local time once, whatever is done to the clocks of the zone. */
class ZonedTimes implements Times {
  readonly #cron: Cron;
  readonly #zone: string;

  constructor(cron: Cron, zone: string) {
    this.#cron = cron;
    this.#zone = zone;
  }

  next(after: number): number | null {
    // Where a gap has just been, what it skipped may still come.
    let local: number | null = localAt(this.#zone, after) - Math.max(0, shiftBefore(this.#zone, after));
    let first = Number.POSITIVE_INFINITY;
    while ((local = this.#cron.next(local)) !== null) {
      const { at, isSkipped } = momentOf(this.#zone, local);
      if (at <= after) continue;
      first = Math.min(first, at);
      // Behind a skipped time there may be one that comes before it.
      if (!isSkipped) break;
    }
    return Number.isFinite(first) ? first : null;
  }

  previous(before: number): number | null {
    // Where clocks have just been set back, they will show later times than now that were there before.
    let local: number | null = localAt(this.#zone, before) + Math.max(0, -shiftBefore(this.#zone, before));
    let last = Number.NEGATIVE_INFINITY;
    let enough = Number.NEGATIVE_INFINITY;
    while (local >= enough && (local = this.#cron.previous(local)) !== null) {
      const { at } = momentOf(this.#zone, local);
      if (at >= before || at <= last) continue;
      last = at;
      // In front of a gap there may be a skipped time that comes after this one.
      enough = localAt(this.#zone, at) - Math.max(0, shiftBefore(this.#zone, at));
    }
    return Number.isFinite(last) ? last : null;
  }
}
