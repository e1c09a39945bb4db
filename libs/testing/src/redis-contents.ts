import { Redis } from 'ioredis';

/** Everything that Redis holds in one namespace. */
export class RedisContents implements Disposable {
  readonly redis: Redis;
  readonly #namespace: string;

  constructor(url: string, namespace: string) {
    this.redis = new Redis(url, { maxRetriesPerRequest: 1 });
    this.redis.on('error', () => undefined);
    this.#namespace = namespace;
  }

  async keys(): Promise<readonly string[]> {
    const found: string[] = [];
    for await (const page of this.redis.scanStream({ match: `*${this.#namespace}*`, count: 1_000 }))
      if (Array.isArray(page)) found.push(...page.map(String));
    return found;
  }

  /** Every key with everything it holds, as one text to search in. */
  async everything(): Promise<string> {
    const keys = await this.keys();
    const values = await Promise.all(keys.map(async (key) => `${key} ${JSON.stringify(await this.#value(key))}`));
    return values.join('\n');
  }

  /**
   * Lets the locks of all workers expire now, and allows the next check for stalled jobs at once. The jobs of a dead worker are then taken
   * over in seconds. No other worker may be running a job.
   */
  async expireLocks(): Promise<void> {
    await this.#unlink((await this.keys()).filter((key) => /:(lock|stalled-check)$/.test(key)));
  }

  /** Has the locks that workers hold now last so long. */
  async stretchLocks(ms: number): Promise<void> {
    for (const key of await this.keys()) if (key.endsWith(':lock')) await this.redis.pexpire(key, ms);
  }

  async clear(): Promise<void> {
    await this.#unlink(await this.keys());
  }

  async #unlink(keys: readonly string[]): Promise<void> {
    for (let from = 0; from < keys.length; from += 500) await this.redis.unlink(...keys.slice(from, from + 500));
  }

  [Symbol.dispose](): void {
    this.redis.disconnect();
  }

  async #value(key: string): Promise<unknown> {
    switch (await this.redis.type(key)) {
      case 'string':
        return this.redis.get(key);
      case 'hash':
        return this.redis.hgetall(key);
      case 'list':
        return this.redis.lrange(key, 0, -1);
      case 'set':
        return this.redis.smembers(key);
      case 'zset':
        return this.redis.zrange(key, '0', '-1', 'WITHSCORES');
      case 'stream':
        return this.redis.xrange(key, '-', '+');
      default:
        return null;
    }
  }
}
