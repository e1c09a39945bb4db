import type { FastifyInstance } from 'fastify';

/**
 * Writes the answers of one turn of the event loop one right after the other, at its end. A client that sleeps is woken by the first, and
 * finds the others as it goes on: to wake it for each costs the system more than all the rest of a cached answer. Install it after all hooks
 * that look at an answer.
 */
export function installAnswersOfATurn(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (_request, _reply, _payload, done) => atEndOfTurn(done));
}

/** Calls back when all that has come in this turn was looked at. */
export function atEndOfTurn(write: () => void): void {
  setImmediate(write);
}
