import type { Redis } from 'ioredis';
import type { Keys } from './keys.js';
import { Script } from './script.js';

const traceLifeMs = 3_600_000;
/** The newest traces that are kept; a busy system holds minutes, a quiet one an hour. */
const keptTraces = 20_000;
const maxSpans = 500;

const store = new Script(`
-- Appends spans to a trace; the first span of a trace pushes the oldest trace out when there are too many.
-- KEYS  1 spans of the trace  2 ring of trace keys
-- ARGV  1 life in ms  2 kept traces  3 most spans  4… spans
-- GIVES spans held
local held = redis.call('RPUSH', KEYS[1], unpack(ARGV, 4))
if held == #ARGV - 3 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  if redis.call('LPUSH', KEYS[2], KEYS[1]) > tonumber(ARGV[2]) then
    local oldest = redis.call('RPOP', KEYS[2])
    if oldest then redis.call('DEL', oldest) end
  end
end
if held > tonumber(ARGV[3]) then redis.call('LTRIM', KEYS[1], 0, tonumber(ARGV[3]) - 1) end
return held
`);

/** Spans of recent traces, so one call can be looked at without a tracing backend. */
export class TraceStore {
  readonly #redis: Redis;
  readonly #keys: Keys;

  constructor(redis: Redis, keys: Keys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** Files each span under the first 12 hex digits of its W3C trace id. */
  async append(spans: readonly { readonly trace_id: string }[]): Promise<void> {
    const byTrace = Map.groupBy(spans, (span) => span.trace_id.slice(0, 12));
    await Promise.all(
      [...byTrace].map(([prefix, group]) =>
        store.run(
          this.#redis,
          [this.#keys.trace(prefix), this.#keys.traceRing()],
          [traceLifeMs, keptTraces, maxSpans, ...group.map((span) => JSON.stringify(span))],
        ),
      ),
    );
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
