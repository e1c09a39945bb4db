import type { FastifyInstance } from 'fastify';
import { metric } from '#lib/transport';

/** Measures every answered request by the pattern of its route. How long streams are open has a metric of its own. */
export function installHttpMetrics(fastify: FastifyInstance): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    if (!String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream'))
      measureRequest({ method: request.method, route }, { status: reply.statusCode, ms: reply.elapsedTime });
    done();
  });
}

export function measureRequest(
  { method, route }: { readonly method: string; readonly route: string },
  { status, ms }: { readonly status: number; readonly ms: number },
): void {
  metric.httpSeconds.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, ms / 1_000);
}
