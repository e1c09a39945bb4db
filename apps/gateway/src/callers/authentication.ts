import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseEventId, Refusal, type Caller } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import type { Metrics } from '#lib/transport';
import type { ProtectedResource } from './protected-resource.js';
import { sendProblem, toHttpRefusal } from '../http/problem.js';
import { noteCaller } from '../http/request-facts.js';
import { resumePoint } from '../http/query.js';
import { isPublic, patternOf, routeOf, takesBasic, type RouteFacts } from '../http/route.js';
import { tokenOf, type Authenticator } from './authenticator.js';
import { consoleSessionIn } from './console-cookie.js';
import type { OpenRequests } from './open-requests.js';
import { RefusalLog } from './refusal-log.js';
import type { Tickets } from './tickets.js';

interface AuthenticationParts {
  readonly authenticator: Pick<Authenticator, 'authenticate' | 'authenticateAtOnce' | 'authenticateSession'>;
  readonly tickets: Pick<Tickets, 'redeem' | 'readerOf'>;
  readonly openRequests: OpenRequests;
  readonly resource: Pick<ProtectedResource, 'challenge'>;
  readonly metrics: Pick<Metrics, 'authFailures'>;
  readonly log: Logger;
}

/**
 * Authenticates before a body is read, by the facts of the matched route and never by the text of the URL. Unknown paths need a
 * credential too, so that strangers cannot find out what exists.
 */
export function installAuthentication(fastify: FastifyInstance, parts: AuthenticationParts): void {
  const refusals = new RefusalLog(parts.log);
  const letIn = (request: FastifyRequest, reply: FastifyReply, caller: Caller): void => {
    parts.openRequests.admit(caller, reply.raw, (reason) => cutOff(request, reply, { reason, log: parts.log }));
    noteCredential(request, caller);
  };
  const refuse = (request: FastifyRequest, reply: FastifyReply, error: unknown): void => {
    if (!request.facts.caller) askForCredential(request, reply, { route: routeOf(request), resource: parts.resource });
    parts.metrics.authFailures.inc({ code: toHttpRefusal(error).error.family });
    refusals.note({
      trace_id: request.facts.traceId,
      route: patternOf(request),
      reason: error instanceof Refusal ? error.message : 'fault',
    });
    sendProblem(request, reply, { error, log: parts.log });
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    const route = routeOf(request);
    if (isPublic(route?.access ?? 'caller')) return done();
    const { facts } = request;
    const known = facts.isBegun ? facts.caller : parts.authenticator.authenticateAtOnce(request.headers);
    // Nothing is waited for, so that most requests are let in within the step in which they came.
    if (!known)
      return void identify(request, route, parts).then(
        (caller) => enter(caller),
        (error: unknown) => refuse(request, reply, error),
      );
    enter(known);

    function enter(caller: Caller): void {
      try {
        letIn(request, reply, caller);
      } catch (error) {
        return refuse(request, reply, error);
      }
      done();
    }
  });
}

/** What is known of a request whose credential lets it in. */
export function noteCredential({ facts, headers }: Pick<FastifyRequest, 'facts' | 'headers'>, caller: Caller): void {
  noteCaller(facts, caller);
  const token = tokenOf(headers, caller);
  if (token !== null) facts.callerToken = token;
}

/** Ends an open request whose credential has ended: a stream by its end, what is not answered yet by 401. */
function cutOff(request: FastifyRequest, reply: FastifyReply, { reason, log }: { readonly reason: Refusal; readonly log: Logger }): void {
  // Its answer came first.
  if (reply.isMade) return;
  logCutOff(log, { traceId: request.facts.traceId, route: patternOf(request), reason });
  // Whatever answers in the same turn finds that this request has its answer.
  request.facts.isCutOff = true;
  if (!reply.raw.headersSent) return sendProblem(request, reply, { error: reason, log });
  endCutOff(reply.raw);
}

/** Ends an answer that has begun. */
export function endCutOff(response: ServerResponse): void {
  // Its writer may not have noticed yet.
  response.on('error', () => undefined);
  response.end();
}

/** Says that the credential of an open request has ended. */
export function logCutOff(
  log: Pick<Logger, 'info'>,
  { traceId, route, reason }: { readonly traceId: string; readonly route: string | undefined; readonly reason: Refusal },
): void {
  log.info({ event: 'auth-ended', trace_id: traceId, route, reason: reason.message }, 'cut off');
}

/** The kind of credential that the route's clients can be asked for; a bearer token is asked for by every 401. */
function askForCredential(
  request: FastifyRequest,
  reply: FastifyReply,
  { route, resource }: { readonly route: RouteFacts | null; readonly resource: AuthenticationParts['resource'] },
): void {
  if (route?.challenge === 'basic') void reply.header('www-authenticate', 'Basic realm="invoq", charset="UTF-8"');
  if (route?.challenge === 'oauth') void reply.header('www-authenticate', resource.challenge(request));
}

async function identify(
  request: FastifyRequest,
  route: RouteFacts | null,
  { authenticator, tickets }: AuthenticationParts,
): Promise<Caller> {
  const query = request.query;
  const ticket = typeof query === 'object' && query !== null && 'ticket' in query ? query.ticket : undefined;
  if (typeof ticket === 'string' && route?.ticket && request.headers.authorization === undefined) {
    const jobId = jobToRead(request, route.ticket);
    if (jobId !== null) return tickets.readerOf(ticket, jobId);
    const caller = await tickets.redeem(ticket);
    request.facts.ticket = ticket;
    return caller;
  }
  const session = consoleSessionIn(request);
  if (session !== null) return authenticator.authenticateSession(session, request.headers);
  return authenticator.authenticate(request.headers, request.ip, takesBasic(route, request.method));
}

/** The job whose events a request with a ticket reads; null if the request starts a call. */
function jobToRead(request: FastifyRequest, kind: 'start' | 'read'): string | null {
  if (kind === 'read') {
    const { params } = request;
    return typeof params === 'object' && params !== null && 'id' in params ? String(params.id) : '';
  }
  const place = resumePoint(request);
  return place === null ? null : (parseEventId(place)?.jobId ?? '');
}
