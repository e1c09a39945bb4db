import { once } from 'node:events';
import { settingOf } from '#lib/command-line';
import { citationHelper } from '#lib/contracts';
import { invalidateCache, RedisKeys, requestConnection } from '#lib/transport';

const connectMs = 3_000;

/**
 * No citation of before the import is given out any more.
 * @returns what to tell when Redis was not to be had: the import stands all the same
 */
export async function endCachedCitations(): Promise<string | null> {
  const lifeSeconds = citationHelper.cache?.ttlSeconds ?? 0;
  const livesOn = (why: string): string => `Citations that are cached live on for up to ${lifeSeconds} s: ${why}.`;
  const url = settingOf('REDIS_URL');
  if (!url) return livesOn('no Redis is known (REDIS_URL)');
  const redis = requestConnection(url);
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(connectMs) });
    const keys = new RedisKeys(settingOf('INVOQ_NAMESPACE') ?? 'invoq');
    await invalidateCache(redis, keys, { domain: 'knowledge', attemptMs: citationHelper.timeoutMs });
    return null;
  } catch (error) {
    return livesOn(`Redis does not answer (${error instanceof Error ? error.message : String(error)})`);
  } finally {
    redis.disconnect();
  }
}
