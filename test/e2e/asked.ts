// What outside servers ask of the client behind a call, and how a call rests meanwhile.
import { z } from 'zod';

export const prompt = 'Say a word about the sea';
export const page = 'https://shop.example/pay?order=7';

export const sampling = {
  method: 'sampling/createMessage' as const,
  params: { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }], maxTokens: 10 },
};
export const elicitation = {
  method: 'elicitation/create' as const,
  params: { mode: 'url' as const, message: 'Pay there', url: page, elicitationId: 'own' },
};

/** The answer to a call that asks something. */
export const resting = z.looseObject({
  rest: z.looseObject({ reason: z.literal('question'), input_request: z.string() }),
  job_id: z.string(),
});
