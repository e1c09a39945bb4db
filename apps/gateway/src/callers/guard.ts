import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hasScope, Refusal, type Caller, type Scope } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import { metadataPaths, type ProtectedResource } from '../doors/mcp/protected-resource.js';
import { guestPaths } from '../chat/guests.js';
import { sendProblem } from '../http/problem.js';
import { noteCaller } from '../http/request-facts.js';
import type { Authenticator } from './authenticator.js';
import type { OpenRequests } from './open-requests.js';
import type { Tickets } from './tickets.js';

/** Routes that answer without a credential; they tell nothing about anyone. */
const open = new Set(['/healthz', '/readyz', ...metadataPaths]);
/** Pages that people open in a browser, which can only be asked for Basic. */
const forBrowsers = /^\/(admin|docs)(\/|$)/;
/** A link to a file is its own credential. */
const linked = /^\/files\/[^/]+$/;
/** Only these take a one-time ticket in the query. */
const ticketed = /^\/(tools\/[^/]+\/sse|jobs\/[^/]+\/events)$/;

interface GuardParts {
  readonly authenticator: Authenticator;
  readonly tickets: Tickets;
  readonly openRequests: OpenRequests;
  readonly resource: ProtectedResource;
  readonly log: Logger;
}

/** Authenticates before a body is read. Unknown paths need a credential too: what exists is nobody's business. */
export function installGuard(fastify: FastifyInstance, parts: GuardParts): void {
  fastify.addHook('onRequest', async (request, reply) => {
    const [path = ''] = request.url.split('?');
    if (open.has(path) || linked.test(path) || guestPaths.test(path)) return;
    try {
      const caller = await identify(request, path, parts);
      parts.openRequests.admit(caller, reply.raw);
      noteCaller(request.facts, caller);
    } catch (error) {
      if (forBrowsers.test(path)) void reply.header('www-authenticate', 'Basic realm="invoq", charset="UTF-8"');
      if (path === '/mcp') void reply.header('www-authenticate', parts.resource.challenge(request));
      parts.log.info(
        {
          event: 'auth-refused',
          trace_id: request.facts.traceId,
          route: request.routeOptions.url,
          reason: error instanceof Refusal ? error.message : 'fault',
        },
        'not let in',
      );
      sendProblem(request, reply, { error, log: parts.log });
      return reply;
    }
  });
}

async function identify(request: FastifyRequest, path: string, { authenticator, tickets }: GuardParts): Promise<Caller> {
  const query = request.query;
  const ticket = typeof query === 'object' && query !== null && 'ticket' in query ? query.ticket : undefined;
  if (typeof ticket === 'string' && ticketed.test(path) && request.headers.authorization === undefined) {
    return tickets.redeem(ticket, resumePoint(request) !== null || path.startsWith('/jobs/'));
  }
  return authenticator.authenticate(request.headers, request.ip);
}

/** Where a reconnecting reader of a stream left off: `Last-Event-ID`, or `?lastEventId=` for those who cannot set it. */
export function resumePoint(request: FastifyRequest): string | null {
  const header = request.headers['last-event-id'];
  if (typeof header === 'string' && header !== '') return header;
  const query = request.query;
  const given = typeof query === 'object' && query !== null && 'lastEventId' in query ? query.lastEventId : undefined;
  return typeof given === 'string' && given !== '' ? given : null;
}

/** The caller of a guarded route. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.facts.caller) throw new Refusal('UNAUTHORIZED', 'A credential is missing');
  return request.facts.caller;
}

/** Throws PERMISSION_DENIED that names the scope. */
export function requireScope(request: FastifyRequest, scope: Scope): Caller {
  const caller = callerOf(request);
  if (!hasScope(caller, scope))
    throw new Refusal('PERMISSION_DENIED', `This needs a credential with the scope ${scope}`, { extra: { required_scope: scope } });
  return caller;
}
