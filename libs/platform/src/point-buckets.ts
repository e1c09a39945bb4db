import { RecentMap } from './recent-map.js';

/**
 * Whoever was heard of longest ago is forgotten, and has a full bucket again: mostly one that is full anyhow. To have a debt forgotten, one
 * has to come under so many names while the debtor keeps silent, and each of those names costs him more than he wins.
 */
const mostKnown = 20_000;

interface Bucket {
  points: number;
  /** When the points were counted, in ms of a clock that never goes back. */
  at: number;
}

interface PointBucketsOptions {
  /** Points that come back in a second. */
  readonly perSecond: number;
  /** Points of a full bucket. */
  readonly most: number;
  readonly now?: (() => number) | undefined;
}

/** Points that each of many may spend: a bucket for each, which fills at a steady rate. It is kept in this process alone. */
export class PointBuckets {
  readonly #known = new RecentMap<string, Bucket>(mostKnown);
  readonly #perSecond: number;
  readonly #most: number;
  readonly #now: () => number;

  constructor({ perSecond, most, now = () => performance.now() }: PointBucketsOptions) {
    this.#perSecond = perSecond;
    this.#most = most;
    this.#now = now;
  }

  /**
   * Takes points if anything is left. What is left may be exceeded once, so that whatever is allowed at all is done some time.
   * @param points 0 only asks
   * @returns 0 where they were taken; otherwise the ms until something is left again
   */
  take(id: string, points: number): number {
    const bucket = this.#filled(id);
    if (bucket.points <= 0) return Math.ceil(((1 - bucket.points) / this.#perSecond) * 1_000);
    bucket.points -= points;
    return 0;
  }

  /**
   * Takes points for what has turned out to be dearer. A full bucket is the most that is owed through this: one thing that went wrong stops
   * nobody for hours. So whoever charges afterwards asks before each dear step, and lets little happen that is not paid for.
   */
  charge(id: string, points: number): void {
    const bucket = this.#filled(id);
    // More may be owed already, by what was taken.
    bucket.points = Math.min(bucket.points, Math.max(-this.#most, bucket.points - points));
  }

  #filled(id: string): Bucket {
    const now = this.#now();
    const bucket = this.#known.get(id) ?? { points: this.#most, at: now };
    bucket.points = Math.min(this.#most, bucket.points + ((now - bucket.at) / 1_000) * this.#perSecond);
    bucket.at = now;
    // Set again, it is the one that was heard of last.
    this.#known.set(id, bucket);
    return bucket;
  }
}
