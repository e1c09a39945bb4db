import {
  McpServer,
  type CallToolRequest,
  type CallToolResult,
  type McpRequestContext,
  type ServerContext,
  type ServerNotifier,
  type Tool,
} from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { tasksExtension } from './tasks.js';
import { McpTools, type McpToolsParts } from './tools.js';

/** What stands behind `tools/list` and `tools/call`. */
export interface ToolSurface {
  list(): Tool[];
  call(request: CallToolRequest, context: ServerContext): Promise<CallToolResult>;
}

/** A part of the protocol beside the tools, such as skills. It may add to the tools what it was given. */
export interface McpExtension {
  attach(mcp: McpServer, door: { readonly tools: ToolSurface; readonly notify: ServerNotifier }): void;
}

export interface McpServerParts extends McpToolsParts {
  readonly extensions: readonly McpExtension[];
  /** Tells all who listen at this gateway of a change. */
  readonly notify: ServerNotifier;
}

const info = { name: 'invoq', title: 'Invoq', version: '1.0.0' };
const instructions =
  'Every result is one envelope: success, data or error, metadata with a trace id. An error says whether the same call may succeed later (retryable) and what to do (hint).';
/** Until then a client may take the list for unchanged; it hears of changes by list_changed. */
const listCache = { ttlMs: 60_000, cacheScope: 'private' } as const;

/** A server for one request: the protocol is served without sessions, so any gateway can answer any message. */
export function buildMcpServer(parts: McpServerParts, request: FastifyRequest, { era }: Pick<McpRequestContext, 'era'>): McpServer {
  const mcp = new McpServer(info, {
    capabilities: {
      tools: { listChanged: true },
      ...(era === 'modern' && { extensions: { [tasksExtension]: {} } }),
    },
    cacheHints: { 'tools/list': listCache, 'server/discover': listCache },
    instructions,
  });
  const tools = new McpTools(parts, request);
  mcp.server.setRequestHandler('tools/list', () => ({ tools: tools.list() }));
  mcp.server.setRequestHandler('tools/call', async (message, context) => tools.call(message, context));
  if (era === 'modern') parts.tasks.attach(mcp, request);
  else parts.cancellations.attach(mcp, request);
  for (const extension of parts.extensions) extension.attach(mcp, { tools, notify: parts.notify });
  return mcp;
}
