// A client that says no to a question of an outside server. The SDK ends the call at that, but its server is to hear of it and go on: so the no is
// carried past the SDK in an answer.
import type { JSONRPCResponse } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** Marks a request of ours that relays one of an outside server. */
export const relayedMark = 'invoq/relayed';
const refused = 'invoq/refused';

const nothing = {
  'sampling/createMessage': { role: 'assistant', model: '', content: { type: 'text', text: '' } },
  'roots/list': { roots: [] },
  'elicitation/create': { action: 'decline' },
} as const;

const request = z.looseObject({
  method: z.enum(['sampling/createMessage', 'roots/list', 'elicitation/create']),
  params: z.looseObject({ _meta: z.looseObject({ [relayedMark]: z.literal(true) }) }),
});
const error = z.looseObject({ error: z.looseObject({ message: z.string() }) });
const marked = z.looseObject({ _meta: z.looseObject({ [refused]: z.string() }) });

/** The answer as it came, unless it is an error to a request that relays. @param asked the request */
export function withRefusal(asked: object, answer: JSONRPCResponse): JSONRPCResponse {
  const ours = request.safeParse(asked).data;
  const said = error.safeParse(answer).data;
  if (!ours || !said || answer.id === undefined) return answer;
  return { jsonrpc: '2.0', id: answer.id, result: { ...nothing[ours.method], _meta: { [refused]: said.error.message } } };
}

/** What a client said in place of an answer; null for an answer. */
export function refusalIn(content: unknown): string | null {
  return marked.safeParse(content).data?._meta[refused] ?? null;
}
