import type { RedisClient } from '../redis/redis-client.js';
import { type RedisKeys } from '../redis/redis-keys.js';
import { domainOf, type Partition } from '../redis/partition.js';

/** Longer than any contract caches. */
const lifeMs = 86_400_000;

interface CacheTrustOptions {
  /** All of a domain. */
  readonly partitions: readonly Partition[];
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
  { partitions, attemptMs, now = Date.now() }: CacheTrustOptions,
): Promise<void> {
  await Promise.all(partitions.map(async (partition) => redis.set(keys.cacheTrust(partition), now + attemptMs, 'PX', lifeMs)));
  const changed = new Set(partitions.map(domainOf));
  await Promise.all([...changed].map(async (domain) => redis.publish(keys.cacheChanges(domain), '')));
}
