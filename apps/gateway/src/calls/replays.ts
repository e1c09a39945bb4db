import { Refusal } from '#lib/contracts';
import type { CallHead } from '#lib/transport';

/**
 * Replays in a row.
 * @limit calls: replays of a call in a row; CONFLICT
 */
export const mostReplays = 10;

/** How many replays in a row the replay of a call is the last of. Throws CONFLICT where they are enough. */
export function replaysAfter({ replayOf, replays = replayOf === undefined ? 0 : 1 }: Pick<CallHead, 'replayOf' | 'replays'>): number {
  if (replays < mostReplays) return replays + 1;
  throw new Refusal('CONFLICT', `The call is the last of ${mostReplays} replays in a row, the most that there may be; call its tool anew`);
}
