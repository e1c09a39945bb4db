import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '#lib/contracts';
import { policyOfPage } from '../../inputs/decision-page.js';
import { connectionPage, type PageContent } from './connection-page.js';

/** Nobody keeps it: the address is a credential. */
export function unkept(reply: FastifyReply): FastifyReply {
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
}

export function page(reply: FastifyReply, status: number, parts: PageContent): void {
  const nonce = randomBytes(16).toString('base64url');
  void unkept(reply)
    .status(status)
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policyOfPage(nonce))
    .send(connectionPage(parts, nonce));
}

/** The same for what went wrong. Programs get an error as everywhere: throws the refusal. */
export function faultPage({ headers }: FastifyRequest, reply: FastifyReply, fault: Refusal): void {
  if (!headers.accept?.includes('text/html')) throw fault;
  page(reply, fault.error.family === 'EXPIRED' ? 410 : 400, { title: 'Not connected', lines: [fault.message] });
}
