import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Sends a text with an ETag, so that a client that has it already gets 304 (RFC 9110). */
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
