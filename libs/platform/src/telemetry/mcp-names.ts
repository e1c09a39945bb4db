// The words of the Model Context Protocol that may be values of a metric. Whoever writes another one adds no series.

/** Those of the convention's list, and the methods of newer revisions. */
const methods: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'completion/complete',
  'elicitation/create',
  'logging/setLevel',
  'roots/list',
  'sampling/createMessage',
  'notifications/cancelled',
  'notifications/initialized',
  'notifications/message',
  'notifications/progress',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/roots/list_changed',
  'notifications/tools/list_changed',
  'notifications/elicitation/complete',
  'prompts/get',
  'prompts/list',
  'tools/call',
  'tools/list',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/templates/list',
  'resources/unsubscribe',
  'server/discover',
  'subscriptions/listen',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
  'tasks/list',
  'tasks/result',
]);
const revisions: ReadonlySet<string> = new Set(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']);
/** What a server answers to a message that it could not serve: a fault of whoever sent it, by the convention. */
const faultsOfSender: ReadonlySet<number> = new Set([-32_700, -32_600, -32_601, -32_602, -32_002]);

/** `_OTHER` for a method that is none of the protocol's. */
export function knownMethod(method: string): string {
  return methods.has(method) ? method : '_OTHER';
}

/** The name that a message asks for by its parameters: of a tool or a prompt; null for none. */
export function nameAsked(params: unknown): string | null {
  const name: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, 'name') : undefined;
  return typeof name === 'string' ? name : null;
}

/** The revision as an attribute; none where it is no revision of the protocol. */
export function knownRevision(revision: unknown): { readonly 'mcp.protocol.version'?: string } {
  return typeof revision === 'string' && revisions.has(revision) ? { 'mcp.protocol.version': revision } : {};
}

/** How a server's answer with this code of JSON-RPC counts. Codes of the caller's own faults are no errors of the server. */
export function statusOfServer(code: number): { readonly 'rpc.response.status_code': string; readonly 'error.type'?: string } {
  return { 'rpc.response.status_code': boundedCode(code), ...(!faultsOfSender.has(code) && { 'error.type': boundedCode(code) }) };
}

/** The same for a client: each code is an error. */
export function statusOfClient(code: number): { readonly 'rpc.response.status_code': string; readonly 'error.type': string } {
  return { 'rpc.response.status_code': boundedCode(code), 'error.type': boundedCode(code) };
}

/** Outside servers invent codes: those outside the range that JSON-RPC keeps for faults are told as one. */
function boundedCode(code: number): string {
  return Number.isInteger(code) && code >= -32_768 && code <= -32_000 ? String(code) : '_OTHER';
}
