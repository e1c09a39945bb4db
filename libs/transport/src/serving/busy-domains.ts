import type { RedisClient } from '../redis/redis-client.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import { forgetIdle } from '../scripts/forget-idle.js';

/** A domain that was noted by this process within this time is not noted again. */
const freshMs = 20_000;
/** Longer than any process takes a note for fresh: then nobody relies on it. */
export const idleMs = 5 * 60_000;

/**
 * The domains of tenants' workers that may hold calls, over all gateways: a domain is noted before a call is accepted. Everything that looks
 * after calls looks at these, and the others cost nothing.
 */
export class BusyDomains {
  readonly #redis: RedisClient;
  readonly #key: string;
  readonly #now: () => number;
  /** When this process has noted them, by a clock that nobody sets. */
  readonly #notedAt = new Map<string, number>();

  /**
   * @param redis fails at once while Redis is away
   * @param now epoch ms, the same for all processes
   */
  constructor(redis: RedisClient, keys: RedisKeys, now: () => number) {
    this.#now = now;
    this.#redis = redis;
    this.#key = keys.busyDomains();
  }

  /** Whether `note` has something to do. */
  isFresh(domain: string): boolean {
    return performance.now() - (this.#notedAt.get(domain) ?? -Infinity) < freshMs;
  }

  /** Before a call of this domain is accepted. */
  async note(domain: string): Promise<void> {
    const at = performance.now();
    await this.#redis.zadd(this.#key, 'GT', this.#now(), domain);
    this.#notedAt.set(domain, at);
  }

  async list(): Promise<readonly string[]> {
    const domains = await this.#redis.zrange(this.#key, '0', '-1');
    for (const noted of this.#notedAt.keys()) if (!this.isFresh(noted)) this.#notedAt.delete(noted);
    return domains;
  }

  /** Forgets one that holds no calls, unless one was accepted within the last minutes. @param now epoch ms */
  async forget(domain: string, now: number): Promise<boolean> {
    return (await forgetIdle.run(this.#redis, { keys: { noted: this.#key }, args: { name: domain, latest: now - idleMs } })) === 1;
  }
}
