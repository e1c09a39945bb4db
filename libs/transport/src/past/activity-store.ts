import type { RedisClient } from '../redis/redis-client.js';
import type { ActivityBucket } from '#lib/contracts';
import type { RedisKeys } from '../redis/redis-keys.js';
import { bucketOf } from './activity-fields.js';

/** How long buckets of a second and of a minute are shown, in ms. */
const secondsShownMs = 5 * 60_000;
const minutesShownMs = 3 * 3_600_000;
/** They live a little longer, for clocks that differ. */
const spareMs = 60_000;

const spans = {
  second: { ms: 1_000, shownMs: secondsShownMs },
  minute: { ms: 60_000, shownMs: minutesShownMs },
} as const;
export type Span = keyof typeof spans;

/** Counts of ended calls by the second, over all processes: in Redis, for as long as they are shown. */
export class ActivityStore {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;

  /** @param redis fails at once while Redis is away */
  constructor(redis: RedisClient, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** Adds what one process has counted in one second. @param at its beginning, epoch ms */
  async add(at: number, counts: ReadonlyMap<string, number>): Promise<void> {
    const pipeline = this.#redis.pipeline();
    for (const span of ['second', 'minute'] as const) {
      const key = this.#key(span, at);
      for (const [field, count] of counts) pipeline.hincrby(key, field, count);
      pipeline.pexpire(key, spans[span].shownMs + spareMs);
    }
    const fault = ((await pipeline.exec()) ?? []).find(([error]) => error)?.[0];
    if (fault) throw fault;
  }

  /** The buckets that are shown now, oldest first, without those in which nothing ended. */
  async read(span: Span, now: number): Promise<readonly ActivityBucket[]> {
    const { ms, shownMs } = spans[span];
    const newest = Math.floor(now / ms);
    const starts = Array.from({ length: shownMs / ms }, (_, index) => (newest - index) * ms).toReversed();
    const pipeline = this.#redis.pipeline();
    for (const at of starts) pipeline.hgetall(this.#key(span, at));
    const replies = (await pipeline.exec()) ?? [];
    return replies.flatMap(([error, fields], index) => {
      if (error) throw error;
      const counts = textsIn(fields);
      return Object.keys(counts).length > 0 ? [bucketOf(starts[index] ?? 0, counts)] : [];
    });
  }

  /** The bucket of one second, also if nothing ended in it. @param at within it, epoch ms */
  async second(at: number): Promise<ActivityBucket> {
    const start = Math.floor(at / spans.second.ms) * spans.second.ms;
    return bucketOf(start, await this.#redis.hgetall(this.#key('second', start)));
  }

  #key(span: Span, at: number): string {
    return this.#keys.activity(span, Math.floor(at / spans[span].ms));
  }
}

function textsIn(reply: unknown): Record<string, string> {
  if (typeof reply !== 'object' || reply === null) return {};
  return Object.fromEntries(Object.entries(reply).map(([field, count]) => [field, String(count)]));
}
