import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import { sendProblem } from './problem.js';
import { isSafeMethod, routeOf } from './route.js';

interface GuardParts {
  /** URLs of the origins whose pages may change something. */
  readonly origins: readonly string[];
  readonly log: Logger;
}

/**
 * Refuses what a page of another site makes its visitor's browser send (cross-site request forgery), if it could change something.
 * Programs send neither `Sec-Fetch-Site` nor `Origin` and are not concerned.
 */
export function installCrossSiteGuard(fastify: FastifyInstance, { origins, log }: GuardParts): void {
  const allowed = new Set(origins.map((url) => new URL(url).origin));
  fastify.addHook('onRequest', (request, reply, done) => {
    if (isSafeMethod(request.method) || isOfOwnSite(request, allowed)) return done();
    const message = 'A page of another origin may not send this request; the operator can allow the origin by CORS_ORIGINS';
    sendProblem(request, reply, { error: new Refusal('PERMISSION_DENIED', message), log });
  });
}

/** Fetch Metadata decides where the browser sends it; Origin is compared with Host where it does not. */
function isOfOwnSite(request: FastifyRequest, allowed: ReadonlySet<string>): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  // Such a route has its own list of origins, which was asked before.
  if (origin !== undefined && (allowed.has(origin) || routeOf(request)?.checksOrigin)) return true;
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === request.host);
}
