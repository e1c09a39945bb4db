import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from '#lib/platform';
import { sendProblem } from '../http/problem.js';
import { isPublic, routeOf } from '../http/route.js';
import type { Allowances } from './allowances.js';
import { consoleSessionIn } from './console-cookie.js';
import { networkOf } from './network.js';

export interface RequestAllowances {
  readonly credentials: Allowances;
  readonly addresses: Allowances;
}

/** What a request takes whose route says nothing. */
const plainPoints = 1;

/**
 * Limits every request, whatever it asks for: those without a credential by their address, here, before anything is looked up. Install it
 * before authentication.
 */
export function installAddressAllowances(fastify: FastifyInstance, { addresses }: RequestAllowances, log: Logger): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const route = routeOf(request);
    if (!isPublic(route?.access ?? 'caller') && bringsCredential(request)) return done();
    const points = route?.points ?? plainPoints;
    // Who watches over this process is always answered.
    if (points === 0) return done();
    try {
      addresses.admit(networkOf(request.ip), points);
    } catch (error) {
      return sendProblem(request, reply, { error, log });
    }
    done();
  });
  // What a visitor sent may have been dearer than a plain request.
  fastify.addHook('onResponse', (request, _reply, done) => {
    const { taken } = request.facts;
    if (taken.points > 0 && isPublic(routeOf(request)?.access ?? 'caller')) addresses.charge(networkOf(request.ip), taken.points);
    done();
  });
}

/** The others by their credential, once it is known. What they turned out to be, such as a call that was refused, is charged afterwards. Install it after authentication. */
export function installCredentialAllowances(fastify: FastifyInstance, { credentials }: RequestAllowances, log: Logger): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { caller, isBegun } = request.facts;
    // What was begun is answered.
    if (!caller || isBegun) return done();
    try {
      credentials.admit(caller.credentialId, routeOf(request)?.points ?? plainPoints);
    } catch (error) {
      return sendProblem(request, reply, { error, log });
    }
    done();
  });
  // Many that come at once have all been let in before the first of them is read: none is read once nothing is left.
  fastify.addHook('preParsing', (...[{ facts }, , payload, done]) => {
    if (facts.caller && !facts.isBegun) credentials.admit(facts.caller.credentialId, 0);
    done(null, payload);
  });
  fastify.addHook('preHandler', (request, _reply, done) => {
    const { caller, taken, isBegun } = request.facts;
    if (isBegun) return done();
    const points = taken.points + (routeOf(request)?.bodyPoints?.(request) ?? 0);
    if (!caller || points === 0) return done();
    taken.points = 0;
    credentials.admit(caller.credentialId, points);
    done();
  });
  fastify.addHook('onResponse', ({ facts: { caller, taken } }, { statusCode }, done) => {
    // Refused by what knows nothing of points, such as the SDK of MCP.
    if (statusCode >= 400 && statusCode < 500 && statusCode !== 429) taken.chargeValues();
    if (caller && taken.points > 0) credentials.charge(caller.credentialId, taken.points);
    done();
  });
}

function bringsCredential(request: FastifyRequest): boolean {
  if (request.headers.authorization !== undefined || consoleSessionIn(request) !== null) return true;
  const { query } = request;
  return typeof query === 'object' && query !== null && 'ticket' in query;
}
