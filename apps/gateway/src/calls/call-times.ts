import { invalidParameter, mostRestMs, type Rest, type ToolContract } from '#lib/contracts';
import type { CallRequest } from './accepted-call.js';
import type { CallOptions } from './options.js';

/** Whether a call may be answered from the cache. An idempotency key stands for a call of its own, and so do a time and a callback. */
export function readsCache({ options, idempotencyKey }: CallRequest, contract: ToolContract): boolean {
  return contract.cache !== undefined && options.enable_cache && idempotencyKey === null && !runsByItself(options);
}

/** Whether a call has a job of its own, and no other answers it: it has a time, or somebody is told of its end. */
export function runsByItself(options: Pick<CallOptions, 'run_at' | 'delay_ms' | 'callback_url'>): boolean {
  return isScheduled(options) || options.callback_url !== undefined;
}

/** Whether a call is to run at a time of its own. */
export function isScheduled({ run_at, delay_ms }: Pick<CallOptions, 'run_at' | 'delay_ms'>): boolean {
  return run_at !== undefined || delay_ms !== undefined;
}

/** When a call is to run, in epoch ms; undefined for at once. A time that is over is now. Throws INVALID_PARAMS. */
export function timeAsked({ run_at, delay_ms }: CallOptions, now: number): number | undefined {
  if (run_at === undefined && delay_ms === undefined) return undefined;
  if (run_at !== undefined && delay_ms !== undefined) throw invalidParameter('delay_ms', 'must be left out where run_at is given');
  const until = run_at !== undefined ? Math.max(now, Date.parse(run_at)) : now + (delay_ms ?? 0);
  if (until - now > mostRestMs) throw invalidParameter('run_at', 'must be within a year');
  return until;
}

/** The rest that a call begins with. */
export function restAsked(options: CallOptions, now: number): Pick<Rest, 'reason' | 'until'> | undefined {
  const until = timeAsked(options, now);
  return until === undefined ? undefined : { reason: 'scheduled', until };
}
