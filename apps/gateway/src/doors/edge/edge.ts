// What comes again as it came before, byte for byte, has been through everything that reads a head or a body. It is answered in front of
// the server's hooks and routes, while all that may have changed since is as it was.
import type { IncomingMessage, OutgoingHttpHeader, RequestListener, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '#lib/transport';
import type { Allowances } from '../../callers/allowances.js';
import type { Authenticator } from '../../callers/authenticator.js';
import type { OpenRequests } from '../../callers/open-requests.js';
import type { RequestFacts } from '../../calls/call-facts.js';
import type { RepeatableCall } from '../../calls/repeatable-call.js';
import type { RepeatedAnswer, RepeatedCalls } from '../../calls/repeated-calls.js';
import { atEndOfTurn } from '../../http/answers-of-a-turn.js';
import { measureRequest } from '../../http/http-metrics.js';
import { smallBytes } from '../../http/json-body.js';
import { endFacts, factsOf, noteCaller } from '../../http/request-facts.js';
import { askedIn } from './asked-body.js';
import { headText } from './head-text.js';
import { KnownRequests, type KnownHead } from './known-requests.js';

interface EdgeParts {
  readonly calls: Pick<RepeatedCalls, 'answer'>;
  readonly authenticator: Pick<Authenticator, 'authenticateAtOnce'>;
  readonly openRequests: Pick<OpenRequests, 'hasPlace'>;
  readonly allowances: Pick<Allowances, 'hasAny'>;
  readonly served: { readonly isPrepared: (tenantId: string) => boolean };
  readonly readiness: { readonly isStopping: boolean };
  readonly metrics: Pick<Metrics, 'httpSeconds'>;
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
      if (!edge.answer(head, request, response)) serve();
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

  constructor(parts: EdgeParts) {
    this.#parts = parts;
  }

  headOf(request: IncomingMessage): KnownHead | undefined {
    return request.method === 'POST' && !this.#known.isEmpty ? this.#known.find(headText(request, request.url ?? '')) : undefined;
  }

  /** Remembers a request that may come again. */
  learn({ facts, raw, originalUrl, method, routeOptions: { url: route } }: FastifyRequest, reply: FastifyReply): void {
    const { repeatable: call, smallBody } = facts;
    if (!call || !smallBody || route === undefined || method !== 'POST') return;
    if (reply.statusCode !== 200 || this.#parts.readiness.isStopping) return;
    const asked = askedIn(smallBody, call.form?.id !== undefined);
    if (!asked || asked.id !== (call.form?.id ?? null)) return;
    const hasIds = asked.id !== null;
    const headers = () => constantHeaders([...Object.entries(reply.getHeaders()), ...Object.entries(call.form?.headers ?? {})]);
    this.#known.keep(headText(raw, originalUrl), { body: asked.words, call }, () => ({ method, route, hasIds, headers: headers() }));
  }

  /** @returns false where it is not answered: the request is then as it came */
  answer(head: KnownHead, request: IncomingMessage, response: ServerResponse): boolean {
    const body = bodyOf(request);
    if (!body) return false;
    const asked = askedIn(body, head.hasIds);
    const call = asked && head.calls.get(asked.words);
    const mayEnter = call && this.#mayEnter(call, request);
    const answered = mayEnter ? this.#parts.calls.answer(call, () => begin(head, call, request), asked.id) : null;
    if (!answered) {
      request.unshift(body);
      return false;
    }
    // To its end, or the connection would wait for it.
    request.resume();
    atEndOfTurn(() => this.#write(head, response, answered));
    return true;
  }

  #write(head: KnownHead, response: ServerResponse, { text, facts }: RepeatedAnswer): void {
    const bytes = Buffer.byteLength(text);
    const own = ['x-trace-id', facts.traceId, 'x-request-id', facts.requestId, 'traceparent', facts.traceparent];
    response.writeHead(200, [...head.headers, ...own, 'content-length', String(bytes)]);
    // The shorter way for text without any other characters.
    response.end(text, bytes === text.length ? 'latin1' : 'utf8');
    endFacts(facts, 200);
    measureRequest(this.#parts.metrics, head, { status: 200, ms: performance.now() - facts.startedAt });
  }

  /** What the hooks look at that follows from more than the head. */
  #mayEnter({ caller }: RepeatableCall, { headers }: IncomingMessage): boolean {
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
