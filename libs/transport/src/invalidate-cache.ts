import type { Redis } from 'ioredis';
import type { RedisKeys } from './redis-keys.js';

/** Longer than any contract caches. */
const lifeMs = 86_400_000;

interface CacheTrustOptions {
  readonly domain: string;
  /** Longest time that an attempt under way may still work with what it read before the change, in ms. */
  readonly attemptMs: number;
  readonly now?: number;
}

/** What the answers of a domain are made from has changed: none that was cached until now, or is being made, is given out any more. */
export async function invalidateCache(
  redis: Redis,
  keys: RedisKeys,
  { domain, attemptMs, now = Date.now() }: CacheTrustOptions,
): Promise<void> {
  await redis.set(keys.cacheTrust(domain), now + attemptMs, 'PX', lifeMs);
}
