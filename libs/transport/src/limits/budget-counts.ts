import type { RedisClient } from '../redis/redis-client.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import { listOf } from '../redis/script.js';
import { count, fill, reserve, settle } from '../scripts/budgets.js';

/** What is counted of a period stays so long after its end, for calls that end late. */
const keptMs = 40 * 86_400_000;

/** An entry of the history that comes again comes within this time. */
const countedMs = 3_600_000;

/** A budget in one period. */
export interface CountedBudget {
  /** Names its counters. */
  readonly counter: string;
  /** Of the period, epoch ms. */
  readonly start: number;
  readonly end: number;
}

/** A budget that bounds a call. */
export interface BoundingBudget extends CountedBudget {
  /** Millionths of a US dollar. */
  readonly limitMicros: number | null;
  readonly limitCalls: number | null;
  /** The share of a limit from which on it warns, 0 to 1. */
  readonly warnAt: number;
}

/** What became of the room that a call needs. Places are those of the budgets that were given. */
export type Reservation =
  | { readonly kind: 'held'; readonly warns: readonly number[] }
  /** Nobody has filled its counter yet, or Redis has lost it. */
  | { readonly kind: 'unknown'; readonly place: number }
  /** With what is spent and held. */
  | { readonly kind: 'full'; readonly place: number; readonly micros: number; readonly calls: number; readonly isFirst: boolean };

export interface BudgetSpent {
  readonly micros: number;
  readonly calls: number;
  readonly reservedMicros: number;
  readonly reservedCalls: number;
  /** What happened and is told to nobody yet. */
  readonly untold: { readonly warning: boolean; readonly exceeded: boolean };
}

/** What the calls of tenants have spent of their budgets, in Redis, over all gateways. Each method is one atomic step. */
export class BudgetCounts {
  readonly #redis: RedisClient;
  readonly #keys: RedisKeys;

  constructor(redis: RedisClient, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** Holds room for a call in all of its budgets, or in none. Once more for the same job changes nothing. @param call what it costs by its contract, null where that says nothing, and now in epoch ms */
  async reserve(
    tenant: string,
    call: { readonly jobId: string; readonly tool: string; readonly micros: number | null; readonly now: number },
    budgets: readonly BoundingBudget[],
  ): Promise<Reservation> {
    const moreArgs = budgets.flatMap(({ counter, start, end, ...bounds }) => [
      counter,
      start,
      end + keptMs,
      bounds.limitMicros ?? '',
      bounds.limitCalls ?? '',
      ...warningsFrom(bounds),
    ]);
    const { jobId, tool, micros, now } = call;
    const args = { slot: this.#keys.budgetSlot(tenant), jobId, tool, now: Math.floor(now), micros: micros ?? 0, priced: micros !== null };
    const keys = { known: this.#keys.budgetsKnown(tenant), held: this.#keys.budgetsHeld(tenant) };
    const [kind, ...rest] = listOf(await reserve.run(this.#redis, { keys, args, moreArgs }));
    const [place = 0, money, calls, isFirst] = rest.map(Number);
    if (kind === 'unknown') return { kind, place };
    if (kind === 'full') return { kind, place, micros: money ?? 0, calls: calls ?? 0, isFirst: isFirst === 1 };
    return { kind: 'held', warns: rest.map(Number) };
  }

  /** Counts what is held for an ended call: as spent where it ran. @returns whether it was this that did */
  async settle(tenant: string, jobId: string, { ran, micros }: { readonly ran: boolean; readonly micros: number }): Promise<boolean> {
    const args = { slot: this.#keys.budgetSlot(tenant), jobId, ran, micros };
    return (await settle.run(this.#redis, { keys: { held: this.#keys.budgetsHeld(tenant) }, args })) === 1;
  }

  /** Counts what was spent without room that was held for it. Once more for the same job changes nothing. @returns whether it was this that did */
  async count(
    tenant: string,
    { jobId, micros }: { readonly jobId: string; readonly micros: number },
    budgets: readonly BoundingBudget[],
  ): Promise<boolean> {
    const moreArgs = budgets.flatMap(({ counter, start, end, ...bounds }) => [counter, start, end + keptMs, ...warningsFrom(bounds)]);
    const keys = { known: this.#keys.budgetsKnown(tenant), mark: this.#keys.budgetCounted(tenant, jobId) };
    const args = { slot: this.#keys.budgetSlot(tenant), jobId, micros, markMs: countedMs };
    return (await count.run(this.#redis, { keys, args, moreArgs })) === 1;
  }

  /** Begins to count with what the history has of the period, unless somebody has. */
  async fill(tenant: string, budget: CountedBudget, spent: { readonly micros: number; readonly calls: number }): Promise<void> {
    const keys = { known: this.#keys.budgetsKnown(tenant), period: this.#period(tenant, budget) };
    await fill.run(this.#redis, { keys, args: { ...spent, counter: budget.counter, keptUntil: budget.end + keptMs } });
  }

  /** Null where the counter has not been filled. */
  async spent(tenant: string, budget: CountedBudget): Promise<BudgetSpent | null> {
    if ((await this.#redis.hexists(this.#keys.budgetsKnown(tenant), budget.counter)) === 0) return null;
    const [m, c, hm, hc, w, x] = await this.#redis.hmget(this.#period(tenant, budget), 'm', 'c', 'hm', 'hc', 'w', 'x');
    return {
      micros: Number(m ?? 0),
      calls: Number(c ?? 0),
      reservedMicros: Math.max(0, Number(hm ?? 0)),
      reservedCalls: Math.max(0, Number(hc ?? 0)),
      untold: { warning: (w ?? told) !== told, exceeded: (x ?? told) !== told },
    };
  }

  /** Notes that somebody was told, so that nobody is told again. */
  async told(tenant: string, budget: CountedBudget, what: 'warning' | 'exceeded'): Promise<void> {
    await this.#redis.hset(this.#period(tenant, budget), what === 'warning' ? 'w' : 'x', told);
  }

  /** Forgets the counters of a budget that is no more. */
  async forget(tenant: string, budget: CountedBudget): Promise<void> {
    await this.#redis.hdel(this.#keys.budgetsKnown(tenant), budget.counter);
    await this.#redis.del(this.#period(tenant, budget));
  }

  /** Calls for which room is held, some at a time. @param cursor '0' first @returns the next one, '0' at the end, and calls with when they came */
  async held(tenant: string, cursor: string): Promise<{ readonly cursor: string; readonly calls: readonly HeldCall[] }> {
    const [next, flat] = await this.#redis.hscan(this.#keys.budgetsHeld(tenant), cursor, 'COUNT', 200);
    const calls = flat.flatMap((jobId, place) => {
      if (place % 2 === 1) return [];
      return [{ jobId, at: Number(flat[place + 1]?.split(' ')[1] ?? 0) }];
    });
    return { cursor: next, calls };
  }

  #period(tenant: string, { counter, start }: CountedBudget): string {
    return `${this.#keys.budgetSlot(tenant)}${counter}:${start}`;
  }
}

/** A call for which room is held, and when it came, in epoch ms. */
export interface HeldCall {
  readonly jobId: string;
  readonly at: number;
}

/** From how many millionths of a US dollar, and from how many calls on it warns. */
function warningsFrom({ limitMicros, limitCalls, warnAt }: Pick<BoundingBudget, 'limitMicros' | 'limitCalls' | 'warnAt'>) {
  return [limitMicros, limitCalls].map((limit) => (limit === null ? '' : Math.ceil(limit * warnAt)));
}

const told = 'told';
