import { Refusal } from '#lib/contracts';
import { RecentMap } from '#lib/platform';
import { metric } from '#lib/transport';

/** How much more than a second's points may be taken at once. */
const burstSeconds = 5;
/** Whoever was heard of longest ago is forgotten, and has a full allowance again. */
const mostKnown = 20_000;

interface Allowance {
  points: number;
  /** When the points were counted, in ms of a clock that never goes back. */
  at: number;
}

interface AllowanceOptions {
  readonly perSecond: number;
  /** Whose they are, for people: `this credential`, `this address`. */
  readonly whose: string;
  readonly now?: () => number;
}

/**
 * What each of many may ask of this gateway, in points: about as many as a plain request takes are one. A bucket for each, which fills
 * at a steady rate. It is kept in this process alone: it protects the processor of this process, and costs a request no trip to Redis.
 */
export class Allowances {
  readonly #known = new RecentMap<string, Allowance>(mostKnown);
  readonly #perSecond: number;
  readonly #most: number;
  readonly #whose: string;
  readonly #now: () => number;

  constructor({ perSecond, whose, now = () => performance.now() }: AllowanceOptions) {
    this.#perSecond = perSecond;
    this.#most = perSecond * burstSeconds;
    this.#whose = whose;
    this.#now = now;
  }

  /** Takes points for a request that begins. Throws RATE_LIMITED, and takes none, where none are left. */
  admit(id: string, points: number): void {
    const left = this.#filled(id);
    if (left.points <= 0) throw this.#refusal(left.points);
    left.points -= points;
  }

  /** Takes points for what a request turned out to be. What is owed is at most a burst. */
  charge(id: string, points: number): void {
    const left = this.#filled(id);
    left.points = Math.max(-this.#most, left.points - points);
  }

  #filled(id: string): Allowance {
    const now = this.#now();
    const known = this.#known.get(id);
    if (!known) {
      const full = { points: this.#most, at: now };
      this.#known.set(id, full);
      return full;
    }
    known.points = Math.min(this.#most, known.points + ((now - known.at) / 1_000) * this.#perSecond);
    known.at = now;
    return known;
  }

  #refusal(points: number): Refusal {
    metric.shedCalls.inc({ reason: 'REQUESTS' });
    const retryAfterMs = Math.max(1, Math.ceil(((1 - points) / this.#perSecond) * 1_000));
    const extra = { limit: this.#perSecond, window_seconds: 1, resets_in_seconds: Math.ceil(retryAfterMs / 1_000) };
    const message = `Too many requests of ${this.#whose} at once: its allowance is ${this.#perSecond} points a second, of which a plain request takes 1`;
    return new Refusal('RATE_LIMITED', message, { retry_after_ms: retryAfterMs, extra });
  }
}
