import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { as, refused, served } from '../expect.js';
import type { Client } from './client.js';
import type { World } from './world.js';

const made = z.looseObject({ id: z.string(), key: z.string() });

export interface RevocableKey {
  readonly client: Client;
  readonly key: string;
  /** Resolves when every gateway refuses it. */
  readonly revoke: () => Promise<void>;
}

/** How long a gateway may go on to use a key that was revoked at another one. */
const revocationMs = 1_100;

/** A key of the victim's tenant, made and revoked as an administrator does. */
export async function makeKey({ admin, stranger, system }: World, wish: object = {}): Promise<RevocableKey> {
  const json = { tenant_id: system.tenant.id, user_id: 'user_other', tier: 'pro', scopes: ['tools:read', 'tools:write'], ...wish };
  const { id, key } = as(served(await admin.send('POST /keys', { json })), made);
  const client = stranger.with({ authorization: `Bearer ${key}` });
  const revoke = async (): Promise<void> => {
    served(await admin.send(`DELETE /keys/${id}`));
    await sleep(revocationMs);
    refused(await client.send('GET /tools'), 401);
  };
  return { client, key, revoke };
}

export async function ticketOf(client: Client): Promise<string> {
  return as(served(await client.send('POST /tickets', { json: {} })), z.looseObject({ ticket: z.string() })).ticket;
}

/** A token signed by HMAC, or by nothing when there is no key. */
export function forgedToken(header: object, claims: object, key?: string): string {
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const body = `${encoded(header)}.${encoded(claims)}`;
  return `${body}.${key === undefined ? '' : createHmac('sha256', key).update(body).digest('base64url')}`;
}

/** Claims of a token that the gateway takes. */
export function claimsOf({ issuer, system }: World, rest: object = {}) {
  const exp = Math.floor(Date.now() / 1_000) + 300;
  return { iss: issuer.url, aud: 'invoq', sub: 'user_other', tenant_id: system.tenant.id, tier: 'pro', exp, ...rest };
}

/** A client of the stranger's tenant that may import documents. */
export function librarian({ newClient, strangerTenant }: World): Promise<Client> {
  return newClient({ tenant: strangerTenant, userId: null, scopes: ['tools:read', 'tools:write', 'admin'] });
}
