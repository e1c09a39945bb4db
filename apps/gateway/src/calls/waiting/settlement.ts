import { acceptedWithinMs, type CallRecord } from '#lib/transport';
import type { InputRow } from './input-row.js';
import type { Settlement } from './input-store.js';

/** What a request is after each action. */
export const stateAfter = { accept: 'accepted', decline: 'declined', cancel: 'cancelled' } as const;

/** A call that ended while it rested, and nobody said so. */
function cancelledAtRest({ by, at, reason }: { readonly by: string | null; readonly at: number; readonly reason: string }): Settlement {
  return { state: 'cancelled', by, at, reason };
}

/** What the record of a call says of its input request. `unknown`: the call was never accepted. */
export type Found =
  | { readonly kind: 'open'; readonly lookAt: number }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'settled'; readonly as: Settlement };

/** After the end of a rest, until somebody has ended the call. */
const soonMs = 1_000;
const laterMs = 60_000;

/**
 * What became of an input request, by the record of its call, which is the one word on it.
 * @param now epoch ms
 */
export function settlementOf(row: InputRow, record: CallRecord | null, now: number): Found {
  const expiresAt = row.expiresAt.getTime();
  if (!record) return withoutRecord(row, now);
  const { decision, rest, ending } = record;
  if (decision?.request === row.id) {
    const { action, by, at, reason = null, edited } = decision;
    return { kind: 'settled', as: { state: stateAfter[action], by, at, reason, edited } };
  }
  if (row.kind !== 'approval') return unansweredQuestion(row, record, now);
  if (rest?.inputRequest === row.id)
    return { kind: 'open', lookAt: now < expiresAt ? expiresAt + soonMs : now + (now < expiresAt + laterMs ? soonMs : laterMs) };
  const at = ending?.finishedAt ?? now;
  const error = ending && !ending.outcome.ok ? ending.outcome.error : null;
  if (error?.native_code === 'NO_DECISION') return { kind: 'settled', as: { state: 'expired', by: null, at, reason: null } };
  return { kind: 'settled', as: cancelledAtRest({ by: null, at, reason: error?.message ?? 'The call ended without a decision' }) };
}

/** Its call may rest for something else, or run, while it can be answered. */
function unansweredQuestion(row: InputRow, { ending }: CallRecord, now: number): Found {
  const expiresAt = row.expiresAt.getTime();
  const at = ending?.finishedAt ?? now;
  if (at >= expiresAt) return { kind: 'settled', as: { state: 'expired', by: null, at: expiresAt, reason: null } };
  if (ending) return { kind: 'settled', as: cancelledAtRest({ by: null, at, reason: 'The call ended without an answer' }) };
  return { kind: 'open', lookAt: expiresAt + soonMs };
}

function withoutRecord(row: InputRow, now: number): Found {
  const createdAt = row.createdAt.getTime();
  const expiresAt = row.expiresAt.getTime();
  if (now < createdAt + acceptedWithinMs) return { kind: 'open', lookAt: createdAt + acceptedWithinMs };
  // Nobody has seen its call yet.
  if ((row.lookAt?.getTime() ?? 0) <= createdAt + acceptedWithinMs) return { kind: 'unknown' };
  if (now >= expiresAt) return { kind: 'settled', as: { state: 'expired', by: null, at: expiresAt, reason: null } };
  return { kind: 'settled', as: cancelledAtRest({ by: null, at: now, reason: 'The call was lost with the store that held it' }) };
}
