// What the console asks of the gateway besides calls, jobs and tools, which `invoq` has.
import type {
  AuditPage,
  CancelSelection,
  CancelledJobs,
  CollectionList,
  DryRunCount,
  ReplayedCall,
  CallInput,
  CallPage,
  SettingList,
  Usage,
  WorkspaceList,
} from '#lib/contracts';
import type { UIMessage } from 'ai';
import type { Job } from '#lib/client';
import { gateway } from './gateway.js';
import { queryString } from './query-string.js';

/** A job as the gateway shows it, with the parameters of its call. */
export type CallDetail = Job & CallInput & { readonly updated_at?: string };
export type Search = Readonly<Record<string, string | number | undefined>>;

export const api = {
  settings: () => gateway.json<SettingList>('admin/settings'),
  usage: () => gateway.json<Usage>('usage'),
  collections: () => gateway.json<CollectionList>('knowledge/collections'),
  workspaces: () => gateway.json<WorkspaceList>('memotree/workspaces'),
  calls: (search: Search) => gateway.json<CallPage>(`jobs${queryString(search)}`),
  audit: (search: Search) => gateway.json<AuditPage>(`audit${queryString(search)}`),
  call: (jobId: string) => gateway.json<CallDetail>(`jobs/${encodeURIComponent(jobId)}`),
  replay: (jobId: string, input?: Readonly<Record<string, unknown>>) =>
    gateway.json<ReplayedCall>(`jobs/${encodeURIComponent(jobId)}/replay`, { method: 'POST', body: input ? { input } : {} }),
  countCancels: async (selection: CancelSelection) =>
    (await gateway.json<DryRunCount>('jobs/cancel?dry_run=true', { method: 'POST', body: selection })).count,
  cancelJobs: (selection: CancelSelection) => gateway.json<CancelledJobs>('jobs/cancel', { method: 'POST', body: selection }),
  servers: () => gateway.json<{ readonly servers: readonly OutsideServerShown[] }>('mcp/servers'),
  registerServer: (body: Readonly<Record<string, unknown>>) =>
    gateway.json<OutsideServerWhole & { readonly registered: Registration }>('mcp/servers', { method: 'POST', body }),
  server: (server: OutsideServerName) => gateway.json<OutsideServerWhole>(pathOf(server)),
  removeServer: (server: OutsideServerName) => gateway.json<object>(pathOf(server), { method: 'DELETE' }),
  conversations: () => gateway.json<{ readonly conversations: readonly ConversationShown[] }>('chat/v5/conversations?limit=1000'),
  conversation: (id: string) =>
    gateway.json<{ readonly messages: readonly UIMessage[] }>(`chat/v5/conversations/${encodeURIComponent(id)}?limit=1000`),
  readiness: async (): Promise<Readiness> => {
    const response = await gateway.send('readyz', {});
    const body: Readiness = await response.json();
    return body;
  },
};

function pathOf({ name, tenant_id }: OutsideServerName): string {
  return `mcp/servers/${encodeURIComponent(name)}${queryString({ tenant: tenant_id ?? '*' })}`;
}

/** Answer of `GET /readyz`. */
export interface Readiness {
  readonly status: 'ready' | 'not-ready';
  readonly dependencies: Readonly<Record<string, { readonly state: 'up' | 'down'; readonly latency_ms?: number; readonly error?: string }>>;
}

export interface ConversationShown {
  readonly conversation_id: string;
  readonly title: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Registration {
  readonly approval: number;
  readonly tools: readonly { readonly name: string; readonly tool: string; readonly title: string }[];
  readonly rejected: readonly { readonly tool: string; readonly reason: string }[];
  readonly warnings?: readonly string[];
}

/** An outside tool server, as administrators see it. */
export interface OutsideServerName {
  readonly name: string;
  /** Null for a server for all tenants. */
  readonly tenant_id: string | null;
}

export interface OutsideServerShown extends OutsideServerName {
  readonly kind: string;
  readonly url?: string;
  readonly stdio?: string;
  readonly has_headers: boolean;
  /** The provider whose accounts of callers it is called with; absent before a gateway that knows them. */
  readonly connection?: { readonly provider: string; readonly scopes?: readonly string[] } | null;
  /** Counts approvals. */
  readonly approval: number;
  readonly approved_by: string;
  readonly approved_at: string;
  readonly timeout_ms: number;
  readonly tools: readonly OutsideToolShown[];
}

interface OutsideToolShown {
  /** Its name there. */
  readonly name: string;
  /** Its name here; null for one that is not served. */
  readonly offered_as: string | null;
  readonly title: string;
  readonly state: 'served' | 'suspended' | 'rejected';
  readonly reason?: string;
}

/** The same with the definitions of its tools. */
export interface OutsideServerWhole extends OutsideServerShown {
  readonly tools: readonly OutsideToolWhole[];
}

export interface OutsideToolWhole extends OutsideToolShown {
  /** As it was approved; absent for one that was refused. */
  readonly definition?: object;
  /** As the server defined it when it was suspended; absent where it had it no more. */
  readonly offered?: object;
}
