import type { ScriptReply } from './script.js';

/** How an end was taken: it is the end; it came too late; a later run has the invocation; another caller has joined it. */
export type FinishResult = 'ended' | 'ended-before' | 'unknown' | 'fenced' | 'joined';

/** Reads what the script `finish` says. */
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
