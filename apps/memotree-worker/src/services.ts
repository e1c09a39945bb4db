import { handlersWith } from '#lib/worker';
import type { Database } from '#lib/platform';
import type { NodeSearch } from './search/find-nodes.js';
import type { NodeIndex } from './search/node-index.js';

/** What the handlers of this worker get in addition to their context. */
export interface MemotreeServices {
  readonly database: Database;
  readonly index: NodeIndex;
  readonly search: NodeSearch;
  /** Runs the background tasks soon, because there may be summaries to make. */
  readonly wakeBackground: () => void;
}

export const handle = handlersWith<MemotreeServices>();
