import { randomFillSync } from 'node:crypto';
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
  const name = timedUuid(Date.now());
  return Object.keys(declared).length === 0 ? name : `${name}.${Buffer.from(JSON.stringify(declared)).toString('base64url')}`;
}

/** When this session began, in epoch milliseconds; null for an id that does not say it. */
export function sessionStart(sessionId: unknown): number | null {
  const [, high = '', low = ''] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(typeof sessionId === 'string' ? sessionId : '') ?? [];
  return high === '' ? null : Number.parseInt(high + low, 16);
}

/** A UUID of version 7, whose first 48 bits are the time. */
function timedUuid(now: number): string {
  const bytes = randomFillSync(Buffer.alloc(16));
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
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
