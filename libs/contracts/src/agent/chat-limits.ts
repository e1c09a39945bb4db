import type { Tier } from '../scopes.js';

export interface ChatLimits {
  /** Conversations a day; null is no limit. */
  readonly conversations: number | null;
  /** Tokens a day, of question and answer together; null is no limit. */
  readonly tokens: number | null;
}

/** What a user of each tier may use in a day (VL-21…23). */
export const chatLimits: Readonly<Record<Tier, ChatLimits>> = {
  free: { conversations: 10, tokens: 50_000 },
  pro: { conversations: 100, tokens: 500_000 },
  vip: { conversations: null, tokens: null },
};
