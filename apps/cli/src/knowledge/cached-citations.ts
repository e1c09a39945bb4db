import { once } from 'node:events';
import { settingOf } from '#lib/command-line';
import { citationHelper } from '#lib/contracts';
import { readSettings, redisSettings } from '#lib/platform';
import { invalidateCache, Partitions, RedisKeys, requestConnection } from '#lib/transport';

const connectMs = 3_000;

/**
 * Makes cached citations of before the import invalid.
 * @returns a warning when Redis cannot be reached; the import is complete all the same
 */
export async function invalidateCachedCitations(): Promise<string | null> {
  const lifeSeconds = citationHelper.cache?.ttlSeconds ?? 0;
  const staleFor = (why: string): string => `Cached citations stay valid for up to ${lifeSeconds} s: ${why}.`;
  if (!settingOf('REDIS_URL')) return staleFor('no Redis is known (REDIS_URL)');
  const named = Object.fromEntries(Object.keys(redisSettings).map((name) => [name, settingOf(name)]));
  const redis = requestConnection(readSettings(redisSettings, named));
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(connectMs) });
    const keys = new RedisKeys(settingOf('INVOQ_NAMESPACE') ?? 'invoq');
    const partitions = new Partitions({ redis, keys, count: null, onFault: () => undefined });
    await partitions.look();
    await invalidateCache(redis, keys, { partitions: partitions.all('knowledge'), attemptMs: citationHelper.timeoutMs });
    return null;
  } catch (error) {
    return staleFor(`Redis does not answer (${error instanceof Error ? error.message : String(error)})`);
  } finally {
    redis.disconnect();
  }
}
