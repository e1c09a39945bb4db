import type { FastifyInstance, FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyReply {
    /** Its answer is made, and is written at the end of this turn. */
    isMade: boolean;
  }
}

/**
 * Writes the answers of one turn of the event loop one right after the other, at its end. A client that sleeps is woken by the first, and
 * finds the others as it goes on: to wake it for each costs the system more than all the rest of a cached answer. Install it after all hooks
 * that look at an answer.
 */
export function installAnswersOfATurn(fastify: FastifyInstance): void {
  fastify.decorateReply('isMade', false);
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    // It is answered from outside, and does not wait for the end of the turn.
    if (request.facts.isCutOff) return done();
    reply.isMade = true;
    atEndOfTurn(() => {
      reply.isMade = false;
      // What writes a second head throws where nobody catches it, and ends the process.
      if (!isWritten(reply)) done();
    });
  });
}

/** Whether the answer of a request stands, or has begun: nothing else can be answered. */
export function isAnswered(reply: FastifyReply): boolean {
  return reply.isMade || isWritten(reply);
}

function isWritten(reply: FastifyReply): boolean {
  return reply.sent || reply.raw.headersSent;
}

/** Calls back when all that has come in this turn was looked at. */
export function atEndOfTurn(write: () => void): void {
  setImmediate(write);
}
