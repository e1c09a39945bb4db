import { Inject, Injectable } from '@nestjs/common';
import { countedCallers, principal, Refusal, type Caller, type Tier } from '#lib/contracts';
import { utcDay } from '#lib/platform';
import { CallCounts, Metrics, type CallBounds, type Counted } from '#lib/transport';
import type { GatewaySettings } from '../config.js';
import { Stores } from '../stores.js';
import { CallLeases } from './call-leases.js';

const daySeconds = 86_400;

export type LimitSettings = Pick<GatewaySettings, `RATE_LIMIT_${Uppercase<Tier>}` | `TOOL_QUOTA_${Uppercase<Tier>}`>;

/**
 * Calls a second of a credential and calls a day of a user, over all doors and gateways together. A key that acts for a user is
 * counted as itself too, by its own tier: users that it invents give it no more calls.
 */
@Injectable()
export class Limits {
  readonly #leases: CallLeases;
  readonly #bounds: Readonly<Record<Tier, CallBounds>>;

  constructor(
    counts: CallCounts,
    @Inject(Stores) private readonly stores: { readonly settings: LimitSettings; readonly metrics: Pick<Metrics, 'shedCalls'> },
  ) {
    this.#leases = new CallLeases(counts);
    this.#bounds = boundsOf(stores.settings);
  }

  /** Counts one call. Throws RATE_LIMITED or QUOTA_EXCEEDED; whatever throws has counted nothing. */
  async spend(caller: Caller, now: Date): Promise<void> {
    // Nearly always it is counted ahead.
    if (this.spendAtOnce(caller, now)) return;
    const spent: Caller[] = [];
    try {
      for (const one of countedCallers(caller)) {
        await this.#spend(one, now);
        spent.push(one);
      }
    } catch (error) {
      for (const one of spent) await this.#leases.refund(countedAs(one, now));
      throw error;
    }
  }

  /** Counts one call of somebody who acts for nobody, where that needs no look at the store. False where it does: then nothing is counted. */
  spendAtOnce(caller: Caller, now: Date): boolean {
    return !caller.actor && this.#leases.spendAtOnce(countedAs(caller, now), this.#bounds[caller.tier]);
  }

  /** Gives the day's point back for a call that was never run. @param spentAt as given to `spend`: its day may be over */
  async refund(caller: Caller, spentAt: Date): Promise<void> {
    for (const one of countedCallers(caller)) await this.#leases.refund(countedAs(one, spentAt));
  }

  /** Gives back what was counted ahead, when the gateway stops. */
  async stop(): Promise<void> {
    await this.#leases.stop();
  }

  async #spend(caller: Caller, now: Date): Promise<void> {
    const bounds = this.#bounds[caller.tier];
    const spending = await this.#leases.spend(countedAs(caller, now), bounds);
    if (spending.kind !== 'spent')
      this.stores.metrics.shedCalls.inc({ reason: spending.kind === 'rate' ? 'RATE_LIMITED' : 'QUOTA_EXCEEDED' });
    if (spending.kind === 'rate') throw rateLimited(bounds.perSecond, spending.retryAfterMs);
    if (spending.kind === 'quota') throw quotaExceeded(bounds.perDay, now);
  }
}

/** What a caller of each tier may call. */
export function boundsOf(settings: LimitSettings): Readonly<Record<Tier, CallBounds>> {
  return {
    free: { perSecond: settings.RATE_LIMIT_FREE, perDay: settings.TOOL_QUOTA_FREE },
    pro: { perSecond: settings.RATE_LIMIT_PRO, perDay: settings.TOOL_QUOTA_PRO },
    vip: { perSecond: settings.RATE_LIMIT_VIP, perDay: settings.TOOL_QUOTA_VIP },
  };
}

function countedAs(caller: Caller, now: Date): Counted {
  return { principal: principal(caller), credentialId: caller.credentialId, day: utcDay(now) };
}

function rateLimited(limit: number, retryAfterMs: number): Refusal {
  const extra = { limit, window_seconds: 1, resets_in_seconds: Math.ceil(retryAfterMs / 1_000) };
  return new Refusal('RATE_LIMITED', `More than ${limit} calls a second with this credential`, { retry_after_ms: retryAfterMs, extra });
}

function quotaExceeded(limit: number, now: Date): Refusal {
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  const extra = {
    limit,
    window_seconds: daySeconds,
    resets_at: new Date(midnight).toISOString(),
    resets_in_seconds: Math.ceil((midnight - now.getTime()) / 1_000),
  };
  return new Refusal('QUOTA_EXCEEDED', `The plan allows ${limit} tool calls a day and they are used up`, { extra });
}
