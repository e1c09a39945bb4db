import { z } from 'zod';
import type { Sealer } from '#lib/transport';
import type { KnownServer } from './known-server.js';

/** What a provider gives for one user. For a key that its user has pasted, `access` is the key. */
export interface Tokens {
  readonly access: string;
  readonly refresh: string | null;
  /** Epoch ms; null where the provider does not say. */
  readonly expiresAt: number | null;
  /** What was granted; null where it is what was asked for. */
  readonly scopes: readonly string[] | null;
}

/** Whose account it is: a principal of a tenant. */
export interface Owner {
  readonly tenantId: string;
  readonly owner: string;
}

/** Names one account: nobody has two at a provider. */
export interface AccountName extends Owner {
  readonly provider: string;
}

const stored = z.strictObject({ access: z.string(), refresh: z.string().nullable() });
export type StoredTokens = z.output<typeof stored>;

/**
 * What sealed tokens are bound to: the user, the provider, and where they may be sent. After its provider has another server, client or resource, nobody
 * opens them, so that none is sent to a server that did not give it.
 */
export function tokensPurpose({ tenantId, owner, provider }: AccountName, server: KnownServer | null): string {
  const place = server && [server.issuer, server.tokenEndpoint, server.clientId, ...(server.resource === null ? [] : [server.resource])];
  return `tokens of ${JSON.stringify([tenantId, owner, provider, place])}`;
}

/** Tokens as a row has them. @param server null for a key */
export function sealedTokens(
  sealer: Pick<Sealer, 'sealText'>,
  { name, server, tokens }: { readonly name: AccountName; readonly server: KnownServer | null; readonly tokens: StoredTokens },
): string {
  const { access, refresh } = tokens;
  return sealer.sealText(JSON.stringify({ access, refresh }), tokensPurpose(name, server));
}

/** The reverse; null where they are of another user, server or client, or no key opens them. */
export function openedTokens(
  sealer: Pick<Sealer, 'openText'>,
  { name, server, sealed }: { readonly name: AccountName; readonly server: KnownServer | null; readonly sealed: string },
): StoredTokens | null {
  try {
    return stored.parse(JSON.parse(sealer.openText(sealed, tokensPurpose(name, server))));
  } catch {
    return null;
  }
}
