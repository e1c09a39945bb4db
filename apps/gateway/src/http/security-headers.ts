import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import helmet from 'helmet';

/**
 * Puts helmet's headers on every answer. They are the same for all, so helmet is asked once. Its own plugin asks for every request, and sets
 * them on Node's response one by one: then Node sets all other headers one by one as well.
 */
export function installSecurityHeaders(fastify: FastifyInstance, { isProduction }: { readonly isProduction: boolean }): void {
  const asked = new ServerResponse(new IncomingMessage(new Socket()));
  helmet({ contentSecurityPolicy: false, strictTransportSecurity: isProduction })(asked.req, asked, () => undefined);
  const headers = Object.fromEntries(
    Object.entries(asked.getHeaders()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  fastify.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(headers);
    done();
  });
}
