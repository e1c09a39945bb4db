import { historyCalls, type HistoryCall } from '../record/history-entry.js';
import type { RedisClient } from '../redis/redis-client.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import type { Partition } from '../redis/partition.js';

/** Calls that ended together. */
export interface HistoryEntry {
  readonly id: string;
  /** Where it stands. */
  readonly stream: string;
  /** Null where it cannot be read. */
  readonly calls: readonly HistoryCall[] | null;
}

/** Ended calls on their way to the history. The script that ends calls adds them; whoever has stored them drops them. */
export class HistoryStream {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;

  constructor(redis: RedisClient, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** The oldest entries of a partition, all from one stream; those of workers of the version before come first. */
  async read(partition: Partition, limit: number): Promise<readonly HistoryEntry[]> {
    for (const stream of [this.#keys.endedCallsOneByOne(partition), this.#keys.endedCalls(partition)]) {
      const entries = await this.#redis.xrange(stream, '-', '+', 'COUNT', limit);
      if (entries.length > 0) return entries.map(([id, fields]) => ({ id, stream, calls: decoded(fields[1]) }));
    }
    return [];
  }

  /** Adds one, for what no script ends. */
  async add(partition: Partition, call: HistoryCall): Promise<void> {
    await this.#redis.xadd(this.#keys.endedCalls(partition), '*', 'calls', JSON.stringify([call]));
  }

  async isEmpty(partition: Partition): Promise<boolean> {
    const streams = [this.#keys.endedCallsOneByOne(partition), this.#keys.endedCalls(partition)];
    return (await Promise.all(streams.map(async (stream) => this.#redis.xlen(stream)))).every((length) => length === 0);
  }

  async drop(entries: readonly HistoryEntry[]): Promise<void> {
    const [first] = entries;
    if (first) await this.#redis.xdel(first.stream, ...entries.map(({ id }) => id));
  }
}

function decoded(text: string | undefined): readonly HistoryCall[] | null {
  try {
    return historyCalls.parse([JSON.parse(text ?? '')].flat());
  } catch {
    // Whoever reads it tells of it: one that cannot be read must not keep the others.
    return null;
  }
}
