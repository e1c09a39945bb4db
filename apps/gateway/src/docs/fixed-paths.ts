// The routes that are no tool's own, for the OpenAPI document. Their details are in docs and in the answers themselves.
import type { OpenApiOperation } from '#lib/contracts';

type Method = 'get' | 'post' | 'delete';
type Parameter = readonly [place: 'path' | 'query' | 'header', name: string, description: string];

interface Route {
  readonly method: Method;
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly tag: string;
  readonly parameters?: readonly Parameter[];
  /** The schema of a JSON body. */
  readonly body?: object;
  /** Media type of a success; JSON when absent. */
  readonly media?: string;
  readonly status?: number;
  /** Needs no credential. */
  readonly open?: boolean;
}

const call = {
  type: 'object',
  properties: { name: { type: 'string' }, arguments: { type: 'object' }, options: { type: 'object' } },
  required: ['name'],
};
const toolName: Parameter = ['path', 'name', 'Name, alias, or name@range.'];
const jobId: Parameter = ['path', 'id', 'Job id.'];
const chatId: Parameter = ['path', 'id', "The conversation's UUID, or the client's own name for it."];
const chatMessage = {
  type: 'object',
  description: '`message` as a text for the dialect of the source document, `messages` for that of the AI SDK.',
  properties: {
    message: { type: 'string', minLength: 1, maxLength: 16_000 },
    conversation_id: { type: 'string', format: 'uuid' },
    mode: { type: 'string', enum: ['simple', 'complex'], default: 'complex' },
    id: { type: 'string' },
    messages: { type: 'array', items: { type: 'object' } },
  },
};

const routes: readonly Route[] = [
  {
    method: 'get',
    path: '/tools',
    id: 'listTools',
    summary: 'Definitions of all tools',
    tag: 'discovery',
    parameters: [
      ['query', 'format', 'native, openai, anthropic or mcp.'],
      ['query', 'domain', 'Only tools of this domain.'],
    ],
  },
  {
    method: 'get',
    path: '/tools/{name}',
    id: 'getTool',
    summary: 'One definition',
    tag: 'discovery',
    parameters: [toolName, ['query', 'version', 'Version range.'], ['query', 'format', 'native, openai, anthropic or mcp.']],
  },
  {
    method: 'post',
    path: '/tools/{name}',
    id: 'callTool',
    summary: 'Call any tool',
    tag: 'calls',
    parameters: [toolName],
    body: { type: 'object' },
  },
  {
    method: 'get',
    path: '/tools/{name}/sse',
    id: 'streamToolByGet',
    summary: 'Call a tool that only reads, as an event stream',
    tag: 'calls',
    parameters: [toolName, ['query', 'ticket', 'One-time ticket of an EventSource.']],
    media: 'text/event-stream',
  },
  {
    method: 'post',
    path: '/tools/{name}/sse',
    id: 'streamTool',
    summary: 'Call a tool as an event stream',
    tag: 'calls',
    parameters: [toolName],
    body: { type: 'object' },
    media: 'text/event-stream',
  },
  {
    method: 'post',
    path: '/tools/list',
    id: 'listToolsByPost',
    summary: 'Definitions, for REST-shaped registries',
    tag: 'discovery',
    body: { type: 'object' },
  },
  { method: 'post', path: '/tools/call', id: 'callToolByName', summary: 'Call a tool by name', tag: 'calls', body: call },
  {
    method: 'post',
    path: '/tools/batch',
    id: 'callTools',
    summary: 'Up to 50 calls at once',
    tag: 'calls',
    body: { type: 'object', properties: { calls: { type: 'array', minItems: 1, maxItems: 50, items: call } }, required: ['calls'] },
  },
  {
    method: 'get',
    path: '/jobs',
    id: 'listJobs',
    summary: "The caller's own jobs, newest first",
    tag: 'jobs',
    parameters: [
      ['query', 'state', 'Only jobs in this state.'],
      ['query', 'tool', 'Only jobs of this tool.'],
      ['query', 'cursor', 'next_cursor of the page before.'],
      ['query', 'limit', '1–100, 20 by default.'],
    ],
  },
  {
    method: 'get',
    path: '/jobs/{id}',
    id: 'getJob',
    summary: 'What became of a call',
    tag: 'jobs',
    parameters: [jobId, ['query', 'wait', 'Seconds to wait for its end, 0–60.']],
  },
  {
    method: 'get',
    path: '/jobs/{id}/events',
    id: 'followJob',
    summary: 'Its events, resumable',
    tag: 'jobs',
    parameters: [jobId, ['header', 'Last-Event-ID', 'The last event that was seen.']],
    media: 'text/event-stream',
  },
  { method: 'delete', path: '/jobs/{id}', id: 'cancelJob', summary: 'Cancel it', tag: 'jobs', parameters: [jobId], status: 202 },
  {
    method: 'post',
    path: '/tickets',
    id: 'issueTicket',
    summary: 'A one-time ticket for an EventSource',
    tag: 'callers',
    body: { type: 'object' },
  },
  {
    method: 'post',
    path: '/chat/v5/stream',
    id: 'chat',
    summary: 'Say something, and stream the answer',
    tag: 'chat',
    body: chatMessage,
    media: 'text/event-stream',
  },
  {
    method: 'get',
    path: '/chat/v5/stream/{id}/stream',
    id: 'resumeChat',
    summary: 'The running answer from its first chunk; 204 when none runs',
    tag: 'chat',
    parameters: [chatId],
    media: 'text/event-stream',
  },
  {
    method: 'post',
    path: '/chat/v5/stream/{id}/stop',
    id: 'stopChat',
    summary: 'Stop the running answer; 204 when none runs',
    tag: 'chat',
    parameters: [chatId],
    status: 202,
  },
  {
    method: 'post',
    path: '/chat/v5/guest/stream',
    id: 'guestChat',
    summary: 'The same for a visitor: fewer tools and calls, limited by address',
    tag: 'chat',
    body: chatMessage,
    media: 'text/event-stream',
    open: true,
  },
  { method: 'get', path: '/chat/v5/conversations', id: 'listConversations', summary: "The caller's conversations", tag: 'chat' },
  {
    method: 'get',
    path: '/chat/v5/conversations/{id}',
    id: 'getConversation',
    summary: 'A conversation with its messages',
    tag: 'chat',
    parameters: [chatId],
  },
  {
    method: 'delete',
    path: '/chat/v5/conversations/{id}',
    id: 'deleteConversation',
    summary: 'Delete a conversation, and stop its running answer',
    tag: 'chat',
    parameters: [chatId],
    status: 204,
  },
  { method: 'get', path: '/chat/v5/quota', id: 'chatQuota', summary: 'What the day has used and has left', tag: 'chat' },
  { method: 'get', path: '/skills', id: 'listSkills', summary: "The agent's skills, and what each is for", tag: 'chat' },
  { method: 'post', path: '/mcp', id: 'mcp', summary: 'Model Context Protocol, Streamable HTTP', tag: 'mcp', body: { type: 'object' } },
  {
    method: 'get',
    path: '/traces/{id}',
    id: 'getTrace',
    summary: 'What one call did',
    tag: 'operations',
    parameters: [['path', 'id', 'Trace id.']],
  },
  { method: 'get', path: '/healthz', id: 'alive', summary: 'Is the process alive', tag: 'operations', open: true },
  { method: 'get', path: '/readyz', id: 'ready', summary: 'Are its stores there', tag: 'operations', open: true },
  {
    method: 'get',
    path: '/metrics',
    id: 'metrics',
    summary: 'Prometheus metrics; administrators only',
    tag: 'operations',
    media: 'text/plain',
  },
];

/** Path → method → operation. */
export function fixedPaths(): Record<string, Partial<Record<Method, OpenApiOperation>>> {
  const paths: Record<string, Partial<Record<Method, OpenApiOperation>>> = {};
  for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method]: operation(route) };
  return paths;
}

function operation({ id, summary, tag, parameters, body, media = 'application/json', status = 200, open }: Route): OpenApiOperation {
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(parameters && {
      parameters: parameters.map(([place, name, description]) => ({
        name,
        in: place,
        required: place === 'path',
        description,
        schema: { type: 'string' },
      })),
    }),
    ...(body && { requestBody: { content: { 'application/json': { schema: body } } } }),
    ...(open && { security: [] }),
    responses: {
      [String(status)]: {
        description: 'As asked.',
        content: { [media]: { schema: media === 'application/json' ? { type: 'object' } : { type: 'string' } } },
      },
      default: {
        description: 'An error envelope.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Envelope' } } },
      },
    },
  };
}
