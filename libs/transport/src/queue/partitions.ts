import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { domains } from '#lib/contracts';
import { openLifeMs, recordLifeMs } from '../redis/lives.js';
import type { RedisClient } from '../redis/redis-client.js';
import { type RedisKeys } from '../redis/redis-keys.js';
import { partitionNamed, partitionOf, type Partition } from '../redis/partition.js';

/** A gateway that has not looked for so many turns does so before it accepts a call with an idempotency key. */
const staleTurns = 2;
const tellMs = 60_000;
/** Nothing of a number of partitions that no gateway has is left after this: open calls, their records and their keys, and what it did not tell. */
export const forgottenAfterMs = openLifeMs + recordLifeMs + 10 * tellMs;

interface PartitionsParts {
  readonly redis: RedisClient;
  readonly keys: RedisKeys;
  /** How many partitions each of our domains has for calls that this process accepts, 1–64; null where it accepts none. */
  readonly count: number | null;
  /** Tells of a look that failed; the next one follows. */
  readonly onFault: (error: unknown) => void;
  /** How often it looks which numbers are in use: as often as every other process of the installation. Default: 1,000 ms. */
  readonly everyMs?: number;
  /** Epoch milliseconds. Default: this machine's clock. */
  readonly now?: () => number;
}

/** Who calls, and what a call with an idempotency key is found by. */
export interface KeyedCall {
  /** The principal. */
  readonly who: string;
  readonly tool: string;
  readonly idempotencyKey: string;
}

/**
 * Where the calls of a domain are: in which of its partitions. A principal's calls have one home, so that its lists, its rounds and its
 * idempotency keys are in one place. The number of partitions may change while gateways run: every number that was in use within the last
 * three days stays known in Redis, its partitions stay served, and what was accepted there is found there.
 */
export class Partitions {
  readonly #parts: PartitionsParts;
  readonly #everyMs: number;
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  /** All numbers in use, our own first. */
  #counts: readonly number[];
  #lookedAt = Number.NEGATIVE_INFINITY;
  #toldAt = Number.NEGATIVE_INFINITY;
  #isStarted = false;
  #isStopped = false;
  /** Whether others may not know our number yet. */
  #isNew = false;
  #entering: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: PartitionsParts) {
    this.#parts = parts;
    this.#everyMs = parts.everyMs ?? 1_000;
    this.#now = parts.now ?? Date.now;
    this.#counts = [parts.count ?? 1];
  }

  /**
   * Makes our number known, learns the others, and goes on looking. A gateway that brings a new number waits until every other one has
   * seen it. Waits for Redis as long as it takes.
   */
  async start(): Promise<void> {
    while (!this.#isStarted && !this.#isStopped)
      await this.#enter().catch(async (error: unknown) => {
        this.#parts.onFault(error);
        await sleep(this.#everyMs);
      });
    if (this.#isStopped) return;
    this.#timer = setInterval(() => void this.look().catch(this.#parts.onFault), this.#everyMs).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  /** Keeps our number known until a call that rests so long must be found. @param until epoch ms */
  async keepFor(until: number): Promise<void> {
    const { redis, keys, count } = this.#parts;
    if (until - this.#now() > recordLifeMs) await redis.zadd(keys.partitionCounts(), 'GT', until, count ?? Math.max(...this.#counts));
  }

  /** Calls back when a domain has more partitions than before. @returns ends it */
  onGrowth(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Where new calls of a principal go. */
  home(domain: string, who: string): Partition {
    return homeOf(domain, who, this.#counts[0] ?? 1);
  }

  /** Where calls of a principal may be, its home first. */
  of(domain: string, who: string): readonly Partition[] {
    return [...new Set(this.#counts.map((count) => homeOf(domain, who, count)))];
  }

  /** Where calls of a domain may be. */
  all(domain: string): readonly Partition[] {
    const most = isOurs(domain) ? Math.max(...this.#counts) : 1;
    return Array.from({ length: most }, (_, index) => partitionOf(domain, index));
  }

  /**
   * Where a call with an idempotency key belongs: where its key is already, or else to its principal's home. While several numbers are in
   * use, gateways agree on it in Redis, so that a key has one place. Rejects when Redis is away.
   */
  async placeOf(domain: string, call: KeyedCall): Promise<Partition> {
    if (!this.#isStarted) await this.#enter();
    if (performance.now() - this.#lookedAt > staleTurns * this.#everyMs) await this.look();
    const { redis, keys } = this.#parts;
    const places = this.of(domain, call.who);
    const [home = partitionOf(domain)] = places;
    if (places.length === 1) return home;
    const parts = [call.who, call.tool, call.idempotencyKey];
    const held = await Promise.all(places.map(async (place) => redis.exists(keys.idempotency(place, parts))));
    const proposed = places.find((_, index) => held[index] === 1) ?? home;
    const agreed = await redis.set(keys.idempotencyPlace(domain, parts), proposed, 'PX', recordLifeMs, 'NX', 'GET');
    return agreed === null ? proposed : partitionNamed(agreed);
  }

  /** Once, however many ask for it: a call that comes early waits as long as the start does. */
  async #enter(): Promise<void> {
    await (this.#entering ??= this.#makeKnown().finally(() => (this.#entering = null)));
  }

  async #makeKnown(): Promise<void> {
    const { redis, keys, count } = this.#parts;
    const key = keys.partitionCounts();
    // An installation without any number is new, or of a version that had one partition.
    if (count !== null && (await redis.zcard(key)) === 0) await redis.zadd(key, 'NX', this.#now(), 1);
    if (count !== null) {
      const toldAt = await redis.zscore(key, count);
      // Remembered over a fault: our number is in Redis after the first try, and the others have not read it yet.
      this.#isNew ||= toldAt === null || Number(toldAt) < this.#now() - forgottenAfterMs + tellMs;
    }
    await this.look();
    if (this.#isNew) await sleep((staleTurns + 1) * this.#everyMs);
    this.#isStarted = true;
  }

  /** Looks which numbers are in use. Rejects when Redis is away. */
  async look(): Promise<void> {
    const { redis, keys, count } = this.#parts;
    const now = this.#now();
    const askedAt = performance.now();
    const key = keys.partitionCounts();
    if (count !== null && performance.now() - this.#toldAt > tellMs) {
      await redis.zadd(key, 'GT', now, count);
      await redis.zremrangebyscore(key, '-inf', `(${now - forgottenAfterMs}`);
      this.#toldAt = askedAt;
    }
    const found = (await redis.zrangebyscore(key, now - forgottenAfterMs, '+inf')).map(Number);
    this.#lookedAt = askedAt;
    // A failover may have lost it.
    if (count !== null && !found.includes(count)) this.#toldAt = Number.NEGATIVE_INFINITY;
    const most = Math.max(...this.#counts);
    this.#counts = [...new Set([...(count === null ? [] : [count]), ...found])];
    if (this.#counts.length === 0) this.#counts = [1];
    if (Math.max(...this.#counts) > most) for (const listener of this.#listeners) listener();
  }
}

function homeOf(domain: string, who: string, count: number): Partition {
  const index = count === 1 || !isOurs(domain) ? 0 : Number.parseInt(hash('sha256', who, 'hex').slice(0, 8), 16) % count;
  return partitionOf(domain, index);
}

/** A domain that a tenant serves has one partition: it has a slot of its own. */
function isOurs(domain: string): boolean {
  return Object.hasOwn(domains, domain);
}
