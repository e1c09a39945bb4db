import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** With an ETag, so that an agent that asks again is told in a few bytes that nothing changed (RFC 9110). */
export function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, text }: { readonly type: string; readonly text: string },
): void {
  const etag = `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
  void reply.headers({ etag, 'cache-control': 'private, no-cache' });
  const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (known?.includes(etag) || known?.includes('*')) void reply.status(304).send();
  else void reply.type(type).send(text);
}
