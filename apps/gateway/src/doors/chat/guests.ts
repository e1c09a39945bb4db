// Visitors without a credential (C-63). A session cookie recognises them; limits are counted by address.
import { hash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { guestCredential, guestTenant, type Caller } from '#lib/contracts';
import { networkOf } from '../../callers/network.js';

const cookie = 'invoq_guest';
const shape = /(?:^|;\s*)invoq_guest=([A-Za-z0-9_-]{32})(?:;|$)/;

/**
 * The guest of a request. A new one gets a cookie for the session of its browser. The user id is a hash of the cookie's value, because
 * ids are in logs, records and admin pages, and the value alone lets anyone act as the guest.
 */
export function guestOf(request: FastifyRequest, reply: FastifyReply): Caller {
  const known = shape.exec(request.headers.cookie ?? '')?.[1];
  const session = known ?? randomBytes(24).toString('base64url');
  if (!known) {
    const secure = request.protocol === 'https' ? '; Secure' : '';
    void reply.header('set-cookie', `${cookie}=${session}; Path=/; HttpOnly; SameSite=Lax${secure}`);
  }
  return {
    tenantId: guestTenant,
    userId: `guest-${hash('sha256', session, 'base64url')}`,
    tier: 'free',
    scopes: ['tools:read'],
    credentialId: `${guestCredential}${networkOf(request.ip)}`,
  };
}
