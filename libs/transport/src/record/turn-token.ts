// The authority of a chat turn: a credential that the worker makes of the signed head that it runs, for calls of tools at the
// gateway as the user. It is never stored, ends with the turn, and carries the rights of the caller and no others.
import { z } from 'zod';
import type { Caller } from '#lib/contracts';
import { callerSchema } from './codec.js';
import type { Sealer } from './sealing.js';

const prefix = 'turn_';
const payload = z.object({
  jobId: z.string(),
  caller: callerSchema,
  /** Workers of the version before leave it out. */
  conversationId: z.string().optional(),
  expiresAt: z.number(),
});

export interface TurnAuthority {
  readonly jobId: string;
  readonly caller: Caller;
  readonly conversationId?: string | undefined;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export function isTurnToken(credential: string): boolean {
  return credential.startsWith(prefix);
}

export function mintTurnToken(sealer: Sealer, authority: TurnAuthority): string {
  const body = Buffer.from(JSON.stringify(authority)).toString('base64url');
  return `${prefix}${body}~${sealer.sign(signed(body))}`;
}

/** The authority of a token that we signed and whose time is not over; null for anything else. */
export function readTurnToken(sealer: Sealer, token: string, now = Date.now()): TurnAuthority | null {
  const [, body, signature] = /^turn_([A-Za-z0-9_-]{1,6000})~([A-Za-z0-9_.-]{1,200})$/.exec(token) ?? [];
  if (!body || !signature || !sealer.verify(signed(body), signature)) return null;
  const parsed = payload.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
  return parsed.success && parsed.data.expiresAt > now ? parsed.data : null;
}

/** No head begins like this, so neither signature can stand for the other. */
function signed(body: string): string {
  return `turn\n${body}`;
}
