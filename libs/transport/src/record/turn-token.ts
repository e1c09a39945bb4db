// The authority of a chat turn, or of a call that runs code: a credential that the worker makes of the signed head that it runs, for calls of tools
// at the gateway as the user. It is never stored, ends with the turn, and carries the rights of the caller and no others.
import { z } from 'zod';
import type { Caller } from '#lib/contracts';
import { callerSchema } from './codec.js';
import type { Sealer } from './sealing.js';

const payload = z.object({
  jobId: z.string(),
  caller: callerSchema,
  /** Workers of the version before leave it out. */
  conversationId: z.string().optional(),
  expiresAt: z.number(),
});

/** Whose calls they are: of a chat turn, or of code that a model wrote. A gateway of the version before knows no such code, and refuses its calls. */
type TurnKind = 'turn' | 'code';

export interface TurnAuthority {
  /** Default: `turn`. */
  readonly kind?: TurnKind;
  readonly jobId: string;
  readonly caller: Caller;
  readonly conversationId?: string | undefined;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export function isTurnToken(credential: string): boolean {
  return /^(turn|code)_/.test(credential);
}

export function mintTurnToken(sealer: Sealer, { kind = 'turn', ...authority }: TurnAuthority): string {
  const body = Buffer.from(JSON.stringify(authority)).toString('base64url');
  return `${kind}_${body}~${sealer.sign(signed(kind, body))}`;
}

/** The authority of a token that we signed and whose time is not over; null for anything else. */
export function readTurnToken(sealer: Sealer, token: string, now = Date.now()): TurnAuthority | null {
  const [, asked, body, signature] = /^(turn|code)_([A-Za-z0-9_-]{1,6000})~([A-Za-z0-9_.-]{1,200})$/.exec(token) ?? [];
  const kind: TurnKind = asked === 'code' ? 'code' : 'turn';
  if (!body || !signature || !sealer.verify(signed(kind, body), signature)) return null;
  const parsed = payload.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
  if (!parsed.success || parsed.data.expiresAt <= now) return null;
  return { ...(kind === 'code' && { kind }), ...parsed.data };
}

/** No head begins like this, so neither signature can stand for the other. */
function signed(kind: TurnKind, body: string): string {
  return `${kind}\n${body}`;
}
