import type { CallEnd } from './call-bodies.js';
import type { CallHead, Ending } from './codec.js';
import type { ScriptReply } from '../redis/script.js';

/** A call with its end. */
export interface EndedCall {
  readonly jobId: string;
  readonly head: CallHead;
  readonly ending: Ending;
}

/** Asks for the end of a call. */
export interface FinishRequest extends CallEnd, EndedCall {
  /** The attempt that ends it; null ends it whoever runs it, and tells that worker to stop. */
  readonly attempt: number | null;
  readonly flightWindowMs?: number | undefined;
  /** Of files that the call has made: they count as its tenant's as long as its record. */
  readonly fileBytes?: number;
  /** Leaves the invocation alone when another caller has joined it. */
  readonly unlessJoined?: boolean;
  /** Leaves it alone while it rests: it has no deadline then. */
  readonly unlessResting?: boolean;
  /** The number of a rest, from 1: ends it in this rest alone. */
  readonly atRest?: number;
}

/**
 * What became of a request to end an invocation: `ended` by it; `ended-before` by another; `unknown` record; `fenced` because a later
 * attempt has it, or it is not in the rest that was named; `joined` by another caller, whom `unlessJoined` spares; `resting`, which `unlessResting` spares.
 */
export type FinishResult = 'ended' | 'ended-before' | 'unknown' | 'fenced' | 'joined' | 'resting';

/** The reply of the script `finish`. */
export function toFinishResult(code: ScriptReply): FinishResult {
  switch (code) {
    case 1:
      return 'ended';
    case 0:
      return 'ended-before';
    case -2:
      return 'fenced';
    case -3:
      return 'joined';
    case -4:
      return 'resting';
    default:
      return 'unknown';
  }
}
