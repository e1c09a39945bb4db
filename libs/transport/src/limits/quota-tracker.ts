import type { RedisClient } from '../redis/redis-client.js';
import { chatQuotaSubject, countedCallers, principal, type Caller, type ChatLimits } from '#lib/contracts';
import type { RedisKeys } from '../redis/redis-keys.js';
import { spendChat } from '../scripts/spend-chat.js';

export interface ChatUsage {
  readonly conversations: number;
  readonly tokens: number;
  /** When the day ends. */
  readonly resetsAt: Date;
}

/** Who is counted: a user, a tenant's key, or a guest, who is counted by address. */
type Counted = Pick<Caller, 'tenantId' | 'userId' | 'credentialId' | 'actor'>;

/** Longer than the longest day (25 hours), so that a count outlives its own day. */
const countLifeMs = 2 * 24 * 3_600_000;

interface TrackerParts {
  readonly redis: RedisClient;
  readonly keys: RedisKeys;
  /** IANA time zone whose midnight begins a day. */
  readonly timeZone: string;
  readonly now?: () => Date;
}

/** Conversations and tokens of each user by day (VL-20): checked and counted at entry, tokens recorded as they are used. */
export class QuotaTracker {
  readonly #parts: Required<TrackerParts>;

  constructor(parts: TrackerParts) {
    this.#parts = { now: () => new Date(), ...parts };
  }

  /**
   * Counts one conversation of this one alone, or says which limit is reached. The turn that passes the token limit is let finish (C-56).
   */
  async check(who: Counted, limits: ChatLimits, at = this.#parts.now()): Promise<'ok' | 'conversations' | 'tokens'> {
    const args = { maxConversations: limits.conversations ?? -1, maxTokens: limits.tokens ?? -1, lifeMs: countLifeMs };
    const reached = await spendChat.run(this.#parts.redis, { keys: { counts: this.#key(who, at) }, args });
    return reached === 'conversations' || reached === 'tokens' ? reached : 'ok';
  }

  /** Adds used tokens: to a key that acts for a user, and to the user. */
  async record(who: Counted, tokens: number): Promise<void> {
    const adding = this.#parts.redis.multi();
    for (const one of countedCallers(who)) {
      const key = this.#key(one, this.#parts.now());
      adding.hincrby(key, 'tokens', tokens).pexpire(key, countLifeMs);
    }
    await adding.exec();
  }

  /**
   * Gives a conversation back that failed before anything was said, for a fault of ours: to a key that acts for a user, and to the user.
   * @param at when it was counted: its day may be over
   */
  async refund(who: Counted, at: Date): Promise<void> {
    for (const one of countedCallers(who)) await this.#parts.redis.hincrby(this.#key(one, at), 'conversations', -1);
  }

  async usage(who: Counted): Promise<ChatUsage> {
    const [conversations, tokens] = await this.#parts.redis.hmget(this.#key(who, this.#parts.now()), 'conversations', 'tokens');
    const used = { conversations: Math.max(0, Number(conversations ?? 0)), tokens: Number(tokens ?? 0) };
    return { ...used, resetsAt: endOfDay(this.#parts.now(), this.#parts.timeZone) };
  }

  #key(who: Counted, at: Date): string {
    return this.#parts.keys.chatCounts(dayOf(at, this.#parts.timeZone), principal(chatQuotaSubject(who)));
  }
}

/** Made once a zone: making one costs more than all else that a count needs. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** The date in a zone, YYYY-MM-DD. */
export function dayOf(at: Date, timeZone: string): string {
  const known = formats.get(timeZone);
  const format = known ?? new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  if (!known) formats.set(timeZone, format);
  return format.format(at);
}

/** The first instant of the next day of a zone: found by halving, as days may have 23 or 25 hours. */
export function endOfDay(at: Date, timeZone: string): Date {
  const today = dayOf(at, timeZone);
  let [inside, outside] = [at.getTime(), at.getTime() + 26 * 3_600_000];
  while (outside - inside > 1) {
    const middle = Math.floor((inside + outside) / 2);
    if (dayOf(new Date(middle), timeZone) === today) inside = middle;
    else outside = middle;
  }
  return new Date(outside);
}
