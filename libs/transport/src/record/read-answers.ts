import { Groups } from './groups.js';
import { type Partition } from '../redis/partition.js';
import type { RedisClient } from '../redis/redis-client.js';
import { type RedisKeys } from '../redis/redis-keys.js';

/** An answer as it was read from the cache. */
export interface ReadAnswer {
  /** The entry as it is stored. */
  readonly text: string;
  readonly cachedAt: number;
}

interface Asked extends ReadAnswer {
  readonly key: string;
}

/** Looks whether answers that were read from the cache are still in it: those of a partition in groups, by one command. */
export class ReadAnswers {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;
  readonly #groups = new Map<Partition, Groups<Asked, boolean>>();

  constructor(redis: RedisClient, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** @param invocationKey under which the cache has it. @returns false where it has ended, is another one now, or is not trusted any more */
  async isCurrent(partition: Partition, invocationKey: string, { text, cachedAt }: ReadAnswer): Promise<boolean> {
    return this.#groupsOf(partition).add({ key: this.#keys.cache(partition, invocationKey), text, cachedAt });
  }

  #groupsOf(partition: Partition): Groups<Asked, boolean> {
    const known = this.#groups.get(partition);
    if (known) return known;
    const groups = new Groups<Asked, boolean>({
      send: async (asked) => this.#look(partition, asked),
      charactersOf: ({ text }) => text.length,
    });
    this.#groups.set(partition, groups);
    return groups;
  }

  async #look(partition: Partition, asked: readonly Asked[]): Promise<readonly boolean[]> {
    const [trustedSince, ...texts] = await this.#redis.mget(this.#keys.cacheTrust(partition), ...asked.map(({ key }) => key));
    return asked.map(({ text, cachedAt }, index) => texts[index] === text && cachedAt >= Number(trustedSince ?? 0));
  }
}
