import type { FastifyReply, FastifyRequest } from 'fastify';
import { attemptMs, secretName } from './attempt-store.js';

/** Of the cookie that tells one browser from another; null without one. */
export function browserOf(request: FastifyRequest): string | null {
  const name = nameFor(request);
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  return /^[\w-]{43}$/.test(value) ? value : null;
}

/** The same, or a new one. It is set anew, so that it holds as long as an attempt. Comes along when a provider sends the browser back: Lax. */
export function keepBrowser(request: FastifyRequest, reply: FastifyReply): string {
  const value = browserOf(request) ?? secretName();
  const secure = request.protocol === 'https' ? '; Secure' : '';
  void reply.header('set-cookie', `${nameFor(request)}=${value}; Path=/; Max-Age=${attemptMs / 1_000}; HttpOnly; SameSite=Lax${secure}`);
  return value;
}

function nameFor({ protocol }: FastifyRequest): string {
  return protocol === 'https' ? '__Host-invoq_connection' : 'invoq_connection';
}
