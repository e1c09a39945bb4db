// The request of each route that costs a gateway most of all that it takes, as far as we know: lists as long, texts as long and conditions
// as deep as they may be. A route that takes a body and has no entry fails the suite.
import type { Objects } from '../world/objects.js';

export interface Dearest {
  readonly body: unknown;
  /** Path and query, where they are others than those by which the route is used. */
  readonly target?: string;
  /** Calls have limits of their own. */
  readonly isCall?: true;
  /** How often it is sent; by default as often as it takes to measure it. */
  readonly times?: number;
}

const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const hello = { message: 'hello '.repeat(2_600) };
const long = 'x'.repeat(100_000);
const sum = Array.from({ length: 50 }, (_, index) => `args.a${index} == ${index}`).join(' || ');
/** As many parts as a condition may have, the dearest of them loops. */
const condition = Array.from({ length: 20 }, (_, part) => `args.list.exists(one, one == ${part})`).join(' || ');
const patterns = (many: number): readonly string[] => Array.from({ length: many }, (_, index) => `*a*${index}*`);
const names = (many: number): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: many }, (_, index) => [`tool_${index}`, `other_${index}`]));
const message = (id: number, method: string): object => ({ jsonrpc: '2.0', id, method });
const calls = (many: number, name: string): readonly object[] =>
  Array.from({ length: many }, (_, id) => ({ id: String(id), name, arguments: metrics }));
const link = '00000000-0000-4000-8000-000000000000.AAAA';

export const dearest: Readonly<Record<string, (objects: Objects) => Dearest>> = {
  'POST /keys': () => ({ body: { tenant_id: 'another', tier: 'pro', scopes: ['tools:read'], tools: patterns(100) } }),
  'PUT /budgets/{name}': () => ({ body: { period: 'month', limit_calls: 1_000_000, time_zone: 'Antarctica/Troll', tool: 'calc_metrics' } }),
  'PUT /toolsets/{name}': () => ({ body: { tools: [...patterns(99), '*'], prefix: 'pppp' } }),
  'POST /toolsets/preview': () => ({ body: { tools: [...patterns(99), '*'], prefix: 'p'.repeat(32) } }),
  'PUT /flows/{name}': () => ({ body: { tool: 'calc_metrics', key: sum, concurrency: 5_000 } }),
  'PUT /pauses/{name}': () => ({ body: { tenant: 'nobody', reason: 'x'.repeat(500) } }),
  'PUT /policies/{name}': () => ({ body: { when: `(${condition}) && false`, then: 'deny' } }),
  'POST /policies/test': () => ({
    body: { tool: 'calc_metrics', arguments: metrics, policy: { when: condition.replaceAll('args.list', 'caller.scopes'), then: 'deny' } },
  }),
  'POST /served-tools/approvals': () => ({
    body: { tenant_id: 'another', name: 'n'.repeat(64), version: '1.0.0', fingerprint: '0'.repeat(64) },
  }),
  'POST /mcp/servers': () => ({
    body: { name: 'dear', kind: 'openapi', document: { openapi: '3.1.0', info: { title: long, version: '1' }, paths: {} } },
  }),
  'POST /schedules': () => ({
    // A day that comes once in 28 years, and one that never comes.
    body: { name: 'dear', tool: 'calc_metrics', arguments: metrics, cron: '0 0 29 2 1', time_zone: 'Antarctica/Troll', paused: true },
  }),
  'PATCH /schedules/{name}': () => ({ body: { cron: '59 23 30 2 *', time_zone: 'Pacific/Apia' } }),
  'PUT /providers/{name}': () => ({ body: { api_key: true } }),
  'POST /connections': () => ({ body: { provider: 'p'.repeat(64) } }),
  'POST /connections/begin/{token}': () => ({ body: { api_key: 'k'.repeat(4_000) } }),
  'POST /connections/requests/{token}': () => ({ body: {} }),
  'POST /webhooks': () => ({
    body: { url: 'https://hooks.example/', events: ['call.failed'], filter: condition.replaceAll('args.list', 'event.data.list') },
  }),
  'PATCH /webhooks/{id}': () => ({ body: { filter: condition.replaceAll('args.list', 'event.data.list') } }),
  'POST /input-requests/{id}': () => ({ body: { action: 'accept', content: names(100), reason: 'r'.repeat(500) } }),
  // Contracts have cases of their own: they are checked in another process.
  'POST /workers': () => ({ body: { protocol: 1, domain: 'dear', tools: Array.from({ length: 100 }, () => ({})) } }),
  'POST /workers/{id}/messages': () => ({ body: { messages: Array.from({ length: 1_000 }, () => ({ type: 'log', text: 'x' })) } }),
  'POST /tools/list': () => ({ body: {} }),
  'POST /tools/{name}': () => ({ target: '/tools/calc_metrics', body: { ...metrics, age: 31 }, isCall: true }),
  'POST /tools/{name}/sse': () => ({ target: '/tools/calc_metrics/sse', body: { ...metrics, age: 32 }, isCall: true }),
  'POST /tools/call': () => ({ body: { name: 'calc_metrics', arguments: { ...metrics, age: 33 } }, isCall: true }),
  'POST /tools/batch': () => ({ body: { calls: calls(50, 'no_such_tool') } }),
  'POST /aurawell/{tool}': () => ({ target: '/aurawell/CalcMetrics', body: { ...metrics, age: 34 }, isCall: true }),
  'POST /stripe/{tool}': () => ({ target: '/stripe/stripe_get_account_status', body: { stripe_account_id: 'a'.repeat(200) } }),
  'POST /memotree/{tool}': () => ({ target: '/memotree/expand_node', body: { nodeId: 'n'.repeat(200) } }),
  'POST /batches': () => ({ body: { calls: calls(1_000, 'no_such_tool') }, times: 2 }),
  'POST /jobs/cancel': () => ({ target: '/jobs/cancel?dry_run=true', body: { tool: 'calc_metrics', from: '2000-01-01T00:00:00Z' } }),
  'POST /jobs/{id}/replay': () => ({ body: { input: names(1_000) } }),
  'POST /console/session': () => ({ body: { ticket: 't'.repeat(4_000) } }),
  'POST /console/tickets': () => ({ body: {} }),
  'POST /tickets': () => ({ body: {} }),
  'POST /chat/v5/stream': () => ({ body: hello, times: 4, isCall: true }),
  'POST /chat/v5/guest/stream': () => ({ body: hello, times: 4, isCall: true }),
  'POST /mcp': () => ({ body: Array.from({ length: 100 }, (_, id) => message(id, 'tools/list')) }),
  'POST /hooks/{token}': () => ({ target: '/hooks/WyJpbnZfcHJvZmlsZV94IiwiYSJd.AAAA', body: names(1_000) }),
  'POST /decide/{token}': () => ({ target: `/decide/${link}`, body: { action: 'accept' } }),

  'GET /tools': () => ({ target: `/tools?query=${encodeURIComponent('weather metrics '.repeat(30))}&limit=20`, body: undefined }),
  'GET /tools/{name}/sse': () => ({
    target: '/tools/calc_metrics/sse?height_cm=175&weight_kg=70&age=35&gender=male&activity_level=moderate',
    body: undefined,
    isCall: true,
  }),
  'GET /jobs': () => ({ target: '/jobs?scope=tenant&limit=100', body: undefined }),
  'GET /history': () => ({ target: '/history?scope=tenant&limit=100&from=2000-01-01T00:00:00Z', body: undefined }),
  'GET /usage/calls': () => ({ target: '/usage/calls?scope=tenant&from=2000-01-01&by=day,tool,user', body: undefined }),
  'GET /errors': () => ({ target: '/errors?from=2000-01-01T00:00:00Z', body: undefined }),
  'GET /audit': () => ({ target: '/audit?limit=100', body: undefined }),
};
