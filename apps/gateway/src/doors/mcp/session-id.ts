import { randomUUID } from 'node:crypto';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** What a server may ask its client for; everything else that a client declares is left out. */
const askable = z.object({
  sampling: z.object({ context: z.object({}).optional(), tools: z.object({}).optional() }).optional(),
  elicitation: z.object({ form: z.object({}).optional(), url: z.object({}).optional() }).optional(),
  roots: z.object({}).optional(),
});
export type Askable = z.infer<typeof askable>;

/**
 * The session id for the answer to an `initialize`; null for any other body. It is a name, and says what the client can be asked for,
 * because a client of the older revisions says it once and the next message may come to another gateway. It is not signed: whoever
 * changes it is asked for what they cannot answer.
 */
export function newSessionId(body: unknown): string | null {
  if (!isInitializeRequest(body)) return null;
  const declared = askable.safeParse(body.params.capabilities).data ?? {};
  const name = randomUUID();
  return Object.keys(declared).length === 0 ? name : `${name}.${Buffer.from(JSON.stringify(declared)).toString('base64url')}`;
}

/** What the client of this session can be asked for; null when that is nothing, or the id is none of ours. */
export function askableIn(sessionId: unknown): Askable | null {
  const [, declared] = typeof sessionId === 'string' ? sessionId.split('.') : [];
  if (!declared) return null;
  try {
    return askable.safeParse(JSON.parse(Buffer.from(declared, 'base64url').toString())).data ?? null;
  } catch {
    return null;
  }
}
