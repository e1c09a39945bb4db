import type { Redis } from 'ioredis';
import type { RedisKeys } from './redis-keys.js';
import { appendSpans } from './scripts/append-spans.js';

const traceLifeMs = 3_600_000;
/** The newest traces that are kept; a busy system holds minutes, a quiet one an hour. */
const maxTraces = 20_000;
const maxSpans = 500;
/** Newest trace ids of its own that each caller can look up. */
const maxAliases = 1_000;
const derivedShape = /^trace_\d{8}_([0-9a-f]{12})$/;

/** Traces in one step: more would hold Redis up. */
const batch = 100;

/** Spans of recent traces, so one call can be looked at without a tracing backend. */
export class TraceStore {
  readonly #redis: Redis;
  readonly #keys: RedisKeys;

  constructor(redis: Redis, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** Files each span under the first 12 hex digits of its W3C trace id. */
  async append(spans: readonly { readonly trace_id: string }[]): Promise<void> {
    const traces = [...Map.groupBy(spans, (span) => span.trace_id.slice(0, 12))];
    for (let from = 0; from < traces.length; from += batch) {
      const some = traces.slice(from, from + batch);
      await appendSpans.run(this.#redis, {
        keys: { ring: this.#keys.traceRing() },
        args: { lifeMs: traceLifeMs, maxTraces, maxSpans },
        moreKeys: some.map(([prefix]) => this.#keys.trace(prefix)),
        moreArgs: some.flatMap(([, group]) => counted(group.slice(0, maxSpans))),
      });
    }
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
   * Spans as they were stored, empty when the trace is unknown or gone.
   * @param who the reader's principal, whose own trace ids are known too
   */
  async read(traceId: string, who: string): Promise<readonly string[]> {
    const prefix = derivedShape.exec(traceId)?.[1] ?? (await this.#aliased(traceId, who));
    return prefix ? this.#redis.lrange(this.#keys.trace(prefix), 0, -1) : [];
  }

  /** The newest is the first of the list; the oldest use of an id is the one that counts. */
  async #aliased(outward: string, who: string): Promise<string | undefined> {
    const held = await this.#redis.lrange(this.#keys.traceAliases(who), 0, -1);
    return held.findLast((entry) => entry.endsWith(` ${outward}`))?.split(' ')[0];
  }
}

/** The number of spans, then the spans as texts. */
function counted(spans: readonly object[]): (string | number)[] {
  return [spans.length, ...spans.map((span) => JSON.stringify(span))];
}
