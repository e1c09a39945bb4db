import type { FastifyReply, FastifyRequest } from 'fastify';
import { consoleHeader } from '#lib/contracts';
import { isSafeMethod, routeOf } from '../http/route.js';
import { longestMs } from './console-sessions.js';

/** The id of a session in the cookie of a request; null without one. By HTTPS only the cookie that no other host can have set. */
function idIn(request: FastifyRequest): string | null {
  const name = nameFor(request);
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

/**
 * The session that counts as the credential of a request; null where none does. A page of another site, or a form, cannot make it
 * count: the browser says that the request is of our own page, and what changes something carries a header of the console's own.
 * Browsers say so to HTTPS and to the machine's own address alone. At `/mcp`, where programs call, it never counts.
 */
export function consoleSessionIn(request: FastifyRequest): string | null {
  const { authorization, 'sec-fetch-site': site } = request.headers;
  if (authorization !== undefined || site !== 'same-origin') return null;
  if (!isSafeMethod(request.method) && !hasConsoleHeader(request)) return null;
  return routeOf(request)?.checksOrigin ? null : idIn(request);
}

export function hasConsoleHeader(request: FastifyRequest): boolean {
  return request.headers[consoleHeader] === '1';
}

export function setConsoleCookie(request: FastifyRequest, reply: FastifyReply, id: string): void {
  write(request, reply, { value: id, seconds: longestMs / 1_000 });
}

export function clearConsoleCookie(request: FastifyRequest, reply: FastifyReply): void {
  write(request, reply, { value: '', seconds: 0 });
}

function write(
  request: FastifyRequest,
  reply: FastifyReply,
  { value, seconds }: { readonly value: string; readonly seconds: number },
): void {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  void reply.header('set-cookie', `${nameFor(request)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`);
}

function nameFor({ protocol }: FastifyRequest): string {
  return protocol === 'https' ? '__Host-invoq_console' : 'invoq_console';
}
