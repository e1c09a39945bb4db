import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { testFilesFolder } from './files.js';

/** Address of the Redis that the test run has started. Throws with a hint when there is none. */
export function redisUrl(): string {
  const url = process.env['REDIS_URL'];
  if (!url) throw new Error('REDIS_URL is not set: run the tests with `npm test`, which starts a private Redis');
  return url;
}

/** A new namespace, so that test files can run side by side on one Redis. */
export function newNamespace(): string {
  return `test-${randomBytes(6).toString('hex')}`;
}

/** A connection to the test run's Redis. Disposing of it deletes the keys and the files of the namespace. */
export function testRedis(namespace: string): Redis & AsyncDisposable {
  const redis = new Redis(redisUrl(), { maxRetriesPerRequest: 3 });
  return Object.assign(redis, {
    [Symbol.asyncDispose]: async () => {
      for await (const keys of redis.scanStream({ match: `*${namespace}*`, count: 1_000 }))
        if (Array.isArray(keys) && keys.length > 0) await redis.unlink(...keys.map(String));
      redis.disconnect();
      await rm(testFilesFolder(namespace), { recursive: true, force: true });
    },
  });
}
