import type { PausedBy } from '#lib/contracts';
import { decode, type Ending, type CallHead, type RetriesUsed } from './codec.js';
import { listOf, type ScriptReply } from '../redis/script.js';
import type { Sealer } from './sealing.js';

/** What a worker finds when it takes an invocation up. */
export type BeginResult =
  | {
      readonly kind: 'begun';
      readonly head: CallHead;
      readonly attempt: number;
      readonly startedAt: number;
      readonly spent: RetriesUsed;
      /** Of a call that has rested, as its end has them. */
      readonly rested: Pick<Ending, 'restedMs' | 'readyAt'>;
      /** How many steps earlier attempts have kept. */
      readonly steps: number;
      /** What earlier attempts have reported as their costs, in millionths of a US dollar. */
      readonly reportedMicros: number;
      /** The model that they asked last; null where they asked none. */
      readonly model: string | null;
    }
  | { readonly kind: 'expired'; readonly head: CallHead }
  /** It must wait. `attempt`: the last that began, or 0. */
  | { readonly kind: 'paused'; readonly head: CallHead; readonly attempt: number; readonly pause: PausedBy }
  | { readonly kind: 'ended' }
  /** No such record, or one that nobody with our keys wrote. */
  | { readonly kind: 'unknown' };

/** An attempt that has begun. */
export type BegunAttempt = Extract<BeginResult, { kind: 'begun' }>;

/** The reply of the script `begin`. */
export function toBeginResult(jobId: string, reply: ScriptReply, sealer: Pick<Sealer, 'verify'>): BeginResult {
  const [kind, head, mac, ...of] = listOf(reply);
  if (kind === 'ended') return { kind };
  if (typeof head !== 'string' || typeof mac !== 'string' || !sealer.verify(jobId + head, mac)) return { kind: 'unknown' };
  const decoded = decode.signedHead(head);
  if (kind === 'expired') return { kind, head: decoded };
  if (kind === 'paused') {
    const [attempt, id, name, why] = of;
    return { kind, head: decoded, attempt: Number(attempt), pause: { id: String(id), name: String(name), why: String(why) } };
  }
  const [attempt, startedAt, spent, restedMs, readyAt, steps, reported, model] = of;
  const rested = { ...(restedMs && { restedMs: Number(restedMs) }), ...(readyAt && { readyAt: Number(readyAt) }) };
  return {
    kind: 'begun',
    head: decoded,
    attempt: Number(attempt),
    startedAt: Number(startedAt),
    spent: decode.spent(String(spent)),
    rested,
    // The first attempt of a call that a turn takes has none of these.
    steps: Number(steps ?? 0),
    reportedMicros: Number(reported ?? 0),
    model: model ? String(model) : null,
  };
}
