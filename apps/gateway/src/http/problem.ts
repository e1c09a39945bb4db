// Errors of every route: which refusal a thrown error is, and how it is sent. Never as HTML, never with a stack.
import { HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { errorCodes, errorIn, nativeShapes, Refusal, toEnvelope, toJsonRpcError, type ErrorCode, type ToolError } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import type { RequestFacts } from '../calls/call-facts.js';
import { toRefusal } from '../calls/to-refusal.js';
import { isAnswered } from './answers-of-a-turn.js';
import { bodyLimitIn, defaultBodyBytes, notJson, tooLarge } from './json-body.js';
import { languageOf } from './language.js';
import { patternOf, routeOf } from './route.js';

/** Characters of a name or an id in the path. */
export const maxPathPart = 300;

const rateFields = z.object({ limit: z.number(), window_seconds: z.number(), resets_in_seconds: z.number() });

/** Errors of Fastify, by code. */
const fastifyRefusals: Readonly<Record<string, (bodyBytes: number) => Refusal>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: tooLarge,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => new Refusal('INVALID_PARAMS', 'The body is not as long as Content-Length says'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: notJson,
  FST_ERR_CTP_EMPTY_JSON_BODY: () => new Refusal('INVALID_PARAMS', 'The body is empty; send a JSON object, {} for no parameters'),
  FST_ERR_MAX_PARAM_LENGTH: () => new Refusal('INVALID_PARAMS', `A part of the path is longer than ${maxPathPart} characters`),
  FST_ERR_BAD_URL: () => new Refusal('RESOURCE_NOT_FOUND', 'The path is not a valid URL'),
};

/**
 * Whatever was thrown while a request was read or answered, as a refusal.
 * @param bodyBytes that the body of the request may have
 */
export function toHttpRefusal(error: unknown, bodyBytes = defaultBodyBytes): Refusal {
  if (error instanceof Refusal) return error;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = fastifyRefusals[code];
  if (known) return known(bodyBytes);
  const status = error instanceof HttpException ? error.getStatus() : statusOf(error);
  if (status === 404) return new Refusal('RESOURCE_NOT_FOUND', 'There is nothing at this path; see GET /tools');
  // Nest wraps errors of Fastify, and their code is lost.
  if (status === 413) return tooLarge(bodyBytes);
  if (status === 415) return notJson();
  if (status !== null && status >= 400 && status < 500) return new Refusal('INVALID_PARAMS', 'The request could not be read');
  return toRefusal(error);
}

/** Answers an error in the form of its route, with the headers that belong to it. Logs those that are our fault (5xx). */
export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: { readonly error: unknown; readonly log: Logger },
): void {
  const { error } = toHttpRefusal(problem.error, bodyLimitIn(request));
  request.facts.taken.chargeRefusal(error);
  logFailed(problem.log, { facts: request.facts, route: patternOf(request) }, problem.error);
  if (isAnswered(reply)) {
    // A stream that broke off; an answer that is whole stays.
    if (!reply.isMade && !reply.raw.writableEnded) reply.raw.destroy();
    return;
  }
  const language = languageOf(request);
  const told = errorIn(language, error);
  const form = routeOf(request)?.errors ?? 'envelope';
  const shape = form === 'json-rpc' ? () => jsonRpcError(request, told) : form !== 'envelope' && nativeShapes[form];
  const body = shape
    ? shape({ ok: false, error: told })
    : toEnvelope(
        { ok: false, error: told },
        {
          toolName: toolInPath(request),
          traceId: request.facts.traceId,
          timestamp: Date.now(),
          language,
        },
      );
  void reply
    .status(errorCodes[error.family].http)
    // A header that was set before stays, such as the kind of credential that a browser should ask for.
    .headers(Object.fromEntries(Object.entries(errorHeaders(error)).filter(([name]) => !reply.hasHeader(name))))
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body));
}

/** Logs what went wrong with a request, if it is our fault (5xx). */
export function logFailed(
  log: Pick<Logger, 'error'>,
  { facts, route }: { readonly facts: Pick<RequestFacts, 'traceId' | 'requestId'>; readonly route: string | undefined },
  error: unknown,
): void {
  if (errorCodes[toHttpRefusal(error).error.family].http < 500) return;
  log.error({ event: 'request-failed', trace_id: facts.traceId, request_id: facts.requestId, route, err: error }, 'request failed');
}

function jsonRpcError({ facts }: FastifyRequest, error: ToolError): ReturnType<typeof toJsonRpcError> {
  const answer = toJsonRpcError(error);
  facts.measured?.refusedBy(answer.error.code);
  return answer;
}

/** The tool's name as it stands in the path; empty where the path names none. */
function toolInPath({ params }: FastifyRequest): string {
  if (typeof params !== 'object' || params === null) return '';
  const name = 'name' in params ? params.name : 'tool' in params ? params.tool : '';
  return typeof name === 'string' ? name.slice(0, 64) : '';
}

/** Headers that go with an error, on every door. */
export function errorHeaders(error: ToolError): Record<string, string> {
  // Who reads no body learns from the header when a service that is away may be back.
  const retryAfterMs = error.retry_after_ms ?? (errorCodes[error.family].http === 503 ? 1_000 : undefined);
  const retryAfter: Record<string, string> =
    retryAfterMs === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) };
  return { ...retryAfter, ...byCode[error.family]?.(error) };
}

const byCode: Partial<Record<ErrorCode, (error: ToolError) => Record<string, string>>> = {
  UNAUTHORIZED: () => ({ 'www-authenticate': 'Bearer realm="invoq"' }),
  METHOD_NOT_ALLOWED: ({ extra }) => ({ allow: typeof extra?.['allow'] === 'string' ? extra['allow'] : '' }),
  RATE_LIMITED: rateHeaders,
  QUOTA_EXCEEDED: rateHeaders,
};

/** RateLimit header fields for HTTP (draft-ietf-httpapi-ratelimit-headers). */
function rateHeaders({ extra }: ToolError): Record<string, string> {
  const fields = rateFields.safeParse(extra);
  if (!fields.success) return {};
  const { limit, window_seconds: window, resets_in_seconds: resets } = fields.data;
  return { 'ratelimit-policy': `"default";q=${limit};w=${window}`, ratelimit: `"default";r=0;t=${resets}` };
}

function statusOf(error: unknown): number | null {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : null;
}
