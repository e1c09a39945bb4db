import type { RedisClient } from '../redis/redis-client.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import type { Partition } from '../redis/partition.js';

const everyMs = 1_000;
/** Sooner nothing is known. */
const leastMs = 5_000;
/** What was longer ago says nothing of now. */
const mostMs = 30_000;
/** When nobody looked for so long, the queue may have been empty meanwhile. */
const gapMs = 3_000;

/** How a queue stood at a time. */
interface Sample {
  readonly at: number;
  /** Calls that were put into rounds since nobody waited. */
  readonly added: number;
  readonly waiting: number;
}

/**
 * How fast calls that wait for each other are taken up, by all workers of a partition together. It is measured while calls wait, from how many
 * came and how many are left: no clock but that of this process has a part in it.
 */
export class TakeUpRate {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;
  readonly #now: () => number;
  readonly #samples = new Map<Partition, readonly Sample[]>();
  readonly #looking = new Set<Partition>();

  /** @param now ms that never jump */
  constructor(redis: RedisClient, keys: RedisKeys, now: () => number = () => performance.now()) {
    this.#redis = redis;
    this.#keys = keys;
    this.#now = now;
  }

  /** Calls wait in this partition: looks at its queue, at most once a second. Rejects when Redis is away. */
  async look(partition: Partition): Promise<void> {
    const samples = this.#samples.get(partition) ?? [];
    const last = samples.at(-1);
    const at = this.#now();
    if (this.#looking.has(partition) || (last && at - last.at < everyMs)) return;
    this.#looking.add(partition);
    try {
      const [added, waiting] = await Promise.all([
        this.#redis.get(this.#keys.queue(partition, 'pc')),
        this.#redis.zcard(this.#keys.queue(partition, 'prioritized')),
      ]);
      const sample = { at, added: Number(added ?? 0), waiting };
      const goesOn = last && at - last.at <= gapMs && waiting > 0 && last.waiting > 0 && sample.added >= last.added;
      this.#samples.set(partition, goesOn ? [...samples.filter((one) => at - one.at <= mostMs), sample] : [sample]);
    } finally {
      this.#looking.delete(partition);
    }
  }

  /**
   * Calls a second, or null where calls have not waited for long enough to know. Never too low: as many more as one worker runs at once may
   * be about to end.
   */
  of(partition: Partition, concurrency: number): number | null {
    const samples = this.#samples.get(partition) ?? [];
    const [first, last] = [samples[0], samples.at(-1)];
    if (!first || !last || last.at - first.at < leastMs || this.#now() - last.at > gapMs) return null;
    const taken = Math.max(0, last.added - first.added - (last.waiting - first.waiting));
    return (taken + concurrency) / ((last.at - first.at) / 1_000);
  }
}
