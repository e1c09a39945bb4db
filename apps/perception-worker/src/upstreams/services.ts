import { handlersWith } from '#lib/handlers';
import type { ConnectRules } from './connect.js';
import type { ServerStore } from './server-store.js';
import type { Upstreams } from './upstreams.js';

/** What handlers for outside servers get in addition to their context. */
export interface UpstreamServices {
  /** Approved servers. */
  readonly servers: Pick<ServerStore, 'approve' | 'headersOf' | 'isForAll'>;
  /** Which addresses and commands are allowed. */
  readonly upstreamRules: ConnectRules;
  /** Connections and calls. */
  readonly upstreams: Pick<Upstreams, 'call'>;
}

export const handle = handlersWith<UpstreamServices>();
