import type { FastifyInstance } from 'fastify';
import type { Metrics } from '#lib/transport';
import { patternOf } from './route.js';

type HttpMetrics = Pick<Metrics, 'httpSeconds'>;

/** Measures every answered request by the pattern of its route. How long streams are open has a metric of its own. */
export function installHttpMetrics(fastify: FastifyInstance, metrics: HttpMetrics): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = patternOf(request) ?? 'none';
    if (!String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream'))
      measureRequest(
        metrics,
        { method: request.method, route },
        { status: reply.statusCode, ms: performance.now() - request.facts.startedAt },
      );
    done();
  });
}

export function measureRequest(
  metrics: HttpMetrics,
  { method, route }: { readonly method: string; readonly route: string },
  { status, ms }: { readonly status: number; readonly ms: number },
): void {
  metrics.httpSeconds.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, ms / 1_000);
}
