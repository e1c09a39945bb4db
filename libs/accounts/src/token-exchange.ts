import { RecentMap, type Logger } from '#lib/platform';
import { endsSoon, ungranted, type AccountNeed } from './accounts.js';
import type { ConnectionStore } from './connection-store.js';
import type { KnownServer, ProviderConfig } from './known-server.js';
import type { OAuthRequests } from './oauth-requests.js';
import { providerFault } from './provider-fault.js';
import type { ProviderStore } from './provider-store.js';

interface TokenExchangeParts {
  readonly providers: Pick<ProviderStore, 'find' | 'open'>;
  readonly connections: Pick<ConnectionStore, 'find' | 'connect' | 'tokensOf'>;
  readonly requests: Pick<OAuthRequests, 'exchangeToken'>;
  /** Of the tokens of callers; undefined where there are none. */
  readonly issuer: string | undefined;
  readonly log: Pick<Logger, 'warn'>;
  /** A monotonic clock, ms. */
  readonly now: () => number;
}

/**
 * How long what the issuer has refused, or has granted in part, is not asked for again.
 * @limit rates: ms between exchanges of a user's token that fail or grant too few scopes; the call rests for an account
 */
const restMs = 10_000;
/** Refused exchanges that are remembered. */
const mostRefused = 10_000;

/** Gets accounts of callers who come with a token of the issuer, where that issuer is the provider too (RFC 8693). Their users connect nothing. */
export class TokenExchange {
  readonly #parts: TokenExchangeParts;
  readonly #pending = new Map<string, Promise<void>>();
  readonly #restUntil = new RecentMap<string, number>(mostRefused);

  constructor(parts: TokenExchangeParts) {
    this.#parts = parts;
  }

  /**
   * Sees to the account that a call of this caller needs, where there is none that serves. It is one question for all that ask at once.
   * What fails is logged, and the call goes on: it asks its user to connect an account.
   * @param token with which the caller came. It goes to nobody but its issuer, and is kept nowhere.
   */
  async see(need: AccountNeed, token: string): Promise<void> {
    const key = keyOf(need);
    if ((this.#restUntil.get(key) ?? 0) > this.#parts.now()) return;
    const known = this.#pending.get(key);
    if (known) return known;
    const pending = this.#see(need, token)
      .catch((error: unknown) => {
        this.#rest(need);
        this.#parts.log.warn(
          {
            event: 'token-exchange-fault',
            provider: need.provider,
            tenant_id: need.tenantId,
            fault: providerFault(error, 'a token').message,
          },
          'the token of a caller could not be exchanged; the call asks its user',
        );
      })
      .finally(() => this.#pending.delete(key));
    this.#pending.set(key, pending);
    return pending;
  }

  async #see(need: AccountNeed, token: string): Promise<void> {
    const { providers, connections, requests, issuer } = this.#parts;
    const provider = await providers.find({ tenantId: need.tenantId, name: need.provider });
    const open = provider && providers.open(provider);
    if (!open || !mayExchange(provider.config, open.server, issuer)) return;
    const row = await connections.find(need);
    const tokens = row?.state === 'connected' ? connections.tokensOf(row, open.server) : null;
    if (row && tokens) {
      // What its user has connected renews itself, and its user is asked for more.
      if (tokens.refresh !== null) return;
      if (!endsSoon(row) && ungranted(need.scopes, row.scopes).length === 0) return;
    }
    const scopes = [...new Set([...open.server.scopes, ...need.scopes])];
    const said = await requests.exchangeToken(open, { token, scopes, ...provider.config.token_exchange });
    const granted = said.scopes ?? scopes;
    await connections.connect(need, { tokens: said, server: open.server, scopes: granted });
    // It would grant as few to the next call.
    if (ungranted(need.scopes, granted).length > 0) this.#rest(need);
  }

  #rest(need: AccountNeed): void {
    this.#restUntil.set(keyOf(need), this.#parts.now() + restMs);
  }
}

function keyOf({ tenantId, owner, provider, scopes }: AccountNeed): string {
  return JSON.stringify([tenantId, owner, provider, [...scopes].toSorted()]);
}

/**
 * A tenant names its providers, and must not thereby get the tokens of its users: they go to the issuer that has given them alone, at the
 * address that this issuer publishes.
 */
export function mayExchange(config: ProviderConfig, server: KnownServer, issuer: string | undefined): boolean {
  return config.token_exchange !== undefined && config.token_endpoint === undefined && server.isNamed && server.issuer === issuer;
}
