import { Injectable } from '@nestjs/common';
import { chatLimits, principal, type Caller, type Usage } from '#lib/contracts';
import { CallCounts, QuotaTracker } from '#lib/transport';
import { CallHistory } from './call-history.js';
import { boundsOf } from '../calls/limits.js';
import { Stores } from '../stores.js';

const dayMs = 24 * 3_600_000;
const shownDays = 7;

/** What a caller has used of what it may use, over all gateways: calls that have ended from the history, the rest as the limits count it. */
@Injectable()
export class UsageReader {
  constructor(
    private readonly stores: Stores,
    private readonly counts: CallCounts,
    private readonly ended: CallHistory,
    private readonly chat: QuotaTracker,
  ) {}

  async of(caller: Caller, now = new Date()): Promise<Usage> {
    const { counts, ended, chat } = this;
    const { settings } = this.stores;
    const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
    const days = Array.from({ length: shownDays }, (_, index) => new Date(today - index * dayMs).toISOString().slice(0, 10));
    const [counted, used, talk] = await Promise.all([
      counts.ofDays(principal(caller), days),
      ended.ofDays(caller, days),
      chat.usage(caller),
    ]);
    const bounds = boundsOf(settings)[caller.tier];
    const limits = chatLimits[caller.tier];
    return {
      tenant_id: caller.tenantId,
      user_id: caller.userId,
      tier: caller.tier,
      calls: {
        days: days.map((day, index) => {
          const ran = used.get(day) ?? 0;
          return { day, used: ran, reserved: Math.max(0, (counted[index] ?? 0) - ran) };
        }),
        limit: bounds.perDay,
        resets_at: new Date(today + dayMs).toISOString(),
      },
      rate_limit: bounds.perSecond,
      chat: {
        conversations: { used: talk.conversations, limit: limits.conversations },
        tokens: { used: talk.tokens, limit: limits.tokens },
        resets_at: talk.resetsAt.toISOString(),
      },
    };
  }
}
