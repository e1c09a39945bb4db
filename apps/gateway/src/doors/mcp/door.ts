import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  isJSONRPCResponse,
  SUPPORTED_PROTOCOL_VERSIONS as olderRevisions,
  WebStandardStreamableHTTPServerTransport,
  type AuthInfo,
  type JSONRPCResponse,
  type McpHandlerRequestOptions,
  type McpHttpHandler,
  type McpRequestContext,
  type McpServer,
  type ServerNotifier,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { addressHere, Refusal } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import type { WatchedResource } from '#lib/transport';
import { callerOf } from '../../http/caller-of.js';
import type { RequestFacts } from '../../calls/call-facts.js';
import { joinTrace } from '../../http/request-facts.js';
import { headersForSdk, readMessages, type ReadMessages } from './client-liberties.js';
import type { ProtectedResource } from '../../callers/protected-resource.js';
import { OutsideSurface } from './outside-surface.js';
import { measuredMessage, measureSession } from './measured-message.js';
import { readableAnswer, takesStream } from './readable-answer.js';
import { mostOfClient, urisListenedFor, type Listening } from './resource-watch.js';
import { scopeToAskFor } from './scope-challenge.js';
import { PlainCalls, type NewCall, type ServedPlain } from './plain-calls.js';
import { plainCallIn } from './plain-forms.js';
import { buildMcpServer, type McpServerParts, type ToolSurface } from './server.js';
import { newSessionId } from './session-id.js';
import { TenantBus } from './tenant-bus.js';
import { nameHeader, unwrapped } from './tool-search.js';
import { ToolLists } from './tool-lists.js';
import { McpView } from './view.js';

interface McpDoorParts extends Omit<McpServerParts, 'notify'> {
  readonly resource: ProtectedResource;
  readonly log: Logger;
  /** That a model reads. */
  readonly resultCharacters: number;
}

/** The first revision without sessions and without a stream of its own for what a server has to say. */
const firstStateless = '2026-07-28';
const heartbeatMs = 15_000;
/** Of names that a client made up, in its span. */
const mostNameCharacters = 128;
const invalidParams = -32_602;
/** A message that says which trace it belongs to. */
const tracedMessage = z.looseObject({
  params: z.looseObject({ _meta: z.looseObject({ traceparent: z.string(), tracestate: z.string().optional() }) }),
});

interface Asked {
  readonly request: FastifyRequest;
  readonly view: McpView;
  /** Ids of the client that the SDK does not take, by those that stand for them. */
  readonly ids: ReadonlyMap<string, unknown>;
  readonly takesStream: boolean;
  /** What `tools/list` has in this view. */
  readonly list: () => Buffer;
  readonly plain: ServedPlain | null;
}

/** `/mcp`: Streamable HTTP in every revision that the SDK serves, without sessions in all of them. */
export class McpDoor {
  readonly #parts: McpDoorParts;
  readonly #changes = new TenantBus();
  readonly #handler: McpHttpHandler;
  readonly #serve: ReturnType<typeof toNodeHandler>;
  /** The SDK hands this object through to its factory, and with it the request that it stands for and what that asks for. */
  readonly #requests = new WeakMap<AuthInfo, Asked>();
  readonly #listeners = new Set<McpServer>();
  readonly #lists = new ToolLists();
  readonly #plain: PlainCalls;

  constructor(parts: McpDoorParts) {
    this.#parts = parts;
    this.#plain = new PlainCalls(parts);
    const onerror = (error: Error) => parts.log.debug({ event: 'mcp-refused', err: error }, 'an MCP message was not served');
    this.#handler = createMcpHandler((context) => this.#build(context), { bus: this.#changes, onerror, keepAliveMs: heartbeatMs });
    this.#serve = toNodeHandler({ fetch: (request, options) => this.#fetch(request, options) }, { onerror });
  }

  /** Takes the connection over from Fastify. */
  async serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const caller = callerOf(request);
    // A query that cannot be served is refused before the SDK has the connection.
    const tools = this.#parts.tools.of(caller);
    const view = new McpView(request, tools, {
      most: this.#parts.resultCharacters,
      place: this.#parts.resource.baseOf(request),
    });
    const read: ReadMessages = request.method === 'POST' ? readMessages(request.body) : { fault: null, body: request.body, ids: new Map() };
    if (read.fault) return void reply.status(read.fault.error.code === invalidParams ? 200 : 400).send(read.fault);
    if (request.method === 'POST' && read.body === null) return void reply.status(202).send();
    const { ids } = read;
    const body = view.searches ? unwrapped(read.body) : read.body;
    const plain = ids.size === 0 ? plainCallIn(request, body) : null;
    const answers = plain ? [] : answersIn(request, body);
    if (answers.length > 0) {
      await Promise.all(answers.map(async (answer) => this.#parts.answers.deliver(caller, answer)));
      return void reply.status(202).send();
    }
    if (!plain && urisListenedFor(body).length > mostOfClient)
      throw new Refusal('INVALID_PARAMS', `resourceSubscriptions may have ${mostOfClient} addresses`);
    const { 'mcp-session-id': ended } = request.headers;
    if (request.method === 'DELETE' && typeof ended === 'string') {
      measureSession(request);
      await this.#parts.watch.end(caller, ended);
    }
    const said = spanFactsOf(request, body);
    request.facts.span.setAttributes(said);
    const traced = plain ? null : tracedMessage.safeParse(body);
    if (traced?.success) joinTrace(request, reply, traced.data.params._meta);
    const toolNamed = (name: string): string | null => tools.named(name)?.name ?? null;
    request.facts.measured ??= measuredMessage({ headers: request.headers, httpVersion: request.raw.httpVersion, body, toolNamed });
    const scope = scopeToAskFor(tools.catalog, caller, body);
    if (scope) {
      void reply.header('www-authenticate', `${this.#parts.resource.challenge(request, scope)}, error="insufficient_scope"`);
      throw new Refusal('PERMISSION_DENIED', `This tool needs a token with the scopes ${scope}`);
    }
    const hears = takesStream(request.headers.accept);
    const readAgain = plain && !view.searches ? this.#readerLike(request) : null;
    const rest = plain && (await this.#plain.answer(request, reply, { call: { plain, said }, readAgain, view, canAsk: hears }));
    if (plain && !rest) return;
    const auth: AuthInfo = { token: '', clientId: caller.credentialId, scopes: [...caller.scopes] };
    const list = (): Buffer => this.#lists.of(tools, view);
    this.#requests.set(auth, { request, view, ids, takesStream: hears, list, plain: rest });
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
    const sessionId = plain ? null : newSessionId(body);
    if (sessionId) reply.raw.setHeader('mcp-session-id', sessionId);
    const { method, url, raw } = request;
    // The SDK makes a URL of the Host, which may be any text. It decides nothing here, so it gets a fixed one.
    const headers = {
      ...headersForSdk(request.headers),
      host: 'localhost',
      accept: acceptOf(request),
      ...(view.searches && nameHeader(request, body)),
    };
    const incoming = { method, url, headers, auth, [Symbol.asyncIterator]: () => raw[Symbol.asyncIterator]() };
    const resources = this.#listeningOf(request, view, body);
    if (resources) {
      const listening = this.#parts.watch.listen(resources);
      reply.raw.once('close', () => listening[Symbol.dispose]());
    }
    await this.#changes.within({ tenantId: caller.tenantId, resources }, () => this.#serve(incoming, reply.raw, body));
  }

  /** Reads calls that come with the same head as this request, as it was read here. */
  #readerLike(request: FastifyRequest): (body: unknown, headers: FastifyRequest['headers']) => NewCall | null {
    const { originalUrl } = request;
    const { httpVersion } = request.raw;
    const caller = callerOf(request);
    return (given, headers) => {
      const read = readMessages(given);
      if (read.fault || read.ids.size > 0) return null;
      const { body } = read;
      const tools = this.#parts.tools.of(caller);
      const plain = plainCallIn({ originalUrl, headers }, body);
      if (!plain || scopeToAskFor(tools.catalog, caller, body) !== null) return null;
      const said = spanFactsOf({ headers }, body);
      const note = (facts: RequestFacts): void => {
        facts.span.setAttributes(said);
        facts.measured = measuredMessage({ headers, httpVersion, body, toolNamed: (name) => tools.named(name)?.name ?? null });
      };
      return { plain, said, note };
    };
  }

  /** Tells those who listen for a resource, and may read it, that it has changed. */
  async resourceUpdated(resource: WatchedResource): Promise<void> {
    const uri = addressHere(resource.server, resource.uri);
    const { watch } = this.#parts;
    await this.#changes.tellOf({ kind: 'resource_updated', uri }, async (listening) => watch.hears(listening, resource, uri));
  }

  /** What this request listens for beside lists; null where it is none that stays open. */
  #listeningOf(request: FastifyRequest, view: McpView, body: unknown): Listening | null {
    const { 'mcp-session-id': session } = request.headers;
    const uris = urisListenedFor(body);
    const hasSession = request.method === 'GET' && typeof session === 'string';
    if (!hasSession && uris.length === 0) return null;
    const surface = new OutsideSurface(this.#parts, request, view);
    return { caller: callerOf(request), session: hasSession ? session : null, uris, resourceAt: (uri) => surface.resourceAt(uri) };
  }

  /** Tells those who listen at this gateway that their tools are others now. @param tenants whose; null for everybody's */
  toolsChanged(tenants: ReadonlySet<string> | null): void {
    this.#tell(tenants, (notify) => notify.toolsChanged());
  }

  /** The same of resources and prompts. */
  offersChanged(tenants: ReadonlySet<string> | null): void {
    this.#tell(tenants, (notify) => {
      notify.resourcesChanged();
      notify.promptsChanged();
    });
  }

  #tell(tenants: ReadonlySet<string> | null, what: (notify: ServerNotifier) => void): void {
    const tell = (): void => what(this.#handler.notify);
    if (tenants) this.#changes.tell(tenants, tell);
    else tell();
  }

  /** Ends what is open; clients come back to another gateway. */
  async close(): Promise<void> {
    await Promise.all([this.#parts.watch.stop(), this.#handler.close(), ...[...this.#listeners].map((listener) => listener.close())]);
  }

  async #fetch(request: Request, options?: McpHandlerRequestOptions): Promise<Response> {
    const revision = request.headers.get('mcp-protocol-version') ?? '';
    const listens = request.method === 'GET' && revision < firstStateless && request.headers.get('accept')?.includes('text/event-stream');
    if (listens) return this.#listen(request, options);
    const response = await this.#handler.fetch(request, options);
    const asked = options?.authInfo && this.#requests.get(options.authInfo);
    if (!asked || request.method !== 'POST') return response;
    const { measured } = asked.request.facts;
    const answer = await readableAnswer(response, { ...asked, onRefusal: measured ? (code) => measured.refusedBy(code) : undefined });
    if (asked.plain && answer.status === 200) void this.#plain.learn(asked.plain, answer.clone());
    return answer;
  }

  /** The stream on which clients of the older revisions hear of changes. */
  async #listen(request: Request, options: McpHandlerRequestOptions = {}): Promise<Response> {
    const mcp = this.#build({ era: 'legacy', ...(options.authInfo && { authInfo: options.authInfo }) });
    const transport = new WebStandardStreamableHTTPServerTransport({ keepAliveMs: heartbeatMs });
    await mcp.connect(transport);
    const unsubscribe = this.#changes.subscribe((event) => {
      const sent =
        event.kind === 'tools_list_changed'
          ? mcp.server.sendToolListChanged()
          : event.kind === 'resources_list_changed'
            ? mcp.server.sendResourceListChanged()
            : event.kind === 'prompts_list_changed'
              ? mcp.server.sendPromptListChanged()
              : mcp.server.sendResourceUpdated({ uri: event.uri });
      sent.catch(() => undefined);
    });
    this.#listeners.add(mcp);
    mcp.server.onclose = () => {
      unsubscribe();
      this.#listeners.delete(mcp);
    };
    request.signal.addEventListener('abort', () => void mcp.close(), { once: true });
    return transport.handleRequest(request, options);
  }

  #build({ era, authInfo }: Pick<McpRequestContext, 'era' | 'authInfo'>): McpServer {
    const asked = authInfo && this.#requests.get(authInfo);
    if (!asked) throw new Error('A message came without its request');
    const { request, view, plain, takesStream: canAsk } = asked;
    const call = (tools: ToolSurface): ToolSurface['call'] => this.#plain.handlerOf(plain, era, tools);
    return buildMcpServer({ ...this.#parts, notify: this.#handler.notify }, request, { era, view, canAsk, call });
  }
}

/** The SDK asks clients to name both types. Each gets the one that it reads, whatever it names. */
function acceptOf({ method, headers: { accept = '*/*' } }: FastifyRequest): string {
  if (method === 'POST') return 'application/json, text/event-stream';
  // Who opens the address to look gets no stream without end.
  return accept.toLowerCase();
}

const namedMessage = z.looseObject({ method: z.string(), params: z.looseObject({ name: z.string().optional() }).optional() });

/** By the conventions of OpenTelemetry for MCP. A batch has no method. */
function spanFactsOf({ headers }: Pick<FastifyRequest, 'headers'>, body: unknown): Readonly<Record<string, string>> {
  const message = namedMessage.safeParse(body);
  if (!message.success) return {};
  const { method, params } = message.data;
  const version = headers['mcp-protocol-version'];
  return {
    'mcp.method.name': method.slice(0, mostNameCharacters),
    ...(typeof version === 'string' && { 'mcp.protocol.version': version.slice(0, mostNameCharacters) }),
    ...(method === 'tools/call' && params?.name !== undefined && { 'gen_ai.tool.name': params.name.slice(0, mostNameCharacters) }),
  };
}

/** What a client of the older revisions answers to requests of the server: one answer, or a batch of them, as 2025-03-26 allows. */
function answersIn({ method, headers }: FastifyRequest, body: unknown): readonly JSONRPCResponse[] {
  const revision = headers['mcp-protocol-version'];
  if (method !== 'POST' || (revision !== undefined && !olderRevisions.includes(String(revision)))) return [];
  const messages: unknown[] = [body].flat();
  return messages.every(isJSONRPCResponse) ? messages : [];
}
