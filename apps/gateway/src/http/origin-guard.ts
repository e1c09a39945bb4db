import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/fastify';
import { localhostAllowedHostnames } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewaySettings } from '../config.js';
import { routeOf } from './route.js';

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

/**
 * A page in a browser must not reach `/mcp` behind its user's back. Its Origin must be one that browsers may call from;
 * its Host must be a name of ours, so that no stranger's name can be pointed at this address (DNS rebinding).
 */
export function installOriginGuard(
  fastify: FastifyInstance,
  { HOST, ALLOWED_HOSTS, CORS_ORIGINS }: Pick<GatewaySettings, 'HOST' | 'ALLOWED_HOSTS' | 'CORS_ORIGINS'>,
): void {
  const isLocal = loopback.test(HOST);
  const local = isLocal ? localhostAllowedHostnames() : [];
  const checkOrigin = originValidation([...local, ...CORS_ORIGINS.map((origin) => new URL(origin).hostname)]);
  // Behind a proxy it is the proxy that knows the names, unless they are told here.
  const checkHost = isLocal || ALLOWED_HOSTS.length > 0 ? hostHeaderValidation([...local, ...ALLOWED_HOSTS]) : null;
  const check = async (request: FastifyRequest, reply: FastifyReply): Promise<boolean> => {
    await checkHost?.(request, reply);
    if (!reply.sent) await checkOrigin(request, reply);
    return !reply.sent;
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!routeOf(request)?.checksOrigin) return done();
    check(request, reply).then((mayGoOn) => mayGoOn && done(), done);
  });
}
