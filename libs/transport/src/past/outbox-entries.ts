import { historyCalls, type HistoryCall } from '../record/history-entry.js';
import { restedCall, type RestedCall } from '../record/rest-entry.js';
import type { RedisClient } from '../redis/redis-client.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import type { Partition } from '../redis/partition.js';
import { jsonIn } from '#lib/contracts';

/** One entry: a call that has gone to rest, or calls that ended together and found no room in the history. */
export interface OutboxEntry {
  readonly id: string;
  readonly rested: RestedCall | null;
  readonly ended: readonly HistoryCall[];
}

/** What webhooks are told of calls beside the history. The scripts of calls add it; whoever has stored it drops it. It has no bound. */
export class OutboxEntries {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;

  constructor(redis: RedisClient, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** The oldest entries of a partition. One that cannot be read says nothing. */
  async read(partition: Partition, limit: number): Promise<readonly OutboxEntry[]> {
    const entries = await this.#redis.xrange(this.#keys.outbox(partition), '-', '+', 'COUNT', limit);
    return entries.map(([id, [name, text]]) => {
      const value = jsonIn(text ?? '');
      return {
        id,
        rested: name === 'rest' ? (restedCall.safeParse(value).data ?? null) : null,
        ended: name === 'calls' ? (historyCalls.safeParse(value).data ?? []) : [],
      };
    });
  }

  async isEmpty(partition: Partition): Promise<boolean> {
    return (await this.#redis.xlen(this.#keys.outbox(partition))) === 0;
  }

  async drop(partition: Partition, entries: readonly OutboxEntry[]): Promise<void> {
    if (entries.length > 0) await this.#redis.xdel(this.#keys.outbox(partition), ...entries.map(({ id }) => id));
  }
}
