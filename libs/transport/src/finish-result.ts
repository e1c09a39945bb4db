import type { ScriptReply } from './script.js';

/**
 * What became of a request to end an invocation: `ended` by it; `ended-before` by another; `unknown` record; `fenced` because a later
 * run has it; `joined` by another caller, whom `unlessJoined` spares.
 */
export type FinishResult = 'ended' | 'ended-before' | 'unknown' | 'fenced' | 'joined';

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
    default:
      return 'unknown';
  }
}
