import { principal, Refusal, type Caller, type Tier } from '#lib/contracts';
import { type CallCounts, metric } from '#lib/transport';
import type { GatewaySettings } from '../config.js';

const daySeconds = 86_400;

type LimitSettings = Pick<GatewaySettings, `RATE_LIMIT_${Uppercase<Tier>}` | `TOOL_QUOTA_${Uppercase<Tier>}`>;

interface Bounds {
  readonly perSecond: number;
  readonly perDay: number;
}

/** Calls a second of a credential and calls a day of a user, over all doors and gateways together. */
export class Limits {
  readonly #counts: CallCounts;
  readonly #bounds: Readonly<Record<Tier, Bounds>>;

  constructor(counts: CallCounts, settings: LimitSettings) {
    this.#counts = counts;
    this.#bounds = {
      free: { perSecond: settings.RATE_LIMIT_FREE, perDay: settings.TOOL_QUOTA_FREE },
      pro: { perSecond: settings.RATE_LIMIT_PRO, perDay: settings.TOOL_QUOTA_PRO },
      vip: { perSecond: settings.RATE_LIMIT_VIP, perDay: settings.TOOL_QUOTA_VIP },
    };
  }

  /** Counts one call. Throws RATE_LIMITED or QUOTA_EXCEEDED; whatever throws has counted nothing. */
  async spend(caller: Caller, now = new Date()): Promise<void> {
    const bounds = this.#bounds[caller.tier];
    const spending = await this.#counts.spend({ ...dayOf(caller, now), credentialId: caller.credentialId }, bounds);
    if (spending.kind === 'rate') throw rateLimited(bounds.perSecond, spending.retryAfterMs);
    if (spending.kind === 'quota') throw quotaExceeded(bounds.perDay, now);
  }

  /** Gives the day's point back for a call that was never run. */
  async refund(caller: Caller, now = new Date()): Promise<void> {
    await this.#counts.refund(dayOf(caller, now));
  }
}

function dayOf(caller: Caller, now: Date): { readonly principal: string; readonly day: string } {
  return { principal: principal(caller), day: now.toISOString().slice(0, 10) };
}

function rateLimited(limit: number, retryAfterMs: number): Refusal {
  metric.shedCalls.inc({ reason: 'RATE_LIMITED' });
  const extra = { limit, window_seconds: 1, resets_in_seconds: Math.ceil(retryAfterMs / 1_000) };
  return new Refusal('RATE_LIMITED', `More than ${limit} calls a second with this credential`, { retry_after_ms: retryAfterMs, extra });
}

function quotaExceeded(limit: number, now: Date): Refusal {
  metric.shedCalls.inc({ reason: 'QUOTA_EXCEEDED' });
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  const extra = {
    limit,
    window_seconds: daySeconds,
    resets_at: new Date(midnight).toISOString(),
    resets_in_seconds: Math.ceil((midnight - now.getTime()) / 1_000),
  };
  return new Refusal('QUOTA_EXCEEDED', `The plan allows ${limit} tool calls a day and they are used up`, { extra });
}
