import type { ActivityBucket } from '#lib/contracts';
import type { RedisClient } from '../redis/redis-client.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import { bucketOf } from './activity-fields.js';
import type { Span } from './activity-store.js';

const spans = {
  second: { ms: 1_000, count: 300 },
  minute: { ms: 60_000, count: 180 },
} as const;
/** Until then a process may still write what it has counted: it holds counts for a minute while Redis is away. In ms. */
const settledMs = 70_000;
/** What several people look at is read once in this time, in ms. */
const freshMs = 1_000;

/** What was counted in one span, as it is stored. */
interface CountedSpan {
  /** Its beginning, epoch ms. */
  readonly at: number;
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * The sums of the last 5 minutes and of the last 3 hours. Their quantiles are those of all calls in them, which no quantiles of their parts tell.
 * Spans that nobody writes to any more are read once, so a look costs little while somebody looks on.
 */
export class ActivityWindow {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;
  readonly #settled = { second: new Map<number, CountedSpan['fields']>(), minute: new Map<number, CountedSpan['fields']>() };
  readonly #latest = new Map<Span, { readonly at: number; readonly spans: Promise<readonly CountedSpan[]> }>();

  /** @param redis fails at once while Redis is away */
  constructor(redis: RedisClient, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** The sum of the last spans, the present one included. `at` is the beginning of the first. @param now epoch ms */
  async sum(span: Span, now: number, count: number = spans[span].count): Promise<ActivityBucket> {
    const { ms } = spans[span];
    const from = (Math.floor(now / ms) - count + 1) * ms;
    const sums = new Map<string, number>();
    for (const { at, fields } of await this.counted(span, now)) {
      if (at < from) continue;
      for (const [field, text] of Object.entries(fields)) sums.set(field, (sums.get(field) ?? 0) + Number(text));
    }
    return bucketOf(from, Object.fromEntries([...sums].map(([field, sum]) => [field, String(sum)])));
  }

  /** One span. @param at within it, epoch ms */
  async bucket(span: Span, now: number, at: number): Promise<ActivityBucket> {
    const { ms } = spans[span];
    const start = Math.floor(at / ms) * ms;
    const found = (await this.counted(span, now)).find((one) => one.at === start);
    return bucketOf(start, found?.fields ?? {});
  }

  /** The spans in which something ended, oldest first. @param now epoch ms */
  async counted(span: Span, now: number): Promise<readonly CountedSpan[]> {
    const before = this.#latest.get(span);
    if (before && now >= before.at && now - before.at < freshMs) return before.spans;
    const reading = this.#read(span, now);
    this.#latest.set(span, { at: now, spans: reading });
    reading.catch(() => this.#latest.delete(span));
    return reading;
  }

  async #read(span: Span, now: number): Promise<readonly CountedSpan[]> {
    const { ms, count } = spans[span];
    const settled = this.#settled[span];
    const newest = Math.floor(now / ms);
    const wanted = Array.from({ length: count }, (_, index) => newest - count + 1 + index);
    for (const number of settled.keys()) if (number <= newest - count) settled.delete(number);
    const missing = wanted.filter((number) => !settled.has(number));
    const pipeline = this.#redis.pipeline();
    for (const number of missing) pipeline.hgetall(this.#keys.activity(span, number));
    const replies = (await pipeline.exec()) ?? [];
    const read = new Map<number, CountedSpan['fields']>();
    for (const [index, [error, reply]] of replies.entries()) {
      if (error) throw error;
      const number = missing[index] ?? 0;
      const fields = textsIn(reply);
      read.set(number, fields);
      if ((number + 1) * ms + settledMs < now) settled.set(number, fields);
    }
    return wanted.flatMap((number) => {
      const fields = settled.get(number) ?? read.get(number) ?? {};
      return Object.keys(fields).length > 0 ? [{ at: number * ms, fields }] : [];
    });
  }
}

function textsIn(reply: unknown): Record<string, string> {
  if (typeof reply !== 'object' || reply === null) return {};
  return Object.fromEntries(Object.entries(reply).map(([field, count]) => [field, String(count)]));
}
