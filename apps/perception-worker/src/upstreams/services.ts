import type { Accounts } from '#lib/accounts';
import type { ApprovedServer, ConnectionNeed } from '#lib/contracts';
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
  /** Of callers, at the providers of their tenants. */
  readonly accounts: Pick<Accounts, 'access'>;
  /** Where pictures and long answers are kept. */
  readonly reportFiles: ReportFiles;
}

export const handle = handlersWith<UpstreamServices>();

/** The account that questions to an approved server need; null for none, and for a server that is gone. */
export async function connectionOf(
  servers: Pick<ServerStore, 'find'>,
  { tenant: tenantId, server: name, approval }: ApprovedServer,
): Promise<ConnectionNeed | null> {
  return (await servers.find({ tenantId, name }, approval))?.connection ?? null;
}
