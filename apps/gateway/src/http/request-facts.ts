import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { context, propagation, SpanKind, SpanStatusCode, trace, type Context } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#lib/contracts';
import { callerAttributes, isTraceId, outwardTraceId, traceparentOf, tracer, unstored } from '#lib/platform';
import { isRequestId, type RequestFacts } from '../calls/call-facts.js';
import { Steps } from '../calls/steps.js';
import { Taken } from '../calls/taken.js';
import { isPublic, patternOf, routeOf } from './route.js';

declare module 'fastify' {
  interface FastifyRequest {
    facts: RequestFacts;
  }
}

/** W3C trace context, from headers or from a body. */
export interface TraceCarrier {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

/**
 * Starts the server span of every request and puts its ids on every answer.
 * @param noteAlias called with each trace id that an authenticated caller sent (no guest), and the W3C trace that it stands for
 */
export function installRequestFacts(
  fastify: FastifyInstance,
  noteAlias: (caller: Caller, outward: string, w3cTraceId: string) => void,
): void {
  fastify.decorateRequest('facts');
  fastify.decorateRequest('foundRoute');
  fastify.addHook('onRequest', (request, reply, done) => {
    startFacts(request, reply);
    done();
  });
  fastify.addHook('onSend', (...[request, reply, , done]) => {
    void reply.header('x-request-id', request.facts.requestId);
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const { traceId, derivedTraceId, w3cTraceId, caller } = request.facts;
    if (traceId !== derivedTraceId && caller && !isPublic(routeOf(request)?.access ?? 'caller')) noteAlias(caller, traceId, w3cTraceId);
    endFacts(request.facts, reply.statusCode);
    done();
  });
}

/** Ends the span of a request that was answered. */
export function endFacts(
  { span, steps, measured, startedAt }: Pick<RequestFacts, 'span' | 'steps' | 'measured' | 'startedAt'>,
  status: number,
): void {
  measured?.ended(startedAt, status);
  span.setAttribute('http.response.status_code', status);
  // They come as fast as anybody sends them, and would push out the traces of calls.
  if (status === 429) span.setAttribute(unstored, true);
  const { text } = steps;
  if (text !== '') span.setAttribute('invoq.steps', text);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Facts of requests that were begun before any hook looked at them. */
const begun = new WeakMap<IncomingMessage, RequestFacts>();

/** Leaves a request that was let in, and whose call was begun, to the hooks and to its door. */
export function leaveBegun(request: IncomingMessage, facts: RequestFacts): void {
  facts.isBegun = true;
  begun.set(request, facts);
}

/** Gives a request its facts, and their ids to its reply. */
export function startFacts(request: FastifyRequest, reply: FastifyReply): void {
  request.facts = begun.get(request.raw) ?? factsOf(headIn(request));
  void reply.headers({
    'x-trace-id': request.facts.traceId,
    'x-request-id': request.facts.requestId,
    traceparent: request.facts.traceparent,
    // Answers are a caller's own: no shared cache may keep them.
    'cache-control': 'no-store',
    vary: 'authorization, cookie',
  });
}

/** Writes the caller to the span too: a trace is shown to its caller alone. */
export function noteCaller(facts: RequestFacts, caller: Caller): void {
  facts.caller = caller;
  const { tenantId, userId } = caller;
  facts.span.setAttributes({ [callerAttributes.tenant]: tenantId, [callerAttributes.user]: userId ?? '', [unstored]: false });
}

/**
 * Continues in the trace that a message names in its body (SEP-414). The span that began with the request ends here, and a new one
 * begins in the caller's trace.
 */
export function joinTrace(request: FastifyRequest, reply: FastifyReply, carrier: TraceCarrier): void {
  const parent = propagation.extract(context.active(), carrier);
  const named = trace.getSpanContext(parent)?.traceId;
  const { span, w3cTraceId, requestId, startedAt, taken, caller, callerToken } = request.facts;
  if (named === undefined || named === w3cTraceId) return;
  span.end();
  request.facts = { ...factsOf(headIn(request), parent), requestId, startedAt, taken, ...(callerToken !== undefined && { callerToken }) };
  if (caller) noteCaller(request.facts, caller);
  void reply.headers({ 'x-trace-id': request.facts.traceId, traceparent: request.facts.traceparent });
}

/** The trace that the headers name, or none. */
function traceAround({ headers }: RequestHead): Context {
  return headers.traceparent === undefined ? context.active() : propagation.extract(context.active(), headers);
}

interface RequestHead {
  readonly method: string;
  /** The pattern of the matched route. */
  readonly route: string;
  readonly headers: IncomingHttpHeaders;
}

function headIn(request: FastifyRequest): RequestHead {
  return { method: request.method, route: patternOf(request) ?? 'unknown', headers: request.headers };
}

/** Starts the span of a request. */
export function factsOf(head: RequestHead, parent = traceAround(head)): RequestFacts {
  const { method, route, headers } = head;
  const span = tracer.startSpan(
    `${method} ${route}`,
    // Until it is known whose request it is.
    { kind: SpanKind.SERVER, attributes: { 'http.request.method': method, 'http.route': route, [unstored]: true } },
    parent,
  );
  const w3cTraceId = span.spanContext().traceId;
  const brought = headers['x-trace-id'];
  const derivedTraceId = outwardTraceId(w3cTraceId, new Date());
  const traceId = isTraceId(brought) ? brought : derivedTraceId;
  span.setAttribute('invoq.trace_id', traceId);
  const givenId = headers['x-request-id'];
  return {
    requestId: isRequestId(givenId) ? givenId : randomUUID(),
    startedAt: performance.now(),
    traceId,
    derivedTraceId,
    w3cTraceId,
    traceparent: traceparentOf(span),
    span,
    steps: new Steps(),
    taken: new Taken(),
    caller: null,
  };
}
