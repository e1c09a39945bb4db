import { chatLimits, principal, type Caller, type Usage } from '#lib/contracts';
import type { CallCounts, QuotaTracker } from '#lib/transport';
import { boundsOf, type LimitSettings } from '../calls/limits.js';

const dayMs = 24 * 3_600_000;
const shownDays = 7;

interface UsageParts {
  readonly counts: Pick<CallCounts, 'ofDays'>;
  readonly chat: Pick<QuotaTracker, 'usage'>;
  readonly settings: LimitSettings;
}

/** What a caller has used of what it may use: as the limits count it, over all gateways. */
export class UsageReader {
  readonly #parts: UsageParts;

  constructor(parts: UsageParts) {
    this.#parts = parts;
  }

  async of(caller: Caller, now = new Date()): Promise<Usage> {
    const { counts, chat, settings } = this.#parts;
    const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
    const days = Array.from({ length: shownDays }, (_, index) => new Date(today - index * dayMs).toISOString().slice(0, 10));
    const [used, talk] = await Promise.all([counts.ofDays(principal(caller), days), chat.usage(caller)]);
    const bounds = boundsOf(settings)[caller.tier];
    const limits = chatLimits[caller.tier];
    return {
      tenant_id: caller.tenantId,
      user_id: caller.userId,
      tier: caller.tier,
      calls: {
        days: days.map((day, index) => ({ day, used: used[index] ?? 0 })),
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
