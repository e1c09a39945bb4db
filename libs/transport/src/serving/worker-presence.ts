import type { RedisClient } from '../redis/redis-client.js';
import { z } from 'zod';
import { workerList } from '#lib/contracts';
import type { RedisKeys } from '../redis/redis-keys.js';

/** A worker that was not heard of for so long is not shown, and is forgotten later. */
const shownMs = 15_000;
const keptMs = 60_000;

const present = z.object(workerList.shape.workers.element.shape);
export type PresentWorker = z.infer<typeof present>;

/** The worker processes of a domain, as they say themselves every few seconds. */
export class WorkerPresence {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;
  readonly #now: () => number;

  /** @param redis fails at once while Redis is away */
  constructor(redis: RedisClient, keys: RedisKeys, now: () => number = Date.now) {
    this.#redis = redis;
    this.#keys = keys;
    this.#now = now;
  }

  async announce(worker: Omit<PresentWorker, 'seen_at'>): Promise<void> {
    const key = this.#keys.workers(worker.domain);
    const seen_at = new Date(this.#now()).toISOString();
    await this.#redis
      .multi()
      .hset(key, worker.id, JSON.stringify({ ...worker, seen_at }))
      .pexpire(key, keptMs)
      .exec();
  }

  async leave({ domain, id }: Pick<PresentWorker, 'domain' | 'id'>): Promise<void> {
    await this.#redis.hdel(this.#keys.workers(domain), id);
  }

  /** Those of a domain that were heard of in the last 15 s. Forgets those that died a minute ago while others go on. */
  async list(domain: string): Promise<readonly PresentWorker[]> {
    const key = this.#keys.workers(domain);
    const workers = Object.values(await this.#redis.hgetall(key)).map((text) => present.parse(JSON.parse(text)));
    const silentMs = ({ seen_at }: PresentWorker): number => this.#now() - Date.parse(seen_at);
    const dead = workers.filter((worker) => silentMs(worker) > keptMs);
    if (dead.length > 0) await this.#redis.hdel(key, ...dead.map(({ id }) => id));
    return workers.filter((worker) => silentMs(worker) <= shownMs).toSorted((a, b) => (a.since < b.since ? -1 : 1));
  }
}
