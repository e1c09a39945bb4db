import { Refusal } from '#lib/contracts';
import { PointBuckets } from '#lib/platform';
import type { Metrics } from '#lib/transport';

/** How much more than a second's points may be taken at once. */
const burstSeconds = 5;

interface AllowanceOptions {
  readonly perSecond: number;
  /** Whose they are, for people: `this credential`, `this address`. */
  readonly whose: string;
  readonly metrics: Pick<Metrics, 'shedCalls'>;
  readonly now?: () => number;
}

/**
 * What each of many may ask of this gateway, in points: about as many as a plain request takes are one. It protects the processor of this
 * process, and costs a request no trip to Redis.
 */
export class Allowances {
  readonly #buckets: PointBuckets;
  readonly #perSecond: number;
  readonly #whose: string;
  readonly #metrics: Pick<Metrics, 'shedCalls'>;

  constructor({ perSecond, whose, metrics, now }: AllowanceOptions) {
    this.#buckets = new PointBuckets({ perSecond, most: perSecond * burstSeconds, now });
    this.#perSecond = perSecond;
    this.#whose = whose;
    this.#metrics = metrics;
  }

  /** Takes points for a request that begins. Throws RATE_LIMITED, and takes none, where none are left. */
  admit(id: string, points: number): void {
    const waitMs = this.#buckets.take(id, points);
    if (waitMs > 0) throw this.#refusal(waitMs);
  }

  /** Whether anything is left. */
  hasAny(id: string): boolean {
    return this.#buckets.take(id, 0) === 0;
  }

  /** Takes points for what a request turned out to be. What is owed is at most a burst. */
  charge(id: string, points: number): void {
    this.#buckets.charge(id, points);
  }

  #refusal(waitMs: number): Refusal {
    this.#metrics.shedCalls.inc({ reason: 'REQUESTS' });
    const extra = { limit: this.#perSecond, window_seconds: 1, resets_in_seconds: Math.ceil(waitMs / 1_000) };
    const message = `Too many requests of ${this.#whose} at once: its allowance is ${this.#perSecond} points a second, of which a plain request takes 1`;
    return new Refusal('RATE_LIMITED', message, { retry_after_ms: waitMs, extra });
  }
}
