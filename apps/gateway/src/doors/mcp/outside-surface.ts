// Resources, prompts and completion of outside servers, beside our own.
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type CompleteRequest,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { addressHere, addressThere, errorCodes, outsideName, principal, type ApprovedServer, type OutsideQuestion } from '#lib/contracts';
import type { WatchedResource } from '#lib/transport';
import { toRefusal } from '../../calls/to-refusal.js';
import type { ToolDirectory } from '../../calls/tool-directory.js';
import { callerOf } from '../../http/caller-of.js';
import type { Cancellations } from './cancellations.js';
import type { AskedServer } from './offer-cache.js';
import type { OpenMcpServer } from './open-server.js';
import { contentsHere, entriesHere, messagesHere, type Known } from './outside-entries.js';
import type { OutsideOffers } from './outside-offers.js';
import { pageOf, type Part } from './pages.js';
import { mostOfClient, type ResourceWatch } from './resource-watch.js';
import type { McpView } from './view.js';

export interface OutsideSurfaceParts {
  readonly watch: ResourceWatch;
  readonly tools: ToolDirectory;
  readonly offers: OutsideOffers;
  readonly cancellations: Cancellations;
}

/** Where a list says which servers are missing from it, and why. */
const incomplete = 'invoq/incomplete';
const entries = z.array(z.unknown()).default([]);
const listed = z.looseObject({ resources: entries, resourceTemplates: entries, prompts: entries });
/** What the product itself may have handlers of. */
const composed = [
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
];
/** A message to one of those. */
const ours = { jsonrpc: '2.0', id: 0 } as const;

/**
 * What a client may read of outside servers: those of which its catalog has a tool, under the set, the key and the view that it came with.
 * Reading needs the scope `tools:read`, as any call that changes nothing does.
 */
export class OutsideSurface {
  readonly #parts: OutsideSurfaceParts;
  readonly #request: FastifyRequest;
  readonly #view: McpView;

  constructor(parts: OutsideSurfaceParts, request: FastifyRequest, view: McpView) {
    this.#parts = parts;
    this.#request = request;
    this.#view = view;
  }

  /** After all else has been attached: what handles resources by then is asked too. */
  attach(mcp: OpenMcpServer): void {
    const { server } = mcp;
    const handlers = new Map(composed.map((method) => [method, server.handlerOf(method)]));
    const own = (method: string) => handlers.get(method);
    const ownList = async (method: string, context: ServerContext) =>
      listed.parse((await own(method)?.({ ...ours, method }, context)) ?? {});
    server.setRequestHandler('resources/list', async ({ method, params }, context) => {
      const { resources } = await ownList(method, context);
      const { entries, ...rest } = await this.#page('resources', params?.cursor, { own: resources, context });
      return { resources: asIs(entries), ...rest };
    });
    server.setRequestHandler('resources/templates/list', async ({ method, params }, context) => {
      const { resourceTemplates } = await ownList(method, context);
      const { entries, ...rest } = await this.#page('templates', params?.cursor, { own: resourceTemplates, context });
      return { resourceTemplates: asIs(entries), ...rest };
    });
    server.setRequestHandler('prompts/list', async ({ method, params }, context) => {
      const { prompts } = await ownList(method, context);
      const { entries, ...rest } = await this.#page('prompts', params?.cursor, { own: prompts, context });
      return { prompts: asIs(entries), ...rest };
    });
    server.setRequestHandler('resources/read', async (request, context) => {
      const there = addressThere(request.params.uri);
      const ask = own(request.method);
      if (!there && ask) return asIs(await ask({ ...ours, ...request }, context));
      const from = there && this.#servers.get(there.server);
      if (!there || !from) throw new ResourceNotFoundError(request.params.uri);
      return asIs(contentsHere(from, await this.#ask(from, { ...plain, question: 'resource', of: there.uri }, context)));
    });
    server.setRequestHandler('resources/subscribe', async (request, context) => {
      const { uri } = request.params;
      const ask = own(request.method);
      if (!addressThere(uri)) return asIs((await ask?.({ ...ours, ...request }, context)) ?? {});
      await this.#subscribe(uri, context);
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', async (request, context) => {
      const { uri } = request.params;
      const ask = own(request.method);
      if (!addressThere(uri)) return asIs((await ask?.({ ...ours, ...request }, context)) ?? {});
      const session = this.#session;
      if (session !== null) await this.#parts.watch.unsubscribe({ caller: callerOf(this.#request), session, uri });
      return {};
    });
    server.setRequestHandler('prompts/get', async (request, context) => {
      const { params } = request;
      const ask = own(request.method);
      if (ask && !this.#fromOf(params.name)) return asIs(await ask({ ...ours, ...request }, context));
      const { from, name } = await this.#promptNamed(params.name, context);
      const question = { ...plain, question: 'prompt', of: name, values: valuesOf(params.arguments) } as const;
      return asIs(messagesHere(from, await this.#ask(from, question, context)));
    });
    server.setRequestHandler('completion/complete', async (request, context) => {
      const { params } = request;
      const ask = own(request.method);
      const isOutside = params.ref.type === 'ref/prompt' ? this.#fromOf(params.ref.name) : addressThere(params.ref.uri);
      if (ask && !isOutside) return asIs(await ask({ ...ours, ...request }, context));
      const asked = await this.#completionOf(params, context);
      if (!asked) return { completion: { values: [], hasMore: false } };
      return asIs(await this.#ask(asked.from, asked.question, context));
    });
  }

  /** The resource at an address that the caller may read now, of a server with accounts that of their own; null for none. */
  resourceAt(uri: string): WatchedResource | null {
    const there = addressThere(uri);
    const from = there && this.#servers.get(there.server);
    if (!there || !from) return null;
    const { tenant, server, owner } = from;
    return { tenant, server, uri: there.uri, ...(owner !== null && { owner }) };
  }

  get #session(): string | null {
    const { 'mcp-session-id': session } = this.#request.headers;
    return typeof session === 'string' ? session : null;
  }

  async #subscribe(uri: string, context: ServerContext): Promise<void> {
    const session = this.#session;
    const refused = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message);
    if (session === null) throw refused('A subscription is of a session: send the Mcp-Session-Id that initialize gave');
    const resource = this.resourceAt(uri);
    const from = this.#servers.get(addressThere(uri)?.server ?? '');
    if (!resource || !from) throw new ResourceNotFoundError(uri);
    if (from.owner !== null) {
      // Who has no account there is told so, as when they read.
      const [one] = await this.#known(new Map([[from.server, from]]), context);
      if (one?.known.fault) throw refused(one.known.fault);
    }
    const isTaken = await this.#parts.watch.subscribe({ caller: callerOf(this.#request), session, uri, resource });
    if (!isTaken) throw refused(`There is no room for another subscription: ${mostOfClient} a client, and so many of a tenant`);
  }

  /** The servers of which the caller sees a tool, by their names. */
  get #servers(): ReadonlyMap<string, AskedServer> {
    const caller = callerOf(this.#request);
    const seen = this.#parts.tools.of(caller).offered.filter((contract) => this.#view.shows(contract));
    return new Map(
      seen.flatMap(({ upstream, connection }): [string, AskedServer][] => {
        if (upstream?.kind !== 'mcp') return [];
        const { tenant, server, approval, apps = noPages } = upstream;
        return [[server, { tenant, server, approval, owner: connection ? principal(caller) : null, apps }]];
      }),
    );
  }

  async #known(servers: ReadonlyMap<string, AskedServer>, { mcpReq }: ServerContext): Promise<readonly Known[]> {
    const known = await this.#parts.offers.lists([...servers.values()], { request: this.#request, signal: mcpReq.signal });
    return [...known].flatMap(([name, offers]): Known[] => {
      const server = servers.get(name);
      return server ? [{ server, known: offers }] : [];
    });
  }

  async #page(
    name: 'resources' | 'templates' | 'prompts',
    cursor: string | undefined,
    { own, context }: { readonly own: readonly unknown[]; readonly context: ServerContext },
  ) {
    const known = await this.#known(this.#servers, context);
    const parts = known.map((one): Part<unknown> => ({ name: one.server.server, entries: entriesHere(name, one) }));
    const faults = known.flatMap(({ server: { server }, known: { fault, lists } }) =>
      [...(fault === null ? [] : [fault]), ...lists.faults].map((reason) => ({ server, reason })),
    );
    return { ...pageOf([{ name: '', entries: own }, ...parts], cursor), ...(faults.length > 0 && { _meta: { [incomplete]: faults } }) };
  }

  /** The server that a prompt is of. No name of a server has two strokes. */
  #fromOf(prompt: string): AskedServer | undefined {
    const [server = '', ...rest] = prompt.split('__');
    return rest.length > 0 ? this.#servers.get(server) : undefined;
  }

  async #promptNamed(asked: string, context: ServerContext): Promise<{ readonly from: AskedServer; readonly name: string }> {
    const from = this.#fromOf(asked);
    if (from) {
      const [one] = await this.#known(new Map([[from.server, from]]), context);
      const name = one?.known.prompts.get(asked);
      if (name !== undefined) return { from, name };
      const prefix = outsideName(from.server, '');
      // Its lists are not known: only it can say.
      if (one?.known.fault && asked.startsWith(prefix)) return { from, name: asked.slice(prefix.length) };
    }
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt '${asked.slice(0, 128)}'; see prompts/list`);
  }

  /** Null where there is nothing to complete by. */
  async #completionOf(
    { ref, argument, context: given }: CompleteRequest['params'],
    context: ServerContext,
  ): Promise<{ readonly from: AskedServer; readonly question: OutsideQuestion } | null> {
    const rest = { values: valuesOf(given?.arguments), completes: argument };
    if (ref.type === 'ref/prompt') {
      const { from, name } = await this.#promptNamed(ref.name, context);
      return (await this.#completes(from, context)) ? { from, question: { question: 'prompt_completion', of: name, ...rest } } : null;
    }
    const there = addressThere(ref.uri);
    if (!there) return null;
    const from = this.#servers.get(there.server);
    if (!from) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such template; see resources/templates/list');
    return (await this.#completes(from, context)) ? { from, question: { question: 'template_completion', of: there.uri, ...rest } } : null;
  }

  async #completes(from: AskedServer, context: ServerContext): Promise<boolean> {
    const [one] = await this.#known(new Map([[from.server, from]]), context);
    return one?.known.fault !== null || one.known.lists.completes;
  }

  async #ask(from: ApprovedServer, question: OutsideQuestion, { mcpReq }: ServerContext): Promise<object> {
    const { offers, cancellations } = this.#parts;
    try {
      return await offers.ask(from, question, {
        request: this.#request,
        signal: mcpReq.signal,
        onJob: (jobId) => cancellations.note(this.#request, mcpReq.id, jobId),
      });
    } catch (thrown) {
      throw faultOf(thrown, question, from);
    }
  }
}

/** Pages of a server that was allowed none of it. */
const noPages = { domains: [], permissions: [] };
/** Of a question that has no arguments. */
const plain = { values: [], completes: null };

function valuesOf(given: Readonly<Record<string, string>> = {}): OutsideQuestion['values'] {
  return Object.entries(given).map(([name, value]) => ({ name, value }));
}

function faultOf(thrown: unknown, question: OutsideQuestion, { server }: ApprovedServer): ProtocolError {
  const { error, message } = toRefusal(thrown);
  if (error.family === 'RESOURCE_NOT_FOUND' && question.question === 'resource')
    return new ResourceNotFoundError(addressHere(server, question.of), message);
  if (error.family === 'INVALID_PARAMS') return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  const { jsonRpc, retryable } = errorCodes[error.family];
  return new ProtocolError(jsonRpc, message.includes(server) ? message : `${server}: ${message}`, { code: error.code, retryable });
}

/** The worker has brought it into the shape of the protocol, as the contract of its tool promises. */
function asIs(value: unknown) {
  return JSON.parse(JSON.stringify(value));
}
