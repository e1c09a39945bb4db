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

  /** The oldest entries of a partition; those of workers of the version before come first. */
  async read(partition: Partition, limit: number): Promise<readonly HistoryEntry[]> {
    const read: HistoryEntry[] = [];
    for (const stream of [this.#keys.endedCallsOneByOne(partition), this.#keys.endedCalls(partition)]) {
      if (read.length === limit) break;
      const entries = await this.#redis.xrange(stream, '-', '+', 'COUNT', limit - read.length);
      read.push(...entries.map(([id, fields]) => ({ id, stream, calls: decoded(fields[1]) })));
    }
    return read;
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
    for (const [stream, own] of Map.groupBy(entries, (entry) => entry.stream)) await this.#redis.xdel(stream, ...own.map(({ id }) => id));
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
