import type { PausedBy } from '#lib/contracts';
import type { RedisClient } from '../redis/redis-client.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import type { Partition } from '../redis/partition.js';
import { listOf } from '../redis/script.js';
import { forgetPaused, setPauses } from '../scripts/pauses.js';

/** A pause as the workers of a partition know it: of all calls that meet what is given. */
export interface PartitionPause extends PausedBy {
  readonly tool?: string;
  readonly tenant?: string;
}

/** How long a call waits for a pause before it is looked at again, in ms. Short enough to stay in Redis; it waits on where the pause stands. */
export const pausedMs = 12 * 3_600_000;

/** What is paused in each partition, and the calls that wait for it. */
export class PausedCalls {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;

  constructor(redis: RedisClient, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /**
   * From now on no worker begins an attempt that is paused.
   * @param number of the read that found them: what was read later stays
   * @returns how many calls wait for each pause, by its id
   */
  async set(
    partition: Partition,
    { number, pauses }: { readonly number: number; readonly pauses: readonly PartitionPause[] },
  ): Promise<ReadonlyMap<string, number>> {
    const keys = { meta: this.#keys.queue(partition, 'meta'), paused: this.#keys.paused(partition) };
    const flat = listOf(await setPauses.run(this.#redis, { keys, args: { number, pauses: JSON.stringify(pauses) } }));
    return new Map(Array.from({ length: flat.length / 2 }, (_, index) => [String(flat[index * 2]), Number(flat[index * 2 + 1])]));
  }

  /** Ids of calls that wait for a pause, those first that have waited longest. */
  async waiting(partition: Partition, pauseId: string, limit: number): Promise<readonly string[]> {
    return this.#redis.zrange(this.#keys.pausedCalls(partition, pauseId), '0', String(limit - 1));
  }

  /** Forgets one that waits for it no more. */
  async forget(partition: Partition, pauseId: string, jobId: string): Promise<void> {
    const keys = { paused: this.#keys.paused(partition), calls: this.#keys.pausedCalls(partition, pauseId) };
    await forgetPaused.run(this.#redis, { keys, args: { id: pauseId, jobId } });
  }
}
