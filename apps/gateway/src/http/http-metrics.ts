import type { FastifyInstance } from 'fastify';
import { metric } from '#lib/transport';

/** Measures every answered request by the pattern of its route. How long streams are open has a metric of its own. */
export function installHttpMetrics(fastify: FastifyInstance): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    if (!String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream'))
      metric.httpSeconds.observe(
        { method: request.method, route: request.routeOptions.url ?? 'none', status: `${Math.floor(reply.statusCode / 100)}xx` },
        reply.elapsedTime / 1_000,
      );
    done();
  });
}
