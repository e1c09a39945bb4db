import type { Redis } from 'ioredis';
import type { RedisKeys } from './redis-keys.js';
import { appendSpans } from './scripts/append-spans.js';

const traceLifeMs = 3_600_000;
/** The newest traces that are kept; a busy system holds minutes, a quiet one an hour. */
const maxTraces = 20_000;
const maxSpans = 500;

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

  /** Remembers a caller's own trace id for the trace that it was used in. */
  async alias(outward: string, prefix: string): Promise<void> {
    await this.#redis.set(this.#keys.traceAlias(outward), prefix, 'PX', traceLifeMs);
  }

  /** Spans as they were stored, empty when the trace is unknown or gone. */
  async read(traceId: string): Promise<readonly string[]> {
    const derived = /^trace_\d{8}_([0-9a-f]{12})$/.exec(traceId)?.[1];
    const prefix = (await this.#redis.get(this.#keys.traceAlias(traceId))) ?? derived;
    return prefix ? this.#redis.lrange(this.#keys.trace(prefix), 0, -1) : [];
  }
}

/** The number of spans, then the spans as texts. */
function counted(spans: readonly object[]): (string | number)[] {
  return [spans.length, ...spans.map((span) => JSON.stringify(span))];
}
