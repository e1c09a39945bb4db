// What comes again as it came before, byte for byte, has been through everything that reads a head or a body. It is answered in front of
// the server's hooks and routes, while all that may have changed since is as it was. Of a head that comes with another body, what follows from
// the head is known.
import type { IncomingMessage, OutgoingHttpHeader, RequestListener, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, ToolContract } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import type { Metrics } from '#lib/transport';
import type { Allowances } from '../../callers/allowances.js';
import type { Authenticator } from '../../callers/authenticator.js';
import type { OpenRequests } from '../../callers/open-requests.js';
import type { RequestFacts } from '../../calls/call-facts.js';
import type { RepeatableCall } from '../../calls/repeatable-call.js';
import type { RepeatedAnswer, RepeatedCalls } from '../../calls/repeated-calls.js';
import type { ToolDirectory } from '../../calls/tool-directory.js';
import { atEndOfTurn } from '../../http/answers-of-a-turn.js';
import { measureRequest } from '../../http/http-metrics.js';
import { smallBytes } from '../../http/json-body.js';
import { endFacts, factsOf, noteCaller } from '../../http/request-facts.js';
import { askedIn } from './asked-body.js';
import { BegunCalls, givenIn, type TakenRequest } from './begun-calls.js';
import { headText } from './head-text.js';
import { KnownRequests, type KnownCall, type KnownHead } from './known-requests.js';

interface EdgeParts {
  readonly calls: Pick<RepeatedCalls, 'answer'>;
  readonly tools: Pick<ToolDirectory, 'of'>;
  readonly authenticator: Pick<Authenticator, 'authenticateAtOnce'>;
  readonly openRequests: Pick<OpenRequests, 'hasPlace' | 'admit'>;
  readonly allowances: Pick<Allowances, 'hasAny'>;
  readonly served: { readonly isPrepared: (tenantId: string) => boolean };
  readonly readiness: { readonly isStopping: boolean };
  readonly metrics: Pick<Metrics, 'httpSeconds'>;
  readonly log: Pick<Logger, 'info' | 'error'>;
}

/** Install it after all listeners of the server. */
export function installEdge(fastify: FastifyInstance, parts: EdgeParts): void {
  const edge = new Edge(parts);
  const { server } = fastify;
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const serve = (): void => listeners.forEach((listener) => listener.call(server, request, response));
    const head = edge.headOf(request);
    if (!head) return serve();
    // A body that came with its head is there by then.
    process.nextTick(() => {
      if (!edge.take(head, request, response, serve)) serve();
    });
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    edge.learn(request, reply);
    done();
  });
}

/** Headers of an answer that are made for each. */
const ofOneAnswer = new Set(['x-trace-id', 'x-request-id', 'traceparent', 'content-length', 'connection', 'keep-alive', 'date']);

class Edge {
  readonly #parts: EdgeParts;
  readonly #known = new KnownRequests();
  readonly #begun: BegunCalls;

  constructor(parts: EdgeParts) {
    this.#parts = parts;
    this.#begun = new BegunCalls({ ...parts, writeHead: (head, request, facts) => this.#writeHead(head, request, facts) });
  }

  headOf(request: IncomingMessage): KnownHead | undefined {
    return request.method === 'POST' && !this.#known.isEmpty ? this.#known.find(headText(request, request.url ?? '')) : undefined;
  }

  /** Remembers what may come again: the whole of a request, or its head. */
  learn(request: FastifyRequest, reply: FastifyReply): void {
    const { facts, raw, originalUrl, method, routeOptions } = request;
    const route = routeOptions.url;
    if (route === undefined || method !== 'POST' || reply.statusCode !== 200 || this.#parts.readiness.isStopping) return;
    const call = this.#callOf(request);
    const repeated = repeatedOf(facts);
    if (!call && !repeated) return;
    const head = headText(raw, originalUrl);
    const make = () => ({
      method,
      route,
      hasIds: repeated?.hasId ?? call?.ofHead.hasIds ?? false,
      headers: constantHeaders([
        ...Object.entries(reply.getHeaders()),
        ...Object.entries(repeated?.call.form?.headers ?? call?.ofHead.headers ?? {}),
      ]),
    });
    if (call) this.#known.keepCall(head, call, make);
    if (repeated) this.#known.keep(head, repeated, make);
  }

  /** What the head of a request asks for; null where it follows from more than the head. */
  #callOf({ facts, headers }: FastifyRequest): KnownCall | null {
    const { ofHead, caller, traceId, derivedTraceId } = facts;
    // Another id of a trace is kept for who asks for it.
    if (!ofHead || !caller || traceId !== derivedTraceId || caller !== this.#parts.authenticator.authenticateAtOnce(headers)) return null;
    const seen = this.#seenBy(caller);
    return seen && { caller, ofHead, seen };
  }

  /**
   * @param serve serves the request in the general way
   * @returns false where it is not taken: the request is then as it came
   */
  take(head: KnownHead, request: IncomingMessage, response: ServerResponse, serve: () => void): boolean {
    const body = bodyOf(request);
    if (!body) return false;
    const taken = { body, request, response };
    if (this.#answer(head, taken) || this.#begin(head, taken, serve)) return true;
    request.unshift(body);
    return false;
  }

  /** Answers what came before as a whole, from the cache. */
  #answer(head: KnownHead, taken: TakenRequest): boolean {
    const { body, request } = taken;
    const asked = askedIn(body, head.hasIds);
    const call = asked && head.calls.get(asked.words);
    const mayEnter = call && this.#mayEnter(call.caller, request);
    const answered = mayEnter ? this.#parts.calls.answer(call, () => begin(head, call, request), asked.id) : null;
    if (!answered) return false;
    atEndOfTurn(() => this.#write(head, taken, answered));
    return true;
  }

  /** Begins a call with parameters that are new. */
  #begin(head: KnownHead, taken: TakenRequest, serve: () => void): boolean {
    const { call } = head;
    if (!call || !this.#mayEnter(call.caller, taken.request) || this.#seenBy(call.caller) !== call.seen) return false;
    const given = givenIn(taken, call);
    if (!given) return false;
    void this.#begun.answer({ ...taken, head, call, given }, serve).then((answered) => {
      if (!answered) return;
      const { text, facts } = answered;
      if (text === null) return endFacts(facts, 200);
      const repeated = repeatedOf(facts);
      if (repeated) this.#known.keep(head.text, repeated, () => head);
      atEndOfTurn(() => this.#write(head, taken, { text, facts }));
    });
    return true;
  }

  #write(head: KnownHead, taken: TakenRequest, { text, facts }: RepeatedAnswer): void {
    const { response } = taken;
    endFacts(facts, 200);
    measureRequest(this.#parts.metrics, head, { status: 200, ms: performance.now() - facts.startedAt });
    // To write to one whose client has gone is a fault that nobody catches.
    if (response.closed) return;
    const bytes = Buffer.byteLength(text);
    this.#writeHead(head, taken, facts, ['content-length', String(bytes)]);
    // The shorter way for text without any other characters.
    response.end(text, bytes === text.length ? 'latin1' : 'utf8');
  }

  #writeHead(head: KnownHead, { request, response }: TakenRequest, facts: RequestFacts, more: readonly string[] = []): void {
    // To its end, or the connection would wait for it.
    request.resume();
    const own = ['x-trace-id', facts.traceId, 'x-request-id', facts.requestId, 'traceparent', facts.traceparent];
    response.writeHead(200, [...head.headers, ...own, ...more]);
  }

  /** The tools by which a head means its call. Null while sets of tools are being read. */
  #seenBy(caller: Caller): readonly ToolContract[] | null {
    try {
      return this.#parts.tools.of(caller).catalog.tools;
    } catch {
      return null;
    }
  }

  /** What the hooks look at that follows from more than the head. */
  #mayEnter(caller: Caller, { headers }: IncomingMessage): boolean {
    const { authenticator, openRequests, allowances, served, readiness } = this.#parts;
    return (
      !readiness.isStopping &&
      authenticator.authenticateAtOnce(headers) === caller &&
      openRequests.hasPlace(caller) &&
      allowances.hasAny(caller.credentialId) &&
      served.isPrepared(caller.tenantId)
    );
  }
}

/** A call that the cache has answered, and the words of its body; null where it can't be told by them. */
function repeatedOf({ repeatable: call, smallBody }: RequestFacts) {
  if (!call || !smallBody) return null;
  const asked = askedIn(smallBody, call.form?.id !== undefined);
  return asked && asked.id === (call.form?.id ?? null) ? { body: asked.words, call, hasId: asked.id !== null } : null;
}

function begin({ method, route }: KnownHead, { caller, form }: RepeatableCall, { headers }: IncomingMessage): RequestFacts {
  const facts = factsOf({ method, route, headers });
  noteCaller(facts, caller);
  if (form?.attributes) facts.span.setAttributes(form.attributes);
  facts.measured = form?.measured ?? null;
  return facts;
}

/** Takes the body of a request out of it; null where it is large, or has not come whole. */
function bodyOf(request: IncomingMessage): Buffer | null {
  const length = Number(request.headers['content-length']);
  if (!(length > 0 && length <= smallBytes) || request.readableLength !== length) return null;
  const body: unknown = request.read(length);
  return Buffer.isBuffer(body) ? body : null;
}

/** @param all the later of two with one name is meant */
function constantHeaders(all: readonly (readonly [string, OutgoingHttpHeader | undefined])[]): readonly string[] {
  return [...new Map(all)].flatMap(([name, value]) => (value === undefined || ofOneAnswer.has(name) ? [] : [name, String(value)]));
}
