import { setTimeout as wait } from 'node:timers/promises';
import { fitsPattern } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import type { ConnectionRow, ConnectionStore } from './connection-store.js';
import type { OAuthRequests, OpenServer } from './oauth-requests.js';
import { providerFault, ProviderFault } from './provider-fault.js';
import { presets } from './presets/index.js';
import type { ProviderStore, StoredProvider } from './provider-store.js';
import type { AccountName, StoredTokens, Tokens } from './tokens.js';

/** An account that a tool needs. */
export interface AccountNeed extends AccountName {
  readonly scopes: readonly string[];
}

/** What a request to the provider's API carries. */
export interface AccountAccess {
  readonly kind: 'access';
  /** Short-lived, or the key of an account that has one. Never a refresh token. */
  readonly token: string;
  readonly header: { readonly name: string; readonly value: string };
  /** `id`: of the connection. `resource`: what the token is for (RFC 8707); null where that is not known. */
  readonly account: { readonly id: string; readonly resource: string | null };
}

/**
 * `provider`: nobody has set it up. `none`, `reconnect`, `scopes`: its user has to connect it, again, or with more. `unasked`: nobody may ask
 * for these rights.
 */
export interface MissingAccount {
  readonly kind: 'missing';
  readonly why: 'provider' | 'none' | 'reconnect' | 'scopes' | 'unasked';
  /** For the user, and for a model. */
  readonly message: string;
}

interface AccountsParts {
  readonly providers: ProviderStore;
  readonly connections: ConnectionStore;
  readonly requests: OAuthRequests;
  readonly log: Pick<Logger, 'warn'>;
}

/** Tokens are renewed so long before their end, in ms. */
const aheadMs = 60_000;
/** How long somebody waits for whoever renews the tokens, and how often they look. */
const mostWaitMs = 25_000;
const lookMs = 100;
/** Tries to store what a provider has given: it may have used up what is stored. */
const storeTries = 5;

/** They say who the user is, and are not always told as granted. */
const signInScopes = new Set(['openid', 'profile', 'email', 'offline_access']);

/** Those that are needed and not granted. */
export function ungranted(needed: readonly string[], granted: readonly string[]): readonly string[] {
  return needed.filter((scope) => !granted.includes(scope) && !signInScopes.has(scope));
}

/** The accounts of users, for whatever acts with them. Rejects when Postgres is away. */
export class Accounts {
  readonly #parts: AccountsParts;

  constructor(parts: AccountsParts) {
    this.#parts = parts;
  }

  /**
   * What a request for this user carries, renewed where it ends soon. This is the one way to a token: it is never kept elsewhere.
   * @param refused a token that the API has just refused: another one is given, or the account is lost
   * @param more rights that an outside server has asked for, where its provider lets it
   * @throws ProviderFault when tokens cannot be renewed at the moment
   */
  async access(need: AccountNeed, refused?: string, more: readonly string[] = []): Promise<AccountAccess | MissingAccount> {
    const { providers, connections } = this.#parts;
    const provider = await providers.find({ tenantId: need.tenantId, name: need.provider });
    if (!provider)
      return missing(
        'provider',
        `Your tenant has no provider '${need.provider}'; an administrator sets it up with PUT /providers/${need.provider}`,
      );
    const title = titleOf(provider);
    const unasked = more.filter((scope) => !mayAskFor(provider, scope));
    if (unasked.length > 0)
      return missing(
        'unasked',
        `The rights ${unasked.join(', ')} of your ${title} account are wanted, and nobody may ask for them within a call: an administrator allows it with 'more_scopes' of the provider`,
      );
    const until = performance.now() + mostWaitMs;
    for (;;) {
      const row = await connections.find(need);
      if (!row) return missing('none', `Connect your ${title} account`);
      if (row.state !== 'connected') return missing('reconnect', `Connect your ${title} account again: ${row.reason ?? 'it was lost'}`);
      const lacking = provider.server ? ungranted([...new Set([...need.scopes, ...more])], row.scopes) : [];
      if (lacking.length > 0) return missing('scopes', `Connect your ${title} account again, with the rights ${lacking.join(', ')}`);
      const found = await this.#current(row, provider, refused);
      if (typeof found === 'object' && found !== null) return accessOf(provider, row, found);
      // Where it is lost, that is what is found now, or what somebody else has made of it meanwhile.
      if (found !== null) await connections.lost(row, found);
      if (performance.now() > until) throw new ProviderFault('away', 'its tokens are being renewed, which takes too long');
      if (found === null) await wait(lookMs * (0.75 + 0.5 * Math.random()));
    }
  }

  /** Whether a user has an account that serves, as it is stored. */
  async has(need: AccountNeed): Promise<boolean> {
    const row = await this.#parts.connections.find(need);
    return row?.state === 'connected';
  }

  /**
   * Deletes an account and has its provider take the tokens back.
   * @returns null where the provider has no way to, false where it could not be reached
   */
  async disconnect(by: string, row: ConnectionRow): Promise<boolean | null> {
    const { providers, connections } = this.#parts;
    const provider = await providers.find({ tenantId: row.tenantId, name: row.provider });
    const current = (await connections.byId(row.tenantId, row.id)) ?? row;
    // Whoever renews them at this moment finds no row, and has the new ones taken back.
    await connections.remove(by, row);
    const open = provider && providers.open(provider);
    const tokens = open && connections.tokensOf(current, open.server);
    return tokens ? this.#revoke(open, tokens) : null;
  }

  /** The tokens of an account, or why it is lost; null where somebody else renews it. */
  async #current(row: ConnectionRow, provider: StoredProvider, refused: string | undefined): Promise<StoredTokens | string | null> {
    const { providers, connections } = this.#parts;
    const title = titleOf(provider);
    const tokens = connections.tokensOf(row, provider.server);
    if (!tokens) return 'its provider was set up anew';
    const isGood = tokens.access !== refused;
    if (isGood && !endsSoon(row)) return tokens;
    const open = providers.open(provider);
    if (!open || tokens.refresh === null) {
      if (isGood && !hasEnded(row)) return tokens;
      return isGood ? 'its token has ended' : `${title} refuses its ${open ? 'token' : 'key'}`;
    }
    const renewed = await this.#renew(row, open, tokens);
    if (!(renewed instanceof ProviderFault)) return renewed;
    if (renewed.kind === 'over') return `${title} does not renew its token any more`;
    if (isGood && !hasEnded(row)) return tokens;
    throw renewed;
  }

  /** @returns null where the account is in other hands: it is looked at again */
  async #renew(row: ConnectionRow, open: OpenServer, tokens: StoredTokens): Promise<StoredTokens | ProviderFault | null> {
    const { connections, requests } = this.#parts;
    const lease = await connections.lease(row);
    if (lease === null || tokens.refresh === null) return null;
    let said: Tokens;
    try {
      said = await requests.refresh(open, tokens.refresh);
    } catch (error) {
      const fault = providerFault(error, 'other tokens');
      if (fault.kind !== 'over') await connections.release(row.id, lease);
      return fault;
    }
    // A server that does not rotate refresh tokens gives none.
    const renewed = { ...said, refresh: said.refresh ?? tokens.refresh };
    if (await this.#stored(() => connections.renewed(row, lease, { tokens: renewed, server: open.server }))) return renewed;
    if (!(await connections.byId(row.tenantId, row.id))) await this.#revoke(open, renewed);
    return null;
  }

  /** What is not stored now may be lost: the provider may have used up the refresh token before. */
  async #stored(store: () => Promise<boolean>): Promise<boolean> {
    for (let tried = 1; ; tried++) {
      try {
        return await store();
      } catch (error) {
        if (tried === storeTries) throw error;
        await wait(200 * tried);
      }
    }
  }

  async #revoke(open: OpenServer, tokens: StoredTokens): Promise<boolean | null> {
    try {
      const isDone = await this.#parts.requests.revoke(open, { ...tokens, expiresAt: null, scopes: null });
      return isDone ? true : null;
    } catch (error) {
      const { message } = providerFault(error, 'the end of the tokens');
      this.#parts.log.warn(
        { event: 'tokens-not-revoked', fault: message },
        'the tokens of a deleted connection could not be taken back at its provider',
      );
      return false;
    }
  }
}

/** Its name for people. */
export function titleOf({ row, config }: StoredProvider): string {
  return config.title ?? (config.preset && presets[config.preset].title) ?? row.name;
}

/** Whether an outside server may ask for a right. Where tokens are for one resource alone, it says itself what it wants. */
function mayAskFor({ config: { more_scopes: allowed }, server }: StoredProvider, scope: string): boolean {
  if (allowed) return allowed.some((pattern) => fitsPattern(pattern, scope));
  return server === null || server.resource !== null;
}

function accessOf({ config, server }: StoredProvider, { id }: ConnectionRow, { access: token }: StoredTokens): AccountAccess {
  const key = config.api_key;
  const header = key
    ? { name: key.header, value: key.prefix === undefined ? token : `${key.prefix} ${token}` }
    : { name: 'Authorization', value: `Bearer ${token}` };
  return { kind: 'access', token, header, account: { id, resource: server?.resource ?? null } };
}

function missing(why: MissingAccount['why'], message: string): MissingAccount {
  return { kind: 'missing', why, message };
}

/** Whether its tokens are to be renewed now. */
export function endsSoon({ expiresAt }: Pick<ConnectionRow, 'expiresAt'>): boolean {
  return expiresAt !== null && expiresAt.getTime() - aheadMs < Date.now();
}

function hasEnded({ expiresAt }: ConnectionRow): boolean {
  return expiresAt !== null && expiresAt.getTime() <= Date.now();
}
