import type { FastifyRequest } from 'fastify';
import type { ToolDirectory } from '../calls/tool-directory.js';
import { defaultBodyBytes } from '../http/json-body.js';
import { routeOf } from '../http/route.js';

/** Bytes that the body of a request may have: the limit of its route, or that of the tool which the route calls. */
export function bodyLimitOf(request: FastifyRequest, tools: ToolDirectory): number {
  const { maxBodyBytes = defaultBodyBytes, toolParameter } = routeOf(request) ?? {};
  if (!toolParameter) return maxBodyBytes;
  const { params } = request;
  const tool: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, toolParameter) : '';
  const [name = ''] = String(tool).split('@', 1);
  const { caller } = request.facts;
  const { catalog } = caller ? tools.of(caller) : tools;
  return Math.max(maxBodyBytes, ...catalog.versions(name).map(({ maxInputBytes = 0 }) => maxInputBytes));
}
