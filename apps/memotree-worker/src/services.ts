import type { Database } from '#lib/platform';
import { FairSlots } from '#lib/sandbox';
import { handlersWith } from '#lib/handlers';
import type { NodeSearch } from './search/find-nodes.js';
import type { NodeIndex } from './search/node-index.js';
import type { Texts } from './text/texts.js';

/** What the handlers of this worker get in addition to their context. */
export interface MemotreeServices {
  readonly database: Database;
  /** Whoever changes something waits here for its turn, and not with a connection. */
  readonly turns: Pick<FairSlots, 'acquire'>;
  readonly index: NodeIndex;
  readonly search: NodeSearch;
  readonly texts: Pick<Texts, 'run'>;
  /** Runs the background tasks soon, because there may be summaries to make. */
  readonly wakeBackground: () => void;
}

/**
 * Turns for transactions. The changes of one session wait for each other in the database, each with a connection. So a tenant gets a
 * part of the connections only, and one is left for those that read.
 */
export function turnsOf(poolSize: number): FairSlots {
  const total = Math.max(1, poolSize - 1);
  return new FairSlots({ total, perTenant: Math.ceil(total / 2), maxWaiting: 16, patienceMs: 5_000 });
}

export const handle = handlersWith<MemotreeServices>();
