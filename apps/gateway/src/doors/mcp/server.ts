import {
  type McpServer,
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  type McpRequestContext,
  type ServerNotifier,
  type Tool,
} from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { appMimeType, appsExtension } from '#lib/contracts';
import { callerOf } from '../../http/caller-of.js';
import type { AskedOfCaller } from '../../inputs/asked-of-caller.js';
import { AskingServer } from './asking-server.js';
import type { ClientAnswers } from './client-answers.js';
import { Elicitation } from './elicitation.js';
import { OpenMcpServer } from './open-server.js';
import type { OutsideOffers } from './outside-offers.js';
import { OutsideSurface } from './outside-surface.js';
import type { CallContext } from './plain-forms.js';
import type { ResourceWatch } from './resource-watch.js';
import { askableIn, type Askable } from './session-id.js';
import { tasksExtension } from './tasks.js';
import { McpTools, type McpRequest, type McpToolsParts } from './tools.js';
import type { McpView } from './view.js';

/** What stands behind `tools/list` and `tools/call`. */
export interface ToolSurface {
  /** One entry that stands for all; others may stand behind it. */
  list(): Tool[];
  call(request: Pick<CallToolRequest, 'params'>, context: CallContext): Promise<CallToolResult | InputRequiredResult>;
}

/**
 * A part of the protocol beside the tools, such as skills. It may add to the tools what it was given. What it serves may ask the client
 * by an `input_required` result, in every revision.
 */
export interface McpExtension {
  attach(mcp: McpServer, door: { readonly tools: ToolSurface; readonly notify: ServerNotifier }): void;
}

export interface McpServerParts extends Omit<McpToolsParts, 'elicitation'> {
  readonly asked: AskedOfCaller;
  readonly offers: OutsideOffers;
  readonly watch: ResourceWatch;
  readonly answers: ClientAnswers;
  readonly extensions: readonly McpExtension[];
  /** Tells all who listen at this gateway of a change. */
  readonly notify: ServerNotifier;
}

const info = { name: 'invoq', title: 'Invoq', version: '1.0.0' };
const instructions = {
  envelope:
    'Every result is one envelope: success, data or error, metadata with a trace id. An error says whether the same call may succeed later (retryable) and what to do (hint).',
  data: 'The structured content of a result is the data of the tool. The text of an error says what to do.',
  text: 'The text of a result is the data of the tool as JSON. The text of an error says what to do.',
};
/** Until then a client may take the list for unchanged; it hears of changes by list_changed. */
const listCache = { ttlMs: 60_000, cacheScope: 'private' } as const;

/** How long a client of the older revisions, with a user or a model behind it, may take for an answer. */
const answerMs = 300_000;
/** The revision of a client that names none. */
const firstStreamable = '2025-03-26';

/** How a request is served: what its client sees, and whether it can be asked for something on the stream of its answer. */
export interface McpService extends Pick<McpRequestContext, 'era'> {
  readonly view: McpView;
  readonly canAsk: boolean;
}

/** The tools for one request, and what its client can be asked for. */
export function toolsFor(
  parts: Omit<McpServerParts, 'notify'>,
  request: McpRequest,
  { era, view, canAsk }: McpService,
): { readonly tools: McpTools; readonly elicitation: Elicitation; readonly capabilities: Askable | null } {
  // What is asked goes out on the stream of the call.
  const capabilities = era === 'legacy' && canAsk ? askableIn(request.headers['mcp-session-id']) : null;
  const elicitation = new Elicitation(parts.asked, request, capabilities);
  return { tools: new McpTools({ ...parts, elicitation }, request, view), elicitation, capabilities };
}

/**
 * A server for one request: the protocol is served without sessions, so any gateway can answer any message.
 * @param call answers `tools/call`
 */
export function buildMcpServer(
  parts: McpServerParts,
  request: FastifyRequest,
  { era, view, canAsk, call }: McpService & { readonly call: (tools: ToolSurface) => ToolSurface['call'] },
): McpServer {
  const options = {
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      extensions: { [appsExtension]: { mimeTypes: [appMimeType] }, ...(era === 'modern' && { [tasksExtension]: {} }) },
    },
    cacheHints: {
      'tools/list': listCache,
      'resources/list': listCache,
      'resources/templates/list': listCache,
      'prompts/list': listCache,
      'server/discover': listCache,
    },
    inputRequired: { roundTimeoutMs: answerMs },
    instructions: instructions[view.form],
  };
  const { 'mcp-protocol-version': version } = request.headers;
  const { tools, elicitation, capabilities } = toolsFor(parts, request, { era, view, canAsk });
  const revision = typeof version === 'string' ? version : firstStreamable;
  const mcp = capabilities
    ? new AskingServer(info, { ...options, asking: { answers: parts.answers, caller: callerOf(request), capabilities, revision } })
    : new OpenMcpServer(info, options);
  mcp.server.setRequestHandler('tools/list', () => ({ tools: tools.list() }));
  const answer = call(tools);
  mcp.server.setRequestHandler('tools/call', async (message, context) => answer(message, context));
  if (era === 'modern') parts.tasks.attach(mcp, request, { view, elicitation });
  else parts.cancellations.attach(mcp, request);
  for (const extension of parts.extensions) extension.attach(mcp, { tools, notify: parts.notify });
  new OutsideSurface(parts, request, view).attach(mcp);
  return mcp;
}
