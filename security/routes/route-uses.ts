// How each route of /openapi.json is called with things of the victim. A route without an entry fails the suite.
import { mostBatchBytes, type Scope } from '#lib/contracts';
import type { Objects } from '../world/objects.js';

export interface RouteUse {
  /** Values of the path's parameters: things of the victim. */
  readonly params?: (objects: Objects) => Readonly<Record<string, string>>;
  /** A query that belongs to it, with its question mark. */
  readonly query?: (objects: Objects) => string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON body that the victim, or an administrator, would send. */
  readonly body?: (objects: Objects) => object;
  /** The scope that a credential needs; none when every credential may use the route, or when it is public. */
  readonly scope?: Scope;
  /** A stream that goes on for as long as its reader stays, for whoever may read it. */
  readonly isEndless?: true;
  /** Bytes that a body may have, where that is more than 8 MiB. */
  readonly maxBodyBytes?: number;
  /** The tool asks for the scope, and not the route. */
  readonly isAskedByTool?: true;
  /**
   * What another tenant's user gets who names the victim's things: the answer for what does not exist (204 where it says that
   * nothing runs), an answer about things of its own, the refusal for want of the scope, or the way back to the console.
   */
  readonly others: 'not found' | 'their own' | 'refused' | 'sent back';
}

const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const hello = { message: 'hello' };
const readsTools = { scope: 'tools:read', isAskedByTool: true, others: 'their own' } as const satisfies RouteUse;
const operators = { scope: 'admin', others: 'refused' } as const satisfies RouteUse;
const administrators = { scope: 'tenant:admin', others: 'refused' } as const satisfies RouteUse;
const schedules = { scope: 'schedules', others: 'refused' } as const satisfies RouteUse;
const scheduleOf = ({ scheduleId: name }: Objects) => ({ name });
const budgetOf = ({ budgetName: name }: Objects) => ({ name });
const toolsetOf = ({ toolsetName: name }: Objects) => ({ name });
const flowOf = ({ flowName: name }: Objects) => ({ name });
const pauseOf = ({ pauseName: name }: Objects) => ({ name });
const policyOf = ({ policyName: name }: Objects) => ({ name });
const providerOf = ({ providerName: name }: Objects) => ({ name });
const forgedLink = () => ({ token: '00000000-0000-4000-8000-000000000000.AAAA' });
const webhooks = { scope: 'webhooks', others: 'refused' } as const satisfies RouteUse;
const webhookOf = ({ webhookId: id }: Objects) => ({ id });
const inputRequest = ({ inputId: id }: Objects) => ({ id });
const batch = ({ batchId: id }: Objects) => ({ id });
const tool = (name: string) => () => ({ name });
const nativeTool = (name: string) => () => ({ tool: name });
const conversation = ({ conversationId: id }: Objects) => ({ id });
const guestConversation = ({ guestConversationId: id }: Objects) => ({ id });
const listMessage = () => ({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

export const routeUses: Readonly<Record<string, RouteUse>> = {
  'GET /admin/queues': operators,
  'GET /admin/activity': operators,
  'GET /admin/workers': administrators,
  'GET /admin/settings': operators,
  'GET /keys': administrators,
  'POST /keys': { ...administrators, body: () => ({ tenant_id: 'another', tier: 'pro', scopes: ['tools:read'] }) },
  'GET /keys/{id}': { ...administrators, params: ({ keyId: id }) => ({ id }) },
  'DELETE /keys/{id}': { ...administrators, params: ({ keyId: id }) => ({ id }) },
  'GET /budgets': administrators,
  'PUT /budgets/{name}': { ...administrators, params: budgetOf, body: () => ({ period: 'day', limit_calls: 1_000_000 }) },
  'GET /budgets/{name}': { ...administrators, params: budgetOf },
  'DELETE /budgets/{name}': { ...administrators, params: budgetOf },
  'GET /toolsets': administrators,
  'PUT /toolsets/{name}': { ...administrators, params: toolsetOf, body: () => ({ tools: ['calc_metrics'] }) },
  'GET /toolsets/{name}': { ...administrators, params: toolsetOf },
  'DELETE /toolsets/{name}': { ...administrators, params: toolsetOf },
  'GET /toolsets/{name}/preview': { ...administrators, params: toolsetOf },
  'POST /toolsets/preview': { ...administrators, body: () => ({ tools: ['calc_metrics'] }) },
  'GET /flows': administrators,
  'GET /flow-lines': administrators,
  'PUT /flows/{name}': {
    ...administrators,
    params: flowOf,
    body: () => ({ tool: 'calc_metrics', key: 'caller.user', concurrency: 5_000 }),
  },
  'GET /flows/{name}': { ...administrators, params: flowOf },
  'DELETE /flows/{name}': { ...administrators, params: flowOf },
  'GET /pauses': administrators,
  'PUT /pauses/{name}': { ...administrators, params: pauseOf, body: () => ({ tenant: 'nobody', reason: 'x' }) },
  'GET /pauses/{name}': { ...administrators, params: pauseOf },
  'DELETE /pauses/{name}': { ...administrators, params: pauseOf },
  'GET /policies': administrators,
  'PUT /policies/{name}': { ...administrators, params: policyOf, body: () => ({ when: 'false', then: 'deny' }) },
  'GET /policies/{name}': { ...administrators, params: policyOf },
  'DELETE /policies/{name}': { ...administrators, params: policyOf },
  'POST /policies/test': { ...administrators, body: () => ({ tool: 'calc_metrics', arguments: metrics }) },
  'GET /audit': administrators,
  'GET /errors': administrators,
  'GET /metrics': operators,
  'GET /served-tools': administrators,
  'POST /served-tools/approvals': {
    ...administrators,
    body: () => ({ tenant_id: 'another', name: 'make_quote', version: '1.0.0', fingerprint: '0'.repeat(64) }),
  },
  'DELETE /served-tools/{name}/{version}': {
    ...administrators,
    params: () => ({ name: 'make_quote', version: '1.0.0' }),
    query: () => '?tenant_id=another',
  },
  'POST /mcp/servers': {
    ...administrators,
    maxBodyBytes: 10 * 1024 * 1024,
    body: () => ({ name: 'another', url: 'https://tools.example/mcp' }),
  },
  'GET /mcp/servers': administrators,
  'GET /mcp/servers/{name}': { ...administrators, params: ({ serverName: name }) => ({ name }) },
  'DELETE /mcp/servers/{name}': { ...administrators, params: ({ serverName: name }) => ({ name }) },

  'GET /schedules': schedules,
  'POST /schedules': { ...schedules, body: () => ({ name: 'another', tool: 'calc_metrics', arguments: metrics, cron: '0 3 1 1 *' }) },
  'GET /schedules/{name}': { ...schedules, params: scheduleOf },
  'PATCH /schedules/{name}': { ...schedules, params: scheduleOf, body: () => ({ paused: true }) },
  'DELETE /schedules/{name}': { ...schedules, params: scheduleOf },
  'POST /schedules/{name}/run': { ...schedules, params: scheduleOf },
  'GET /schedules/{name}/runs': { ...schedules, params: scheduleOf },

  'GET /providers': administrators,
  'PUT /providers/{name}': { ...administrators, params: providerOf, body: () => ({ api_key: true }) },
  'GET /providers/{name}': { ...administrators, params: providerOf },
  'DELETE /providers/{name}': { ...administrators, params: providerOf },
  'GET /connections': { others: 'their own' },
  'POST /connections': { others: 'not found', body: () => ({ provider: 'victims-own' }) },
  'DELETE /connections/{id}': { others: 'not found', params: ({ connectionId: id }) => ({ id }) },
  'GET /connections/begin/{token}': { others: 'not found', params: forgedLink },
  'POST /connections/begin/{token}': { others: 'not found', params: forgedLink, body: () => ({ api_key: 'k' }) },
  'GET /connections/requests/{token}': { others: 'not found', params: forgedLink },
  'POST /connections/requests/{token}': { others: 'not found', params: forgedLink, body: () => ({}) },
  'GET /connections/callback': { others: 'refused', query: () => '?state=forged&code=forged' },
  'GET /connections/client.json': { others: 'not found' },
  'GET /webhooks': webhooks,
  'POST /webhooks': { ...webhooks, body: () => ({ url: 'https://hooks.example/', events: ['call.failed'] }) },
  'GET /webhooks/{id}': { ...webhooks, params: webhookOf },
  'PATCH /webhooks/{id}': { ...webhooks, params: webhookOf, body: () => ({ events: ['call.completed'] }) },
  'DELETE /webhooks/{id}': { ...webhooks, params: webhookOf },
  'POST /webhooks/{id}/rotate': { ...webhooks, params: webhookOf },
  'POST /webhooks/{id}/test': { ...webhooks, params: webhookOf },
  'GET /webhooks/{id}/deliveries': { ...webhooks, params: webhookOf },
  'POST /webhooks/{id}/deliveries/{delivery}/retry': {
    ...webhooks,
    params: ({ webhookId: id }) => ({ id, delivery: '3fa85f64-5717-4562-b3fc-2c963f66afa6' }),
  },

  'GET /input-requests': { others: 'their own' },
  'GET /input-requests/{id}': { params: inputRequest, others: 'not found' },
  'POST /input-requests/{id}': { params: inputRequest, body: () => ({ action: 'accept' }), others: 'not found' },

  'POST /workers': { scope: 'tools:serve', others: 'refused', body: () => ({ protocol: 1, domain: 'profile', tools: [{}] }) },
  'POST /workers/{id}/messages': {
    scope: 'tools:serve',
    others: 'refused',
    params: () => ({ id: `wrk_${'0'.repeat(16)}_${'0'.repeat(32)}` }),
    body: () => ({ messages: [] }),
  },

  'GET /tools': { others: 'their own' },
  'POST /tools/list': { others: 'their own', body: () => ({}) },
  'GET /tools/{name}': { others: 'their own', params: tool('calc_metrics') },
  'POST /tools/{name}': { ...readsTools, params: tool('calc_metrics'), body: () => metrics },
  'GET /tools/{name}/sse': {
    ...readsTools,
    params: tool('calc_metrics'),
    query: () => `?${new URLSearchParams({ ...metrics, height_cm: '175', weight_kg: '70', age: '30' }).toString()}`,
  },
  'POST /tools/{name}/sse': { ...readsTools, params: tool('calc_metrics'), body: () => metrics },
  'POST /tools/call': { ...readsTools, body: () => ({ name: 'calc_metrics', arguments: metrics }) },
  'POST /tools/batch': { others: 'their own', body: () => ({ calls: [{ id: 1, name: 'calc_metrics', arguments: metrics }] }) },
  'POST /aurawell/{tool}': { ...readsTools, params: nativeTool('calc_metrics'), body: () => metrics },
  'POST /stripe/{tool}': {
    scope: 'tools:read',
    isAskedByTool: true,
    others: 'refused',
    params: nativeTool('stripe_get_account_status'),
    body: () => ({ stripe_account_id: 'acct_ok' }),
  },
  'POST /memotree/{tool}': {
    scope: 'tools:write',
    isAskedByTool: true,
    others: 'not found',
    params: nativeTool('expand_node'),
    body: ({ nodeId }) => ({ nodeId }),
  },

  'POST /batches': {
    others: 'their own',
    maxBodyBytes: mostBatchBytes,
    body: () => ({ calls: [{ name: 'calc_metrics', arguments: metrics }] }),
  },
  'GET /batches': { others: 'their own' },
  'GET /batches/{id}': { others: 'not found', params: batch },
  'GET /batches/{id}/results': { others: 'not found', params: batch },
  'GET /batches/{id}/events': { others: 'not found', params: batch },
  'DELETE /batches/{id}': { others: 'not found', params: batch },

  'GET /jobs': { others: 'refused', query: ({ cursor }) => `?cursor=${encodeURIComponent(cursor)}` },
  'POST /jobs/cancel': { others: 'their own', body: () => ({ tool: 'user_profile_lookup' }) },
  'GET /jobs/feed': { isEndless: true, others: 'refused', query: () => '?scope=tenant' },
  'GET /jobs/{id}': { others: 'not found', params: ({ jobId: id }) => ({ id }) },
  'GET /results/{id}': { others: 'not found', params: ({ jobId: id }) => ({ id }) },
  'DELETE /jobs/{id}': { others: 'not found', params: ({ jobId: id }) => ({ id }) },
  'POST /jobs/{id}/replay': { others: 'not found', params: ({ jobId: id }) => ({ id }), body: () => ({ input: { user_id: 'user_001' } }) },
  'GET /jobs/{id}/events': { others: 'not found', params: ({ jobId: id }) => ({ id }) },
  'GET /traces/{id}': { others: 'not found', params: ({ traceId: id }) => ({ id }) },
  'POST /console/session': { others: 'not found', headers: { 'x-invoq-console': '1' }, body: () => ({ ticket: 'none' }) },
  'GET /console/session': { others: 'their own' },
  'DELETE /console/session': { others: 'not found' },
  'GET /console/oidc': { others: 'their own' },
  'GET /console/oidc/begin': { others: 'sent back' },
  'GET /console/oidc/callback': { others: 'sent back', query: () => '?state=forged&code=forged' },
  'POST /console/tickets': { others: 'their own', body: () => ({}) },
  'GET /console': { others: 'their own' },
  'POST /tickets': { others: 'their own', body: () => ({}) },

  'POST /chat/v5/stream': { others: 'their own', body: () => hello },
  'GET /chat/v5/stream/{id}/stream': { others: 'not found', params: conversation },
  'POST /chat/v5/stream/{id}/stop': { others: 'not found', params: conversation },
  'GET /chat/v5/conversations': { others: 'their own' },
  'GET /chat/v5/conversations/{id}': { others: 'not found', params: conversation },
  'DELETE /chat/v5/conversations/{id}': { others: 'not found', params: conversation },
  'GET /chat/v5/quota': { others: 'their own' },
  'POST /chat/v5/guest/stream': {
    others: 'their own',
    body: ({ guestConversationId }) => ({ ...hello, conversation_id: guestConversationId }),
  },
  'GET /chat/v5/guest/stream/{id}/stream': { others: 'not found', params: guestConversation },
  'POST /chat/v5/guest/stream/{id}/stop': { others: 'not found', params: guestConversation },

  'POST /mcp': { others: 'their own', headers: { accept: 'application/json, text/event-stream' }, body: listMessage },
  'GET /mcp': { others: 'refused' },
  'DELETE /mcp': { others: 'refused' },
  'GET /.well-known/oauth-protected-resource': { others: 'their own' },
  'GET /files/{id}': { others: 'refused', params: ({ fileId: id }) => ({ id }), query: () => '?expires=9999999999&signature=00' },
  'POST /hooks/{token}': {
    others: 'not found',
    params: () => ({ token: 'WyJpbnZfcHJvZmlsZV94IiwiYSJd.AAAA' }),
    body: () => ({ paid: true }),
  },
  'GET /decide/{token}': { others: 'not found', params: () => ({ token: 'WyJhIiwiYiJd.AAAA' }) },
  'POST /decide/{token}': { others: 'not found', params: () => ({ token: 'WyJhIiwiYiJd.AAAA' }), body: () => ({ action: 'accept' }) },
  'GET /skills': { others: 'their own' },
  'GET /usage': { others: 'their own' },
  'GET /usage/calls': { others: 'their own' },
  'GET /history': { others: 'their own' },
  'GET /knowledge/collections': { scope: 'tools:read', others: 'their own' },
  'GET /memotree/workspaces': { scope: 'tools:read', others: 'their own' },
  'GET /openapi.json': { others: 'their own' },
  'GET /docs': { others: 'their own' },
  'GET /llms.txt': { others: 'their own' },
  'GET /docs/migrations/{page}': { others: 'their own', params: () => ({ page: 'get_weather-1-to-2' }) },
  'GET /healthz': { others: 'their own' },
  'GET /readyz': { others: 'their own' },
};

/** Routes that need no credential, and why. Any other public route fails the suite. */
export const publicRoutes: Readonly<Record<string, string>> = {
  'GET /healthz': 'Probes of the platform have no credential; it says that the process answers, and nothing else.',
  'GET /readyz': 'The same for readiness; it names what is missing, without versions or addresses.',
  'POST /console/session': 'A browser signs in here, by a key or a one-use ticket; wrong keys of one address are counted.',
  'GET /console/oidc': 'The page on which one signs in names the issuer; it says nothing of any caller.',
  'GET /console/oidc/begin': 'Sends a browser to the issuer. What it began is in a sealed cookie of that browser.',
  'GET /console/oidc/callback': 'The issuer sends the browser back here; its code is good once, and for the browser that began.',
  'GET /console': 'The page on which one signs in. It holds nothing of any caller.',
  'GET /docs': 'The documentation is that of the product, the same for everybody.',
  'GET /llms.txt': 'The list of its pages, for agents.',
  'GET /files/{id}': 'Whoever has the signed link may read the file until the link ends.',
  'POST /hooks/{token}': 'Whoever has the signed address may call it once; it says whether it was taken, and nothing of the call.',
  'GET /decide/{token}': 'Whoever got the signed link from a webhook sees what it decides; the link is that of one approval.',
  'POST /decide/{token}': 'Whoever got that link decides once, with the right of whoever made the webhook.',
  'GET /connections/begin/{token}':
    'The browser of a user who connects an account: the address is theirs, for ten minutes, and it alone comes back.',
  'POST /connections/begin/{token}': 'The same, for a key that its user pastes.',
  'GET /connections/requests/{token}':
    'Whoever got the signed address of an input request sees for whom the account is; it connects nothing.',
  'POST /connections/requests/{token}': 'Whoever got that address begins to connect an account for the caller who is named on the page.',
  'GET /connections/callback': 'Providers send browsers back here: state, cookie and PKCE say whose attempt it is, once.',
  'GET /connections/client.json': 'What Invoq is as a client of OAuth servers, which read it here.',
  'GET /.well-known/oauth-protected-resource': 'MCP clients without a credential learn here where to get one (RFC 9728).',
  'POST /chat/v5/guest/stream': 'Visitors may try the chat: fewer tools, five conversations a day for an address.',
  'GET /chat/v5/guest/stream/{id}/stream': 'A visitor, known by a cookie, resumes its own answer.',
  'POST /chat/v5/guest/stream/{id}/stop': 'A visitor, known by a cookie, stops its own answer.',
};
