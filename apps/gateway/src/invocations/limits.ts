import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { principal, Refusal, type Caller, type Tier } from '#lib/contracts';
import { metric } from '#lib/platform';
import { opaque, type Keys } from '#lib/transport';
import type { GatewaySettings } from '../config.js';

const daySeconds = 86_400;

/** Calls a second of a credential and calls a day of a user, over all doors and gateways together. */
export class Limits {
  readonly #rate: Readonly<Record<Tier, RateLimiterRedis>>;
  readonly #quota: Readonly<Record<Tier, RateLimiterRedis>>;

  constructor(redis: Redis, keys: Keys, settings: GatewaySettings) {
    const limiter = (name: string, points: number, duration: number) =>
      new RateLimiterRedis({ storeClient: redis, keyPrefix: keys.limiter(name), points, duration, rejectIfRedisNotReady: true });
    this.#rate = {
      free: limiter('rate', settings.RATE_LIMIT_FREE, 1),
      pro: limiter('rate', settings.RATE_LIMIT_PRO, 1),
      vip: limiter('rate', settings.RATE_LIMIT_VIP, 1),
    };
    this.#quota = {
      free: limiter('quota', settings.TOOL_QUOTA_FREE, daySeconds),
      pro: limiter('quota', settings.TOOL_QUOTA_PRO, daySeconds),
      vip: limiter('quota', settings.TOOL_QUOTA_VIP, daySeconds),
    };
  }

  /** Counts one call. Throws RATE_LIMITED or QUOTA_EXCEEDED; whatever throws has counted nothing that matters. */
  async spend(caller: Caller, now = new Date()): Promise<void> {
    const day = now.toISOString().slice(0, 10);
    // Both are asked in one round trip; a rejected rate gives its quota point back.
    const [rate, quota] = await Promise.allSettled([
      this.#rate[caller.tier].consume(opaque(caller.credentialId)),
      this.#quota[caller.tier].consume(`${day}:${opaque(principal(caller))}`),
    ]);
    if (rate.status === 'rejected') {
      if (quota.status === 'fulfilled') await this.refund(caller, now);
      throw rateLimited(rate.reason, this.#rate[caller.tier].points);
    }
    if (quota.status === 'rejected') throw quotaExceeded(quota.reason, this.#quota[caller.tier].points, now);
  }

  /** Gives the day's point back for a call that was never run. */
  async refund(caller: Caller, now = new Date()): Promise<void> {
    await this.#quota[caller.tier].reward(`${now.toISOString().slice(0, 10)}:${opaque(principal(caller))}`);
  }
}

/** A fault of Redis stays what it is. */
function rateLimited(reason: unknown, limit: number): unknown {
  if (!(reason instanceof RateLimiterRes)) return reason;
  metric.shedCalls.inc({ reason: 'RATE_LIMITED' });
  const retryAfterMs = Math.max(1, reason.msBeforeNext);
  const extra = { limit, window_seconds: 1, resets_in_seconds: Math.ceil(retryAfterMs / 1_000) };
  return new Refusal('RATE_LIMITED', `More than ${limit} calls a second with this credential`, { retry_after_ms: retryAfterMs, extra });
}

function quotaExceeded(reason: unknown, limit: number, now: Date): unknown {
  if (!(reason instanceof RateLimiterRes)) return reason;
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
