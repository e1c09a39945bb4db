import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Logger } from '#lib/platform';
import { maxPathPart } from './problem.js';
import { answerUnreadable, frameworkErrors, pathOf } from './unreadable-request.js';

/** @param trustedProxies how many proxies in front may state the client's address */
export function createFastifyAdapter(trustedProxies: number, log: Logger): FastifyAdapter {
  return new FastifyAdapter({
    trustProxy: (_address: string, hop: number) => hop < trustedProxies,
    forceCloseConnections: 'idle',
    // A stopping gateway answers the requests that it has; load balancers know by then that it stops.
    return503OnClosing: false,
    frameworkErrors: frameworkErrors(log),
    clientErrorHandler: answerUnreadable,
    rewriteUrl: pathOf,
    requestTimeout: 30_000,
    connectionTimeout: 0,
    keepAliveTimeout: 65_000,
    // Node would answer a missing Host without a body; `requireHost` does it with an envelope.
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 5_000, requireHostHeader: false },
    routerOptions: { maxParamLength: maxPathPart },
  });
}
