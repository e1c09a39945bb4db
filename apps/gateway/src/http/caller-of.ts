import type { FastifyRequest } from 'fastify';
import { Refusal, type Caller } from '#lib/contracts';

/** The caller of a guarded route. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.facts.caller) throw new Refusal('UNAUTHORIZED', 'A credential is missing');
  return request.facts.caller;
}
