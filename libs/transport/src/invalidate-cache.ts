import type { RedisClient } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';

/** Longer than any contract caches. */
const lifeMs = 86_400_000;

interface CacheTrustOptions {
  readonly domain: string;
  /** How long a running attempt may still work with data that it read before the change, in ms. */
  readonly attemptMs: number;
  readonly now?: number;
}

/**
 * Invalidates every cached answer of a domain because the data behind them has changed. Answers of attempts that run now may
 * still rest on the old data; they are not given out either. Gateways are told to forget the answers that they have read within the
 * last second.
 */
export async function invalidateCache(
  redis: RedisClient,
  keys: RedisKeys,
  { domain, attemptMs, now = Date.now() }: CacheTrustOptions,
): Promise<void> {
  await redis.set(keys.cacheTrust(domain), now + attemptMs, 'PX', lifeMs);
  await redis.publish(keys.cacheTrust(domain), '');
}
