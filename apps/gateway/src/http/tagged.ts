import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A text as it is sent, with the tag that follows from it. Its bytes may be sent many times: nobody changes them. */
export interface Tagged {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

export function tagged(text: string, type = 'application/json; charset=utf-8'): Tagged {
  const bytes = Buffer.from(text);
  return { type, bytes, etag: `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"` };
}

/** Sends a text with its ETag, so that a client that has it already gets 304 (RFC 9110). */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, { type, bytes, etag }: Tagged): void {
  void reply.headers({ etag, 'cache-control': 'private, no-cache' });
  const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (known?.includes(etag) || known?.includes('*')) void reply.status(304).send();
  else void reply.type(type).send(bytes);
}
