import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** Takes the connection over from Fastify, and begins an answer 200 with what hooks have set and these headers. */
export function takeOver(reply: FastifyReply, headers: OutgoingHttpHeaders): ServerResponse {
  const set = Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined);
  reply.hijack();
  return reply.raw.writeHead(200, { ...Object.fromEntries(set), ...headers });
}
