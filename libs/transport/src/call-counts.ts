import type { Redis } from 'ioredis';
import type { RedisKeys } from './redis-keys.js';
import { listOf } from './script.js';
import { refund, spend } from './scripts/spend.js';

const secondMs = 1_000;
const dayMs = 24 * 3_600_000;

/** Whose calls are counted: those of a second by credential, those of a day by principal. */
export interface Counted {
  readonly principal: string;
  readonly credentialId: string;
  /** The UTC date, `2026-11-21`. */
  readonly day: string;
}

export type Spending = { readonly kind: 'spent' } | { readonly kind: 'rate'; readonly retryAfterMs: number } | { readonly kind: 'quota' };

/** Counts calls in Redis, over all gateways (per second and per day). Each method is one atomic step. */
export class CallCounts {
  readonly #redis: Redis;
  readonly #keys: RedisKeys;

  constructor(redis: Redis, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** Counts one call against both limits. Counts nothing when one is reached, and returns which one. */
  async spend(who: Counted, most: { readonly perSecond: number; readonly perDay: number }): Promise<Spending> {
    const keys = { second: this.#keys.callsOfSecond(who.principal, who.credentialId), day: this.#keys.callsOfDay(who.principal, who.day) };
    const args = { maxPerSecond: most.perSecond, maxPerDay: most.perDay, secondMs, dayMs };
    const [kind, left] = listOf(await spend.run(this.#redis, { keys, args }));
    if (kind === 'rate') return { kind, retryAfterMs: Math.max(1, Number(left)) };
    return { kind: kind === 'quota' ? kind : 'spent' };
  }

  /** Gives the day's call back. */
  async refund(who: Pick<Counted, 'principal' | 'day'>): Promise<void> {
    await refund.run(this.#redis, { keys: { day: this.#keys.callsOfDay(who.principal, who.day) }, args: {} });
  }
}
