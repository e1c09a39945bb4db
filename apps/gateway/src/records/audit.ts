// Who used which right: one line for each request that administers something, or that was refused for want of a scope.
import type { FastifyInstance } from 'fastify';
import { principal } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import { isPublic, patternOf, routeOf } from '../http/route.js';

const reading = new Set(['GET', 'HEAD']);
const maxSubject = 200;

/** Logs `audit` when a request to a route of a scope has changed something, or was refused with 403. Calls of tools have `call-end`. */
export function installAudit(fastify: FastifyInstance, log: Logger): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const access = routeOf(request)?.access ?? 'caller';
    const { caller, traceId, made } = request.facts;
    const isOfScope = access !== 'caller' && !isPublic(access);
    if (caller && isOfScope && (!reading.has(request.method) || reply.statusCode === 403))
      log.info(
        {
          event: 'audit',
          trace_id: traceId,
          act: `${request.method} ${patternOf(request)}`,
          subject: (made ?? Object.values(Object(request.params)).join(' ')).slice(0, maxSubject),
          scope: access,
          http_status: reply.statusCode,
          caller_id: principal(caller),
          credential_id: caller.credentialId,
        },
        reply.statusCode < 400 ? 'done with a right of administration' : 'refused',
      );
    done();
  });
}
