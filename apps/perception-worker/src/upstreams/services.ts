import { handlersWith } from '#lib/worker';
import type { ConnectRules } from './connect.js';
import type { ServerStore } from './server-store.js';
import type { Upstreams } from './upstreams.js';

/** What handlers that have to do with outside servers get besides their context. */
export interface UpstreamServices {
  /** Those that are approved. */
  readonly servers: Pick<ServerStore, 'approve' | 'headersOf'>;
  /** What may be asked. */
  readonly upstreamRules: ConnectRules;
  /** The calls themselves. */
  readonly upstreams: Pick<Upstreams, 'call'>;
}

export const handle = handlersWith<UpstreamServices>();
