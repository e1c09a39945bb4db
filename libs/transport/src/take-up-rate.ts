import type { RedisClient } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';

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
 * How fast calls that wait for each other are taken up, by all workers of a domain together. It is measured while calls wait, from how many
 * came and how many are left: no clock but that of this process has a part in it.
 */
export class TakeUpRate {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;
  readonly #now: () => number;
  readonly #samples = new Map<string, readonly Sample[]>();
  readonly #looking = new Set<string>();

  /** @param now ms that never jump */
  constructor(redis: RedisClient, keys: RedisKeys, now: () => number = () => performance.now()) {
    this.#redis = redis;
    this.#keys = keys;
    this.#now = now;
  }

  /** Calls wait in this domain: looks at its queue, at most once a second. Rejects when Redis is away. */
  async look(domain: string): Promise<void> {
    const samples = this.#samples.get(domain) ?? [];
    const last = samples.at(-1);
    const at = this.#now();
    if (this.#looking.has(domain) || (last && at - last.at < everyMs)) return;
    this.#looking.add(domain);
    try {
      const [added, waiting] = await Promise.all([
        this.#redis.get(this.#keys.queue(domain, 'pc')),
        this.#redis.zcard(this.#keys.queue(domain, 'prioritized')),
      ]);
      const sample = { at, added: Number(added ?? 0), waiting };
      const goesOn = last && at - last.at <= gapMs && waiting > 0 && last.waiting > 0 && sample.added >= last.added;
      this.#samples.set(domain, goesOn ? [...samples.filter((one) => at - one.at <= mostMs), sample] : [sample]);
    } finally {
      this.#looking.delete(domain);
    }
  }

  /**
   * Calls a second, or null where calls have not waited for long enough to know. Never too low: as many more as one worker runs at once may
   * be about to end.
   */
  of(domain: string, concurrency: number): number | null {
    const samples = this.#samples.get(domain) ?? [];
    const [first, last] = [samples[0], samples.at(-1)];
    if (!first || !last || last.at - first.at < leastMs || this.#now() - last.at > gapMs) return null;
    const taken = Math.max(0, last.added - first.added - (last.waiting - first.waiting));
    return (taken + concurrency) / ((last.at - first.at) / 1_000);
  }
}
