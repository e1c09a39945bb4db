import type { FastifyRequest } from 'fastify';
import { Refusal, type Caller } from '#lib/contracts';

/** The caller of a guarded route. */
export function callerOf({ facts }: Pick<FastifyRequest, 'facts'>): Caller {
  if (!facts.caller) throw new Refusal('UNAUTHORIZED', 'A credential is missing');
  return facts.caller;
}
