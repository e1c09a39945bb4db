import type { FastifyRequest } from 'fastify';
import type { ToolDirectory } from '../calls/tool-directory.js';
import { defaultBodyBytes } from '../http/json-body.js';
import { isPublic, routeOf } from '../http/route.js';

/**
 * What strangers send is a name, a decision, a token.
 * @limit calls: bytes of a body without a credential, where its route does not allow more; PAYLOAD_TOO_LARGE
 */
const strangerBodyBytes = 16 * 1024;

/** Bytes that the body of a request may have: the limit of its route, or that of the tool which the route calls. */
export function bodyLimitOf(request: FastifyRequest, tools: ToolDirectory): number {
  const route = routeOf(request);
  const { maxBodyBytes = isPublic(route?.access ?? 'caller') ? strangerBodyBytes : defaultBodyBytes, toolParameter } = route ?? {};
  if (!toolParameter) return maxBodyBytes;
  const { params } = request;
  const tool: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, toolParameter) : '';
  const [name = ''] = String(tool).split('@', 1);
  const { caller } = request.facts;
  const { catalog } = caller ? tools.of(caller) : tools;
  return Math.max(maxBodyBytes, ...catalog.versions(name).map(({ maxInputBytes = 0 }) => maxInputBytes));
}
