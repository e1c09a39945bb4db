import { toPastTurn, toStoredSteps, type ConversationStore } from '#lib/conversations';
import type { WorkerInfrastructure } from '#lib/worker';
import { z } from 'zod';

/** Where a turn is stored: the database for users, Redis for guests. */
export type TurnStore = Pick<ConversationStore, 'begin' | 'history' | 'end'>;

/** A guest's conversation ends an hour after its last message. */
const sessionMs = 3_600_000;
const maxTurns = 20;
const storedTurn = z.object({ id: z.string(), message: z.string(), content: z.string(), steps: z.unknown() });

/** A guest's conversation is in Redis for as long as the guest's session, and nowhere else (C-63). */
export function guestTurnStore({ redis, keys }: Pick<WorkerInfrastructure, 'redis' | 'keys'>): TurnStore {
  const messages = new Map<string, string>();
  return {
    begin: async ({ jobId }, message) => {
      messages.set(jobId, message);
      return true;
    },
    history: async ({ conversationId }) => {
      const texts = await redis.lrange(keys.guestTurns(conversationId), 0, -1);
      return texts.map((text) => toPastTurn(storedTurn.parse(JSON.parse(text)))).filter((turn) => turn !== null);
    },
    end: async ({ conversationId, jobId }, { content, steps }) => {
      const message = messages.get(jobId) ?? '';
      messages.delete(jobId);
      const key = keys.guestTurns(conversationId);
      const turn = JSON.stringify({ id: jobId, message, content, steps: toStoredSteps(steps) });
      await redis.multi().rpush(key, turn).ltrim(key, -maxTurns, -1).pexpire(key, sessionMs).exec();
    },
  };
}
