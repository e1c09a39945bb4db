import { handlersWith } from '#lib/handlers';
import type { ReportFiles } from '../services.js';
import type { ConnectRules } from './connect.js';
import type { ServerStore } from './server-store.js';
import type { Upstreams } from './upstreams.js';

/** What handlers for outside servers get in addition to their context. */
export interface UpstreamServices {
  /** Approved servers. */
  readonly servers: Pick<ServerStore, 'approve' | 'find' | 'headersOf' | 'credentialsOf' | 'isForAll'>;
  /** Which addresses and commands are allowed. */
  readonly upstreamRules: ConnectRules;
  /** Connections and calls. */
  readonly upstreams: Pick<Upstreams, 'call' | 'ask'>;
  /** Where pictures and long answers are kept. */
  readonly reportFiles: ReportFiles;
}

export const handle = handlersWith<UpstreamServices>();
