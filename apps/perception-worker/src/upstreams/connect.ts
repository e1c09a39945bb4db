import { setTimeout as wait } from 'node:timers/promises';
import { ProtocolError, SdkErrorCode, SdkHttpError, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  databaseCredential,
  outsideServerId,
  type GivenQuery,
  type OpenApiSource,
  type OutsideKind,
  type OutsideServer,
} from '#lib/contracts';
import { AddressRefused, urlViolation, type AddressRules } from '#lib/platform';
import type { DocumentReader } from '../openapi/document-reader.js';
import { OpenApiUpstream, type DocumentOrder } from '../openapi/openapi-upstream.js';
import { readDatabaseAddress } from '../sql/database-address.js';
import { SqlUpstream } from '../sql/sql-upstream.js';
import { mendingMessages } from './careless-messages.js';
import { CommandEnded } from './command-ended.js';
import { guardedFetch, maxAnswerBytes, type GuardedFetch } from './guarded-fetch.js';
import { McpUpstream } from './mcp-upstream.js';
import { RestUpstream } from './rest-upstream.js';
import { AccountRefused, type ServerAccount } from './server-account.js';
import type { Upstream } from './upstream.js';
import { causeOf, cannotBeReached, httpFailure } from './upstream-failure.js';
import { whatStandsThere, WrongAddress } from './what-stands-there.js';

/** Commands that the operator lets this worker start, by the name that a registration uses. */
export type StdioCommands = Readonly<Record<string, { readonly command: string; readonly args: readonly string[] }>>;

export interface ConnectRules extends AddressRules {
  readonly commands: StdioCommands;
  /** What reads OpenAPI documents. */
  readonly documents: Pick<DocumentReader, 'toolsOf'>;
}

export interface Destination extends Pick<OutsideServer, 'tenantId' | 'name' | 'url' | 'stdio' | 'connection' | 'mayAsk'> {
  readonly kind: OutsideKind | 'auto';
  readonly headers: Readonly<Record<string, string>>;
  /** By the schemes of an OpenAPI document; of a database its address with the login. */
  readonly credentials: Readonly<Record<string, string>>;
  /** With which all requests are made; null for none. */
  readonly account: ServerAccount | null;
  /** Of the kind `openapi`: what is to be registered. */
  readonly order?: DocumentOrder;
  /** Of the kind `sql`: what is to be registered. */
  readonly queries?: readonly GivenQuery[] | null;
  /** What was approved, for a server that is. */
  readonly approved?: Pick<OutsideServer, 'openapi' | 'tools'>;
}

export interface ConnectLimits {
  readonly signal: AbortSignal;
  /** For the server to agree on a revision, in ms. */
  readonly timeoutMs: number;
}

/**
 * Connects to an outside server. With the kind `auto` MCP is tried first, in its transport of today and in that of 2024, then REST (C-80).
 * @throws AddressRefused if the rules forbid it, else the error of the connection
 */
export async function connectUpstream(to: Destination, rules: ConnectRules, limits: ConnectLimits): Promise<Upstream> {
  const { name, mayAsk } = to;
  if (to.kind === 'openapi') return openApiUpstream(to, rules);
  if (to.kind === 'sql') return sqlUpstream(to, rules);
  if (to.stdio !== null) {
    const known = Object.hasOwn(rules.commands, to.stdio) ? rules.commands[to.stdio] : undefined;
    if (!known) throw new AddressRefused(`'${to.stdio}' is none of the commands in UPSTREAM_COMMANDS`);
    const { command, args } = known;
    return connectCommand({ command, args: [...args], maxBufferSize: maxAnswerBytes }, { name, mayAsk, ...limits });
  }
  if (to.url === null) throw new AddressRefused('neither an address nor a command was given');
  const url = new URL(to.url);
  const fault = urlViolation(url, rules);
  if (fault) throw new AddressRefused(fault);
  const fetch = guardedFetch(rules, { home: url, headers: to.headers, account: to.account });
  if (to.kind === 'rest') return new RestUpstream(to.url, fetch);
  try {
    const stream = firstStream(mendingMessages(failingAtLimits(fetch)));
    const transport = new StreamableHTTPClientTransport(url, { fetch: stream.fetch });
    // Of callers there may be many: the server need not keep what it knows of those that are over.
    const leave = (to.account || mayAsk.includes('roots')) && { leave: async () => transport.terminateSession() };
    const upstream = await McpUpstream.connect(transport, { name, url: to.url, mayAsk, ...limits, ...leave });
    if (upstream.hasSession) await Promise.race([stream.isOpen, wait(streamMs, undefined, { ref: false })]);
    return upstream;
  } catch (error) {
    const { signal } = limits;
    if (signal.aborted || !mayBeAnother(error)) throw error;
    const there = await whatStandsThere(url, fetch, signal);
    if (there === 'sse') return McpUpstream.connect(olderTransport(url, fetch), { name, url: to.url, mayAsk, ...limits, mode: 'legacy' });
    if (to.kind === 'auto') {
      // Only a server whose list of tools has the REST shape counts as REST. Otherwise the error of MCP says more.
      const rest = new RestUpstream(to.url, fetch);
      const isRest = await rest.list(signal).then(
        () => true,
        () => false,
      );
      if (isRest) return rest;
    }
    signal.throwIfAborted();
    throw there === null ? error : new WrongAddress(to.url, there, { cause: error });
  }
}

/** Addresses are checked with each request, those of documents included. */
function openApiUpstream(to: Destination, rules: ConnectRules): OpenApiUpstream {
  const { name, tenantId, url, headers, credentials, account, connection, approved = null } = to;
  const order = to.order ?? orderOf(approved?.openapi ?? null);
  // Where the registration points: headers and credentials go nowhere else.
  const home = approved?.openapi?.baseUrl ?? order.baseUrl ?? url;
  const holds = connection !== null || Object.keys({ ...headers, ...credentials }).length > 0;
  if (home === null && holds)
    throw new AddressRefused(
      "a document that is given says itself where its service is: with headers, credentials or accounts give 'base_url' too",
    );
  const fetch = guardedFetch(rules, { home: new URL(home ?? 'http://nowhere.invalid'), headers, account });
  return new OpenApiUpstream({ name, tenantId, url, order, approved, fetch, credentials, holds, account, reader: rules.documents });
}

function sqlUpstream(to: Destination, rules: ConnectRules): SqlUpstream {
  const { name, credentials, queries = null, approved = null } = to;
  const address = readDatabaseAddress(credentials[databaseCredential] ?? '', rules);
  return new SqlUpstream({ name, id: outsideServerId(to), address, rules, queries, approved });
}

function orderOf(source: OpenApiSource | null): DocumentOrder {
  return { baseUrl: source?.isBaseGiven === true ? source.baseUrl : null, include: source?.include, exclude: source?.exclude };
}

/** So much of what a command writes beside its answers is kept. */
const keptWords = 400;

/**
 * Starts a command. The SDK finds out the revision with a process of its own, and starts another one then, which takes as long again. Every
 * server of today knows the older greeting, so that is tried first.
 */
async function connectCommand(
  parameters: ConstructorParameters<typeof StdioClientTransport>[0],
  limits: ConnectLimits & Pick<OutsideServer, 'name' | 'mayAsk'>,
): Promise<McpUpstream> {
  let words = '';
  const start = async (mode: 'auto' | 'legacy'): Promise<McpUpstream> => {
    const transport = new StdioClientTransport({ ...parameters, stderr: 'pipe' });
    transport.stderr?.on('data', (chunk: Buffer) => (words = (words + chunk.toString()).slice(-keptWords)));
    return McpUpstream.connect(transport, { ...limits, url: null, mode });
  };
  try {
    return await start('legacy').catch((error: unknown) => {
      if (limits.signal.aborted || !(error instanceof ProtocolError)) throw error;
      return start('auto');
    });
  } catch (error) {
    const last = words.trim();
    if (limits.signal.aborted || last === '') throw error;
    throw new CommandEnded(last, { cause: error });
  }
}

/** Whether something answers there that may speak in another way. */
function mayBeAnother(error: unknown): boolean {
  const { status } = error instanceof SdkHttpError ? error : { status: null };
  return (
    status !== 401 && status !== 403 && !cannotBeReached(error) && !(error instanceof AddressRefused) && !causeOf(error, AccountRefused)
  );
}

/**
 * The transport of 2024: one stream for all answers, and an address of its own for messages. The stream is the session, so it is over with
 * the stream; the SDK would open another one, in which nobody has been greeted.
 */
function olderTransport(url: URL, fetch: GuardedFetch): SSEClientTransport {
  let isListening = false;
  const transport = new SSEClientTransport(url, {
    fetch: async (address, init) => {
      if (init?.method !== 'POST') {
        if (isListening) void transport.close();
        isListening = true;
        return fetch(address, init);
      }
      const response = await fetch(address, init);
      if (response.ok) return response;
      const { status, statusText } = response;
      // What the SDK throws here has no status.
      throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `HTTP ${status}`, { status, statusText, text: await response.text() });
    },
  });
  return transport;
}

/** For a server to answer whether it opens a stream, in ms. */
const streamMs = 1_000;

/**
 * Tells when the server has answered to the stream on which it may speak by itself, if only that it has none. The client opens it beside the
 * first call, and what a server asks within that call is lost where the stream comes later.
 */
function firstStream(fetch: GuardedFetch): { readonly fetch: GuardedFetch; readonly isOpen: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    isOpen: promise,
    fetch: async (url, init) => {
      const asked = fetch(url, init);
      if (init?.method === 'GET')
        asked.then(
          () => resolve(),
          () => resolve(),
        );
      return asked;
    },
  };
}

/** The client of MCP forgets the headers of a refusal. So a refusal by rate is a Failure here, with the time that the server asked for. */
function failingAtLimits(fetch: GuardedFetch): GuardedFetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.status !== 429) return response;
    await response.body?.cancel();
    throw httpFailure('The server', response.status, { retryAfter: response.headers.get('retry-after') });
  };
}
