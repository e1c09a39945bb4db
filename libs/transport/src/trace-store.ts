import { createHmac } from 'node:crypto';
import type { RedisClient } from './redis-client.js';
import { tracePrefix } from '#lib/platform';
import type { RedisKeys } from './redis-keys.js';
import { appendSpans } from './scripts/append-spans.js';
import type { SealingKey } from './sealing.js';

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
  readonly #secrets: readonly SealingKey[];

  /** @param secrets decide which traces share a list: the first when spans are written, all of them when they are read */
  constructor(redis: RedisClient, keys: RedisKeys, secrets: readonly SealingKey[]) {
    this.#redis = redis;
    this.#keys = keys;
    this.#secrets = secrets;
  }

  /** Files each span under the first 12 hex digits of its W3C trace id. */
  async append(spans: readonly StoredSpan[]): Promise<void> {
    const [secret] = this.#secrets;
    if (!secret) return;
    const byBucket = Map.groupBy(spans, ({ trace_id }) => this.#bucketOf(tracePrefix(trace_id), secret));
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
    // Some processes may write with another key while the keys are exchanged.
    const lists = new Set(this.#secrets.map((secret) => this.#bucketOf(prefix, secret)));
    const held = (await Promise.all([...lists].map(async (list) => this.#redis.lrange(list, 0, -1)))).flat();
    const since = Date.now() - traceLifeMs;
    return held.filter((text) => text.includes(prefix) && isOf(text, { prefix, since })).slice(0, maxSpans);
  }

  /** By a secret: whoever sends a trace id must not choose whose spans it pushes out. */
  #bucketOf(prefix: string, { key }: SealingKey): string {
    const digest = createHmac('sha256', key).update('trace\n').update(prefix).digest();
    return this.#keys.traces(digest.readUInt32BE(0) % buckets);
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
