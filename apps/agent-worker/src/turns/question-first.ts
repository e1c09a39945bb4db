import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Resolves when a question that was begun just now has left for the model. A write to a store takes this process a good part of a
 * millisecond, for which the question would wait. `fetch` looks at an idle connection for one turn of the event loop before it writes to it.
 */
export async function questionFirst(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
