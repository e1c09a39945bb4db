import { Inject, Injectable } from '@nestjs/common';
import { chatLimits, countedCallers, isGuest, Refusal, type Caller, type ChatLimits } from '#lib/contracts';
import { QuotaTracker } from '#lib/transport';
import { Stores } from '../../stores.js';

const used = { conversations: '今日对话次数已用完', tokens: '今日 Token 用量已用完' } as const;

/** What a chat may cost: a user's by tier, a guest's by address. A key that acts for a user is counted too, by its own tier. */
@Injectable()
export class ChatQuota {
  readonly #guestLimits: ChatLimits;

  constructor(
    private readonly tracker: QuotaTracker,
    @Inject(Stores) { settings }: { readonly settings: Pick<Stores['settings'], 'GUEST_CHATS_PER_DAY'> },
  ) {
    this.#guestLimits = { conversations: settings.GUEST_CHATS_PER_DAY, tokens: chatLimits.free.tokens };
  }

  /** Counts one conversation. Throws QUOTA_EXCEEDED, and has counted nothing then. */
  async check(caller: Caller, at: Date): Promise<void> {
    const callers = countedCallers(caller);
    const counts = await Promise.allSettled(callers.map((one) => this.#check(one, at)));
    const refused = counts.find((count) => count.status === 'rejected');
    if (!refused) return;
    const counted = callers.filter((_, index) => counts[index]?.status === 'fulfilled');
    // Each alone: a refund to one that acts for a user gives to both.
    for (const one of counted) await this.tracker.refund({ ...one, actor: undefined }, at);
    throw refused.reason;
  }

  async #check(caller: Caller, at: Date): Promise<void> {
    const limits = isGuest(caller) ? this.#guestLimits : chatLimits[caller.tier];
    const said = await this.tracker.check(caller, limits, at);
    if (said === 'ok') return;
    const { resetsAt } = await this.tracker.usage(caller);
    throw new Refusal('QUOTA_EXCEEDED', used[said], {
      native_code: 'quota_exceeded',
      extra: { tier: caller.tier, limit: limits[said], resets_at: resetsAt.toISOString() },
    });
  }

  /** @param at as given to `check` */
  async refund(caller: Caller, at: Date): Promise<void> {
    await this.tracker.refund(caller, at);
  }

  /** Limits are null where there are none. */
  async shown(caller: Caller): Promise<object> {
    const limits = chatLimits[caller.tier];
    const { conversations, tokens, resetsAt } = await this.tracker.usage(caller);
    return {
      tier: caller.tier,
      conversations: { used: conversations, limit: limits.conversations },
      tokens: { used: tokens, limit: limits.tokens },
      resets_at: resetsAt.toISOString(),
    };
  }
}
