import { setTimeout as wait } from 'node:timers/promises';
import {
  Client,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type ClientCapabilities,
  type ElicitRequest,
  type ElicitResult,
  type Transport,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { appMimeType, appsExtension, askOf, needsModelTools, relayedAnswers, relayedRequest, type RelayedAsk } from '#lib/contracts';
import { traceparentOf } from '#lib/platform';
import { answerOf } from './mcp-answer.js';
import { allPages, type Page, type PageParams } from './mcp-pages.js';
import { McpOffers } from './mcp-offers.js';
import { McpSubscriptions } from './mcp-subscriptions.js';
import { ElicitationsOver, requiredAddresses, withOpenedAddresses, type Elicitation } from './required-addresses.js';
import { headerFault } from './header-parameters.js';
import { MeasuredUpstream } from './measured-upstream.js';
import { answerAsItCame, mendAnswers } from './mended-answers.js';
import { readDefinitions } from './read-definition.js';
import { RunningCalls } from './running-calls.js';
import { saysUnknownSession } from './upstream-failure.js';
import { truncateMessage, type ApprovedCall, type ToolListing, type Upstream, type UpstreamAnswer } from './upstream.js';

const clientInfo = { name: 'invoq', version: '1.0.0' };
/** For a page of the list of tools, where the caller has no limit of its own. */
const pageMs = 60_000;
/** For a server to hear that a session is over, in ms. */
const leaveMs = 1_000;
/**
 * Most tools of a list that are read, also of one whose pages have no end.
 * @limit outside servers: tools of a server that are read; the others are left out
 */
const maxListed = 2_000;

/** What a form may hold. */
const formContent = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));

/** A person, or their client, has said no. The protocol has no name for it (MCP 2025-11-25, sampling). */
const rejected = -1;

interface ConnectOptions {
  /** Null for a command. */
  readonly url: string | null;
  /** Of the server, as it is registered. */
  readonly name: string;
  /** What it may ask of callers besides forms. */
  readonly mayAsk?: readonly RelayedAsk[];
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** `legacy` for a transport that no newer revision has. */
  readonly mode?: 'auto' | 'legacy';
  /** Tells the server that its session is over. */
  readonly leave?: () => Promise<void>;
}

/**
 * A server of the Model Context Protocol, in any revision. It may ask the caller of a call by a form, and of the caller's client what its
 * registration allows. Calls carry the trace context (SEP-414).
 */
export class McpUpstream implements Upstream {
  readonly kind = 'mcp';
  readonly offers: McpOffers;
  readonly subscriptions: McpSubscriptions;
  readonly #name: string;
  readonly #client: Client;
  readonly #leave: () => Promise<void>;
  readonly #running = new RunningCalls();
  readonly #over = new ElicitationsOver();
  onToolsChanged: (() => void) | null = null;
  onOffersChanged: (() => void) | null = null;
  onOpened: ((elicitationId: string) => void) | null = null;
  onClosed: (() => void) | null = null;

  private constructor(
    client: Client,
    {
      name,
      mayAsk,
      leave,
      measured,
    }: Required<Pick<ConnectOptions, 'name' | 'mayAsk' | 'leave'>> & { readonly measured: MeasuredUpstream },
  ) {
    this.#name = name;
    this.#client = client;
    this.#leave = leave;
    this.offers = new McpOffers(client);
    this.subscriptions = new McpSubscriptions(client);
    client.setNotificationHandler('notifications/tools/list_changed', () => this.onToolsChanged?.());
    client.setNotificationHandler('notifications/resources/list_changed', () => this.onOffersChanged?.());
    client.setNotificationHandler('notifications/prompts/list_changed', () => this.onOffersChanged?.());
    client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
      if (this.#over.note(params.elicitationId)) this.onOpened?.(params.elicitationId);
    });
    client.setNotificationHandler('notifications/message', ({ params }) => this.#running.meant?.onLog(params));
    client.setRequestHandler('elicitation/create', async ({ params }) => this.#answerTo(params));
    if (mayAsk.includes('sampling'))
      client.setRequestHandler('sampling/createMessage', async ({ method, params }) =>
        relayedAnswers.sampling.parse(await this.#relayed({ method, params })),
      );
    if (mayAsk.includes('roots'))
      client.setRequestHandler('roots/list', async ({ method }) => relayedAnswers.roots.parse(await this.#relayed({ method })));
    client.onclose = () => {
      measured.closed(this.hasSession);
      this.onClosed?.();
    };
  }

  static async connect(
    transport: Transport,
    { name, url, mayAsk = [], signal, timeoutMs, mode = 'auto', leave = async () => undefined }: ConnectOptions,
  ): Promise<McpUpstream> {
    const client = new Client(clientInfo, { capabilities: capabilitiesFor(mayAsk), versionNegotiation: { mode } });
    const measured = new MeasuredUpstream(url, () => client.getNegotiatedProtocolVersion() ?? null);
    const upstream = new McpUpstream(client, { name, mayAsk, leave, measured });
    // The client heeds the signal only after its first request, so a server that goes on sending would keep its socket.
    const stop = (): void => void transport.close().catch(() => undefined);
    signal.addEventListener('abort', stop, { once: true });
    try {
      await client.connect(mendAnswers(transport, measured), { signal, timeout: timeoutMs });
    } finally {
      signal.removeEventListener('abort', stop);
    }
    return upstream;
  }

  get revision(): string | null {
    return this.#client.getNegotiatedProtocolVersion() ?? null;
  }

  /** Of the older revisions: the server may speak by itself, on a stream of its own. */
  get hasSession(): boolean {
    return this.#client.getProtocolEra() !== 'modern';
  }

  /** A client of the revisions without sessions asks for what others are told anyway. */
  listen(): void {
    const { tools, resources, prompts } = this.#client.getServerCapabilities() ?? {};
    const changes = {
      ...(tools?.listChanged && { toolsListChanged: true }),
      ...(resources?.listChanged && { resourcesListChanged: true }),
      ...(prompts?.listChanged && { promptsListChanged: true }),
    };
    if (Object.keys(changes).length === 0) return;
    // Who is told nothing reads the lists again from time to time.
    this.#client.listen(changes, { timeout: pageMs }).catch(() => undefined);
  }

  async list(signal: AbortSignal): Promise<ToolListing> {
    const { entries } = await allPages({ signal, most: maxListed, page: (params) => this.#page(params, signal) });
    const { tools, malformed } = readDefinitions(entries);
    if (!this.#mirrors) return { tools, malformed };
    const refused = tools.flatMap(({ name, inputSchema }) => {
      const reason = headerFault(inputSchema);
      return reason === null ? [] : [{ tool: name, reason }];
    });
    const names = new Set(refused.map(({ tool }) => tool));
    return { tools: tools.filter(({ name }) => !names.has(name)), malformed: [...malformed, ...refused] };
  }

  /** Whether parameters are sent as headers too: over HTTP, since the revision without sessions. */
  get #mirrors(): boolean {
    return this.#client.getProtocolEra() === 'modern' && this.#client.transport instanceof StreamableHTTPClientTransport;
  }

  async #page(params: PageParams, signal: AbortSignal): Promise<Page> {
    const answer = await this.#client.request({ method: 'tools/list', params }, { signal, timeout: pageMs });
    return { entries: answerAsItCame(answer)['tools'], nextCursor: answer.nextCursor };
  }

  async call(call: ApprovedCall): Promise<UpstreamAnswer> {
    return this.#running.run(call, async () => withOpenedAddresses(call, this.#over, async () => this.#call(call)));
  }

  async #call({
    tool,
    inputSchema,
    input,
    asks,
    modelTools,
    signal,
    timeoutMs,
    onProgress,
    recordUpstreamAnswer,
  }: ApprovedCall): Promise<UpstreamAnswer | readonly Elicitation[]> {
    const api = `tools/call ${tool}`;
    const traceparent = traceparentOf();
    // Since 2026-07-28 a server logs nothing unless a request asks for it.
    const _meta = {
      [LOG_LEVEL_META_KEY]: 'info' as const,
      // Each request of that revision says what its own caller can be asked.
      ...(this.#client.getProtocolEra() === 'modern' && { [CLIENT_CAPABILITIES_META_KEY]: capabilitiesFor(asks, modelTools) }),
      ...(traceparent && { traceparent }),
    };
    try {
      const result = await this.#client.callTool(
        { name: tool, arguments: { ...input }, _meta },
        {
          // By which parameters it sends as headers too. Answers are checked elsewhere.
          toolDefinition: { name: tool, inputSchema: { ...inputSchema, type: 'object' } },
          signal,
          timeout: timeoutMs,
          resetTimeoutOnProgress: false,
          onprogress: ({ progress, total, message }) =>
            onProgress(total ? (100 * progress) / total : Math.min(99, progress), truncateMessage(message ?? `${tool} goes on`)),
        },
      );
      const given = answerAsItCame(result);
      const answer = answerOf(given, this.#name);
      recordUpstreamAnswer({ api, status: answer.kind === 'refused' ? 'isError' : 'result', body: given });
      return answer;
    } catch (error) {
      if (error instanceof SdkHttpError) recordUpstreamAnswer({ api, status: error.status, body: error.data['text'] ?? null });
      if (!(error instanceof ProtocolError)) throw error;
      recordUpstreamAnswer({ api, status: error.code, body: { message: error.message, data: error.data } });
      if (saysUnknownSession(error)) throw error;
      return requiredAddresses(error) ?? refusalOf(error);
    }
  }

  /** What the caller says. */
  async #answerTo(params: ElicitRequest['params']): Promise<ElicitResult> {
    const call = this.#running.meant;
    if (!call) return { action: 'cancel' };
    if (!('requestedSchema' in params)) return { action: (await call.onAddress(params)).action };
    const { action, content } = await call.onQuestion({ message: params.message, form: params.requestedSchema });
    return { action, ...(content && { content: formContent.parse(content) }) };
  }

  /** What the client of the caller says. Throws the error that the protocol has for every other end. */
  async #relayed(given: { readonly method: 'sampling/createMessage' | 'roots/list'; readonly params?: unknown }): Promise<unknown> {
    const call = this.#running.meant;
    if (!call) throw new ProtocolError(ProtocolErrorCode.InternalError, 'It is not known whose client is meant: ask within one call');
    const ask = askOf(given);
    if (!call.asks.includes(ask)) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `The client of this caller has no ${ask}`);
    const request = relayedRequest.safeParse(given);
    if (!request.success)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `This cannot be asked: ${z.prettifyError(request.error).slice(0, 500)}`);
    if (needsModelTools(request.data) && !call.modelTools)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'The client of this caller has no sampling.tools: ask its model without tools',
      );
    const { action, content } = await call.onRequest(request.data);
    if (action === 'accept') return content;
    if (action === 'decline') throw new ProtocolError(rejected, 'The user rejected the request');
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Nobody has answered the request');
  }

  async close(): Promise<void> {
    this.onClosed = null;
    // A server that is away knows it by itself, some time.
    await Promise.race([this.#leave().catch(() => undefined), wait(leaveMs, undefined, { ref: false })]);
    await this.#client.close();
  }
}

/** @param modelTools whether a model can be given tools: of a connection for all callers it is not known yet */
function capabilitiesFor(asks: readonly RelayedAsk[], modelTools = true): ClientCapabilities {
  // Some servers name their pages only to whom says that they can be shown: clients of ours may.
  const extensions = { [appsExtension]: { mimeTypes: [appMimeType] } };
  return {
    extensions,
    elicitation: { form: {}, url: {} },
    ...(asks.includes('sampling') && { sampling: modelTools ? { tools: {} } : {} }),
    ...(asks.includes('roots') && { roots: {} }),
  };
}

function refusalOf(error: ProtocolError): UpstreamAnswer {
  const invalidParams = error.code === ProtocolErrorCode.InvalidParams;
  return { kind: 'refused', invalidParams, message: truncateMessage(error.message) };
}
