import type { RedisClient } from '../redis/redis-client.js';
import type { RedisKeys } from '../redis/redis-keys.js';

/**
 * Of a tenant, however many there are.
 * @limit storage: spans of a tenant; the oldest go
 */
const mostOfTenant = 32_000;
/** Of all tenants together, until that would leave one less than the least. */
const mostOfAll = 256_000;
const leastOfTenant = 1_600;
const renewMs = 60_000;

/** The tenants that have recent spans, and how many spans each of them may have. */
export class TraceTenants {
  readonly #redis: RedisClient;
  readonly #key: string;
  readonly #lifeMs: number;
  /** When each tenant was last noted here. */
  readonly #noted = new Map<string, number>();
  #count = 1;

  /** @param lifeMs of spans */
  constructor(redis: RedisClient, keys: RedisKeys, lifeMs: number) {
    this.#redis = redis;
    this.#key = keys.traceTenants();
    // A tenant is noted at most so long before its latest span.
    this.#lifeMs = lifeMs + renewMs;
  }

  /** Less than its full share only where there are many tenants. Callers cannot make tenants, so none takes the share of another. */
  get mostSpans(): number {
    return Math.max(leastOfTenant, Math.min(mostOfTenant, Math.floor(mostOfAll / this.#count)));
  }

  /** Before their spans are written. It costs a step of Redis once a minute. */
  async note(tenants: Iterable<string>): Promise<void> {
    const now = Date.now();
    const due = [...tenants].filter((tenant) => (this.#noted.get(tenant) ?? 0) <= now - renewMs);
    if (due.length === 0) return;
    const replies = await this.#redis
      .multi()
      .zadd(this.#key, ...due.flatMap((tenant) => [now, tenant]))
      .zremrangebyscore(this.#key, '-inf', now - this.#lifeMs)
      .zcard(this.#key)
      .pexpire(this.#key, this.#lifeMs)
      .exec();
    this.#count = Math.max(1, Number(replies?.[2]?.[1] ?? 1));
    for (const [tenant, at] of this.#noted) if (at <= now - renewMs) this.#noted.delete(tenant);
    for (const tenant of due) this.#noted.set(tenant, now);
  }

  async all(): Promise<readonly string[]> {
    return this.#redis.zrangebyscore(this.#key, Date.now() - this.#lifeMs, '+inf');
  }
}
