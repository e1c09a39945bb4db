import type { RedisClient } from './redis-client.js';
import { tracePrefix } from '#lib/platform';
import type { RedisKeys } from './redis-keys.js';
import { appendSpans } from './scripts/append-spans.js';

const traceLifeMs = 3_600_000;
/** Spans are in so many lists, by their trace: few enough that those of many traces are written together. */
const buckets = 32;
/** The newest spans of a bucket that are kept; a busy system holds minutes, a quiet one an hour. */
const maxOfBucket = 2_000;
/** A list is cut when it is so much longer. */
const slack = 250;
/** The first of a trace that are shown. */
const maxSpans = 500;
/** Newest trace ids of its own that each caller can look up. */
const maxAliases = 1_000;
const derivedShape = /^trace_\d{8}_([0-9a-f]{12})$/;

interface StoredSpan {
  /** W3C. */
  readonly trace_id: string;
  /** Epoch ms. */
  readonly start: number;
}

/** Spans of recent traces, so one call can be looked at without a tracing backend. */
export class TraceStore {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;

  constructor(redis: RedisClient, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** Files each span under the first 12 hex digits of its W3C trace id. */
  async append(spans: readonly StoredSpan[]): Promise<void> {
    const byBucket = Map.groupBy(spans, ({ trace_id }) => this.#bucketOf(tracePrefix(trace_id)));
    const args = { lifeMs: traceLifeMs, most: maxOfBucket, slack };
    const write = async ([bucket, some]: readonly [string, readonly StoredSpan[]]) =>
      appendSpans.run(this.#redis, { keys: { bucket }, args, moreArgs: some.map((span) => JSON.stringify(span)) });
    await Promise.all([...byBucket].map(write));
  }

  /**
   * Remembers a caller's own trace id for the trace that it was first used in. It is that caller's alone, and never one of our shape,
   * so it hides no trace.
   * @param who the caller's principal
   */
  async alias(who: string, outward: string, prefix: string): Promise<void> {
    if (derivedShape.test(outward)) return;
    const key = this.#keys.traceAliases(who);
    await this.#redis
      .multi()
      .lpush(key, `${prefix} ${outward}`)
      .ltrim(key, 0, maxAliases - 1)
      .pexpire(key, traceLifeMs)
      .exec();
  }

  /**
   * Spans of the last hour as they were stored, empty when the trace is unknown or gone.
   * @param who the reader's principal, whose own trace ids are known too
   */
  async read(traceId: string, who: string): Promise<readonly string[]> {
    const prefix = derivedShape.exec(traceId)?.[1] ?? (await this.#aliased(traceId, who));
    if (!prefix) return [];
    const held = await this.#redis.lrange(this.#bucketOf(prefix), 0, -1);
    const since = Date.now() - traceLifeMs;
    return held.filter((text) => text.includes(prefix) && isOf(text, { prefix, since })).slice(0, maxSpans);
  }

  /** By the end of the prefix: some systems begin their trace ids with the time. */
  #bucketOf(prefix: string): string {
    return this.#keys.traces(Number.parseInt(prefix.slice(-2), 16) % buckets);
  }

  /** The newest is the first of the list; the oldest use of an id is the one that counts. */
  async #aliased(outward: string, who: string): Promise<string | undefined> {
    const held = await this.#redis.lrange(this.#keys.traceAliases(who), 0, -1);
    return held.findLast((entry) => entry.endsWith(` ${outward}`))?.split(' ')[0];
  }
}

function isOf(text: string, { prefix, since }: { readonly prefix: string; readonly since: number }): boolean {
  const { trace_id, start }: StoredSpan = JSON.parse(text);
  return tracePrefix(trace_id) === prefix && start > since;
}
