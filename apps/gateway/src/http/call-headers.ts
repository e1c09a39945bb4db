import type { FastifyRequest } from 'fastify';
import { Refusal, type Caller } from '#lib/contracts';
import type { CallRequest } from '../calls/accepted-call.js';
import { callerOf } from './caller-of.js';

const sessionIdShape = /^[A-Za-z0-9_.:-]{1,128}$/;

/** The headers of a call and who makes it. */
export function callBasics(
  request: Pick<FastifyRequest, 'headers' | 'facts'>,
  caller: Caller = callerOf(request),
): Pick<CallRequest, 'caller' | 'facts' | 'idempotencyKey' | 'sessionId' | 'known'> {
  const key = request.headers['idempotency-key'];
  const session = sessionOf(request);
  if (session !== null && !sessionIdShape.test(session)) {
    throw new Refusal('INVALID_PARAMS', 'X-Session-Id must have 1–128 letters, digits or _ . : -', {
      details: [{ path: 'X-Session-Id', message: 'not a session id' }],
    });
  }
  return {
    caller,
    facts: request.facts,
    idempotencyKey: typeof key === 'string' ? key : null,
    sessionId: session,
    known: tagsIn(request.headers['if-none-match']),
  };
}

/** The working session that the request names, or null. */
export function sessionOf({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  const session = headers['x-session-id'];
  return session === undefined ? null : [session].flat().join(',');
}

const tag = String.raw`[\x21\x23-\x7e]{1,128}`;
const tagShape = new RegExp(`^${tag}$`);
const quotedTags = new RegExp(`"(${tag})"`, 'g');

/** Whether a version fits into an ETag. A worker of a tenant may have another: then the answer has none. */
export function isVersionTag(version: string): boolean {
  return tagShape.test(version);
}

/** The versions in an `If-None-Match` header, without the difference of strong and weak. At most 16. */
function tagsIn(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  return [...header.matchAll(quotedTags)].slice(0, 16).map(([, version = '']) => version);
}
