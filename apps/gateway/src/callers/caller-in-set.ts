// `?set=name`: for this request its caller sees and calls the tools of a named set alone.
import type { FastifyInstance } from 'fastify';
import { Refusal, type Caller } from '#lib/contracts';
import { queryOf } from '../http/query.js';
import { routeOf, type RouteParameter } from '../http/route.js';
import type { ToolsetDirectory } from '../rules/toolset-directory.js';

export const setParameter: RouteParameter = ['query', 'set', 'Only the tools of this named set, under its names.'];

/** To be installed behind the authentication. */
export function installSets(fastify: FastifyInstance, sets: Pick<ToolsetDirectory, 'find'>): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { facts } = request;
    const asked = routeOf(request)?.takesSet ? queryOf(request)['set'] : undefined;
    if (asked === undefined || !facts.caller) return done();
    try {
      facts.caller = callerInSet(facts.caller, asked, sets);
    } catch (error) {
      return done(error instanceof Error ? error : new Error('unreadable set'));
    }
    done();
  });
}

function callerInSet(caller: Caller, asked: unknown, sets: Pick<ToolsetDirectory, 'find'>): Caller {
  const name = String(asked);
  if (caller.toolset === name) return caller;
  if (caller.toolset !== undefined)
    throw new Refusal('PERMISSION_DENIED', `This credential is for the set '${caller.toolset}' alone; leave out the query parameter 'set'`);
  if (sets.find(caller.tenantId, name)) return { ...caller, toolset: name };
  const message = `Query parameter 'set' must be a set of your tenant, and '${name.slice(0, 64)}' is none`;
  throw new Refusal('RESOURCE_NOT_FOUND', message, { details: [{ path: 'set', message: 'is no set of your tenant' }] });
}
