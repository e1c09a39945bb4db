import type { Redis } from 'ioredis';
import type { RedisKeys } from './redis-keys.js';
import { Script } from './script.js';

const traceLifeMs = 3_600_000;
/** The newest traces that are kept; a busy system holds minutes, a quiet one an hour. */
const keptTraces = 20_000;
const maxSpans = 500;

/** Traces in one step: more would hold Redis up. */
const batch = 100;

const store = new Script(`
-- Appends spans to many traces; the first span of a trace pushes the oldest trace out when there are too many.
-- KEYS  1 ring of trace keys  2… one for each trace
-- ARGV  1 life in ms  2 kept traces  3 most spans  4… for each trace: how many spans, then they
-- GIVES traces written
local at = 4
for n = 2, #KEYS do
  local count = tonumber(ARGV[at])
  local held = redis.call('RPUSH', KEYS[n], unpack(ARGV, at + 1, at + count))
  if held == count then
    redis.call('PEXPIRE', KEYS[n], ARGV[1])
    if redis.call('LPUSH', KEYS[1], KEYS[n]) > tonumber(ARGV[2]) then
      local oldest = redis.call('RPOP', KEYS[1])
      if oldest then redis.call('UNLINK', oldest) end
    end
  end
  if held > tonumber(ARGV[3]) then redis.call('LTRIM', KEYS[n], 0, tonumber(ARGV[3]) - 1) end
  at = at + count + 1
end
return #KEYS - 1
`);

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
      const keys = some.map(([prefix]) => this.#keys.trace(prefix));
      const args = some.flatMap(([, group]) => textsOf(group.slice(0, maxSpans)));
      await store.run(this.#redis, [this.#keys.traceRing(), ...keys], [traceLifeMs, keptTraces, maxSpans, ...args]);
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

/** A count and so many texts, as the script reads them. */
function textsOf(spans: readonly object[]): (string | number)[] {
  return [spans.length, ...spans.map((span) => JSON.stringify(span))];
}
