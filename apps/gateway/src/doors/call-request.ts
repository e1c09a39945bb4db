// What the HTTP doors share: reading a call from a request, and sending its answer. Its headers are in http/call-headers.ts.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { httpStatus, Refusal } from '#lib/contracts';
import { isTraceId } from '#lib/platform';
import { isVersionTag } from '../http/call-headers.js';
import { errorHeaders } from '../http/problem.js';
import { queryOf } from '../http/query.js';
import type { Answer } from '../calls/answer.js';
import type { Call } from '../calls/call.js';
import type { RequestFacts } from '../calls/call-facts.js';
import { defaultOptions, optionNames, parseOptions, type CallOptions } from '../calls/options.js';

const reserved = new Set(['_trace_id', 'debug', 'ticket', 'lastEventId', 'version', ...optionNames]);

/** The parameters in a query string: all names that are no options of the gateway. */
export function parametersInQuery(request: FastifyRequest): Record<string, string | readonly string[]> {
  return Object.fromEntries(Object.entries(queryOf(request)).filter(([name]) => !reserved.has(name)));
}

/** A caller's own trace id is echoed as it is and noted on the span. */
export function adoptTraceId(request: FastifyRequest, traceId: unknown): void {
  if (!isTraceId(traceId)) return;
  request.facts.traceId = traceId;
  request.facts.span.setAttribute('invoq.trace_id', traceId);
}

/** What the body of a success is: the envelope, or its data alone. Errors are envelopes in both. */
export type ResultForm = 'envelope' | 'data';

/** Of `?result=`, or of `result` in the options of the body. Throws INVALID_PARAMS. */
export function resultFormOf(request: FastifyRequest, options?: unknown): ResultForm {
  const inBody: unknown = typeof options === 'object' && options !== null ? Reflect.get(options, 'result') : undefined;
  const asked = queryOf(request)['result'] ?? inBody ?? 'envelope';
  if (asked === 'envelope' || asked === 'data') return asked;
  const message = "Parameter 'result' must be envelope or data";
  throw new Refusal('INVALID_PARAMS', message, { details: [{ path: 'result', message }] });
}

interface GivenOptions {
  readonly debug?: unknown;
  readonly options?: unknown;
  /** Plain data goes to a model as a rule, which has no use for the bytes of a file. */
  readonly form?: ResultForm;
}

export function optionsOf(request: Pick<FastifyRequest, 'headers' | 'query'>, given: GivenOptions = {}): CallOptions {
  const inQuery = Object.fromEntries(Object.entries(queryOf(request)).filter(([name]) => optionNames.has(name)));
  const inBody = typeof given.options === 'object' && given.options !== null ? given.options : {};
  if (given.options !== undefined && given.options !== inBody)
    throw new Refusal('INVALID_PARAMS', "'options' must be a JSON object", { details: [{ path: 'options', message: 'must be object' }] });
  const ofForm = given.form === 'data' ? { inline_files: false } : {};
  const named = { ...ofForm, ...(typeof given.debug === 'boolean' && { debug: given.debug }), ...inBody, ...inQuery };
  const options = Object.keys(named).length === 0 ? defaultOptions : parseOptions(named);
  return /(?:^|,)\s*no-cache\s*(?:,|$)/i.test(request.headers['cache-control'] ?? '') ? { ...options, enable_cache: false } : options;
}

/** Whether the answer of a call has headers beside those of every answer, such as the trace id of a call that it has joined. */
export function hasOwnHeaders(call: Pick<Call, 'headers'>, { traceId }: RequestFacts): boolean {
  return Object.entries(call.headers).some(([name, value]) => name !== 'x-trace-id' || value !== traceId);
}

/** Sends a body with the status and headers of its answer. */
export function sendAnswer(reply: FastifyReply, answer: Answer, body: unknown): void {
  const { outcome } = answer;
  if (outcome.ok && outcome.version !== undefined && isVersionTag(outcome.version)) void reply.header('etag', `W/"${outcome.version}"`);
  if (outcome.ok && outcome.unchanged) return void reply.status(304).header('x-trace-id', answer.facts.traceId).send();
  void reply
    .status(httpStatus(answer.outcome))
    .headers({ 'x-trace-id': answer.facts.traceId, ...(answer.outcome.ok ? {} : errorHeaders(answer.outcome.error)) })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body));
}
