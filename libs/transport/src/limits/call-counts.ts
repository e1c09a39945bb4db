import type { RedisClient } from '../redis/redis-client.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import { listOf } from '../redis/script.js';
import { refund, spend } from '../scripts/spend.js';

const secondMs = 1_000;
/** How long the count of a day can be read. */
const dayMs = 8 * 24 * 3_600_000;

/** Whose calls are counted: those of a second by credential, those of a day by principal. */
export interface Counted {
  readonly principal: string;
  readonly credentialId: string;
  /** The UTC date, `2026-11-21`. */
  readonly day: string;
}

/** Calls that one caller may make. */
export interface CallBounds {
  readonly perSecond: number;
  readonly perDay: number;
}

/** Why no call was counted. */
export type OverLimit = { readonly kind: 'rate'; readonly retryAfterMs: number } | { readonly kind: 'quota' };

/** `calls` were counted for the second, which is over in `leftMs`; `newOfDay` of them for the day too. */
export type Spending = { readonly kind: 'spent'; readonly calls: number; readonly newOfDay: number; readonly leftMs: number } | OverLimit;

/** Counts calls in Redis, over all gateways (per second and per day). Each method is one atomic step. */
export class CallCounts {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;

  constructor(redis: RedisClient, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /**
   * Counts as many calls as both limits have room for. Counts nothing when one is reached, and returns which one.
   * @param wanted at most so many calls (`calls`), and how many of them the day has counted before (`counted`)
   */
  async spend(
    who: Counted,
    most: CallBounds,
    { calls, counted }: { readonly calls: number; readonly counted: number } = { calls: 1, counted: 0 },
  ): Promise<Spending> {
    const keys = { second: this.#keys.callsOfSecond(who.principal, who.credentialId), day: this.#keys.callsOfDay(who.principal, who.day) };
    const args = { calls, counted, maxPerSecond: most.perSecond, maxPerDay: most.perDay, secondMs, dayMs };
    const [kind, first, newOfDay, leftMs] = listOf(await spend.run(this.#redis, { keys, args }));
    if (kind === 'rate') return { kind, retryAfterMs: Math.max(1, Number(first)) };
    if (kind === 'quota') return { kind };
    return { kind: 'spent', calls: Number(first), newOfDay: Number(newOfDay), leftMs: Number(leftMs) };
  }

  /** The calls of some days, up to a week ago; those that a gateway has counted ahead are among them. */
  async ofDays(principal: string, days: readonly string[]): Promise<readonly number[]> {
    const counts = await this.#redis.mget(...days.map((day) => this.#keys.callsOfDay(principal, day)));
    return counts.map((count) => Math.max(0, Number(count ?? 0)));
  }

  /** Gives calls back to their day. */
  async refund(who: Pick<Counted, 'principal' | 'day'>, calls = 1): Promise<void> {
    await refund.run(this.#redis, { keys: { day: this.#keys.callsOfDay(who.principal, who.day) }, args: { calls } });
  }
}
