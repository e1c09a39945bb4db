import { z } from 'zod';
import type { WorkerInfrastructure } from '#lib/worker';
import { pastTurns, storable, type TurnStore } from './turn-store.js';

/** How long after the last message a guest's conversation is remembered. */
const sessionMs = 3_600_000;
const keptTurns = 20;
const stored = z.object({ id: z.string(), message: z.string(), content: z.string(), steps: z.unknown() });

/** A guest's conversation lives in Redis, for the guest's session, and nowhere else (C-63). */
export function guestTurns({ redis, keys }: Pick<WorkerInfrastructure, 'redis' | 'keys'>): TurnStore {
  const messages = new Map<string, string>();
  return {
    begin: async ({ jobId }, message) => void messages.set(jobId, message),
    history: async ({ conversationId }) => {
      const texts = await redis.lrange(keys.guestTurns(conversationId), 0, -1);
      return pastTurns(texts.map((text) => stored.parse(JSON.parse(text))));
    },
    end: async ({ conversationId, jobId }, { content, steps }) => {
      const message = messages.get(jobId) ?? '';
      messages.delete(jobId);
      const key = keys.guestTurns(conversationId);
      const turn = JSON.stringify({ id: jobId, message, content, steps: storable(steps) });
      await redis.multi().rpush(key, turn).ltrim(key, -keptTurns, -1).pexpire(key, sessionMs).exec();
    },
  };
}
