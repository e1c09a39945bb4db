import { toPastTurn, toStoredSteps, type ConversationStore } from '#lib/conversations';
import type { WorkerInfrastructure } from '#lib/worker';
import { z } from 'zod';

/** Where a turn is stored: the database for users, Redis for guests. */
export type TurnStore = Pick<ConversationStore, 'begin' | 'takeBack' | 'history' | 'end'>;

/** A guest's conversation ends an hour after its last message. */
const sessionMs = 3_600_000;
const maxTurns = 20;
const storedTurn = z.object({
  id: z.string(),
  message: z.string(),
  content: z.string(),
  steps: z.unknown(),
  state: z.enum(['completed', 'failed', 'stopped']).optional(),
});

/**
 * A guest's conversation is in Redis for as long as the guest's session, and nowhere else (C-63). Its key holds the guest and the id, so
 * a guest who sends another guest's conversation id has a conversation of his own.
 */
export function guestTurnStore({ redis, keys }: Pick<WorkerInfrastructure, 'redis' | 'keys'>): TurnStore {
  const messages = new Map<string, string>();
  const read = async (key: string) => {
    const texts = await redis.lrange(key, 0, -1);
    return texts.map((text) => ({ text, turn: storedTurn.parse(JSON.parse(text)) }));
  };
  return {
    begin: async ({ jobId }, message) => {
      messages.set(jobId, message);
      return true;
    },
    // A guest deletes nothing.
    takeBack: async () => undefined,
    history: async ({ owner, conversationId, jobId }) =>
      (await read(keys.guestTurns(owner, conversationId))).flatMap(({ turn }) => (turn.id === jobId ? [] : (toPastTurn(turn) ?? []))),
    end: async ({ owner, conversationId, jobId }, { content, steps, state }) => {
      const message = messages.get(jobId) ?? '';
      messages.delete(jobId);
      const key = keys.guestTurns(owner, conversationId);
      // An earlier attempt at the same turn may have stored its end. A complete answer stays.
      const earlier = (await read(key)).find(({ turn }) => turn.id === jobId);
      if (earlier?.turn.state === 'completed' && state !== 'completed') return;
      const transaction = redis.multi();
      if (earlier) transaction.lrem(key, 0, earlier.text);
      const turn = JSON.stringify({ id: jobId, message, content, steps: toStoredSteps(steps), state });
      await transaction.rpush(key, turn).ltrim(key, -maxTurns, -1).pexpire(key, sessionMs).exec();
    },
  };
}
