import { Injectable } from '@nestjs/common';
import { ProviderFault, titleOf, type AccountName, type ConnectionRow, type StoredProvider } from '#lib/accounts';
import { Refusal } from '#lib/contracts';
import { InputRequests } from '../../inputs/input-requests.js';
import { stored } from '../../http/stored.js';
import { isOpen, secretName, type AttemptRow, AttemptStore, type BroughtBack } from './attempt-store.js';
import { redirectUriOf } from './gateway-place.js';
import { Stores } from '../../stores.js';

export const unreachable = 'The connections cannot be reached at the moment';

export interface Asked extends AccountName {
  readonly scopes: readonly string[];
  readonly returnTo: string | null;
}

/** How it came out: the attempt, and the account, or why there is none. */
export interface Connected {
  readonly attempt: AttemptRow;
  readonly title: string;
  readonly connection: ConnectionRow | null;
  /** `access_denied`: its user has said no. */
  readonly error: string | null;
  /** For people. */
  readonly message: string;
}

/** Users connect accounts: they begin, go to the provider, and come back. */
@Injectable()
export class Connecting {
  constructor(
    private readonly stores: Stores,
    private readonly attempts: AttemptStore,
    private readonly inputs: InputRequests,
  ) {}

  /** Throws RESOURCE_NOT_FOUND. */
  async provider(tenantId: string, name: string): Promise<StoredProvider> {
    const provider = await stored(unreachable, () => this.stores.accounts.providers.find({ tenantId, name }));
    if (provider) return provider;
    throw new Refusal(
      'RESOURCE_NOT_FOUND',
      `Your tenant has no provider '${name}'; an administrator sets it up with PUT /providers/${name}`,
    );
  }

  /** The first step. Throws RATE_LIMITED. */
  async begin(asked: Asked): Promise<{ readonly token: string; readonly expiresAt: Date }> {
    const made = await stored(unreachable, () => this.attempts.create(asked));
    if (made) return made;
    throw new Refusal('RATE_LIMITED', 'You have begun to connect too many accounts; finish one, or wait ten minutes', {
      retry_after_ms: 60_000,
    });
  }

  /** Null for an address that was used or is over. Throws RESOURCE_NOT_FOUND for one that never was. */
  async attempt(token: string): Promise<{ readonly row: AttemptRow; readonly provider: StoredProvider } | null> {
    const row = await stored(unreachable, () => this.attempts.byToken(token));
    if (!row) throw new Refusal('RESOURCE_NOT_FOUND', 'There is no such address, or its provider was deleted');
    return isOpen(row) ? { row, provider: await this.provider(row.tenantId, row.provider) } : null;
  }

  /** Where its user goes now. Throws CONFLICT. */
  async send(
    row: AttemptRow,
    { server }: StoredProvider,
    { place, browser }: { readonly place: string; readonly browser: string },
  ): Promise<string> {
    const { connections, requests } = this.stores.accounts;
    if (!server) throw new Refusal('CONFLICT', 'Its provider was changed; begin anew');
    const [state, verifier] = [secretName(), secretName()];
    // What was granted before is asked for again: a provider may give a token for what is asked alone.
    const known = await stored(unreachable, () => connections.find(row));
    const scopes = [...new Set([...server.scopes, ...row.scopes, ...(known?.scopes ?? [])])];
    const url = await requests.authorizationUrl({ server, redirectUri: redirectUriOf(place), state, verifier, scopes });
    const isSent = await stored(unreachable, () => this.attempts.send(row, { state, browser, verifier }));
    if (isSent) return url;
    throw new Refusal('CONFLICT', 'This address was used meanwhile; begin anew');
  }

  /** The browser is back from the provider. Null where nobody began this here, or it is over: then nothing is known of where it should go. */
  async comeBack(
    back: BroughtBack,
    { answer, place }: { readonly answer: URLSearchParams; readonly place: string },
  ): Promise<Connected | null> {
    const { connections, requests, providers } = this.stores.accounts;
    const { log } = this.stores;
    const used = await stored(unreachable, () => this.attempts.use(back));
    if (!used) return null;
    const { row: attempt, verifier } = used;
    const provider = await this.provider(attempt.tenantId, attempt.provider);
    const title = titleOf(provider);
    const open = providers.open(provider);
    if (!open) return failed(attempt, title, { error: 'provider_changed', message: 'Its provider was changed; begin anew' });
    try {
      const redirectUri = redirectUriOf(place);
      const tokens = await requests.exchange(open, { answer, state: back.state, redirectUri, verifier });
      const asked = [...new Set([...open.server.scopes, ...attempt.scopes])];
      const scopes = tokens.scopes ?? asked;
      return await this.#connected(attempt, title, () => connections.connect(attempt, { tokens, server: open.server, scopes }));
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      log.warn(
        { event: 'account-not-connected', provider: attempt.provider, tenant_id: attempt.tenantId, fault: error.message },
        'an account could not be connected',
      );
      const isDenied = answer.get('error') === 'access_denied';
      const message = isDenied ? `You did not let Invoq use your ${title} account` : `${title} could not be connected: ${error.message}`;
      return failed(attempt, title, { error: isDenied ? 'access_denied' : 'provider_error', message });
    }
  }

  /** Takes the key that a user has pasted. Null as for `comeBack`. */
  async takeKey(token: string, key: string): Promise<Connected | null> {
    const { connections } = this.stores.accounts;
    const attempt = await stored(unreachable, () => this.attempts.useToken(token));
    if (!attempt) return null;
    const provider = await this.provider(attempt.tenantId, attempt.provider);
    const title = titleOf(provider);
    if (provider.server) return failed(attempt, title, { error: 'provider_changed', message: 'Its provider was changed; begin anew' });
    const tokens = { access: key, refresh: null, expiresAt: null, scopes: null };
    return this.#connected(attempt, title, () => connections.connect(attempt, { tokens, server: null, scopes: [] }));
  }

  async list(of: { readonly tenantId: string; readonly owner: string | null; readonly provider?: string | undefined }) {
    return stored(unreachable, () => this.stores.accounts.connections.list(of));
  }

  async byId(tenantId: string, id: string): Promise<ConnectionRow | null> {
    return stored(unreachable, () => this.stores.accounts.connections.byId(tenantId, id));
  }

  /** @returns whether the provider took its tokens back; null where it has no way to */
  async disconnect(by: string, row: ConnectionRow): Promise<boolean | null> {
    return stored(unreachable, () => this.stores.accounts.accounts.disconnect(by, row));
  }

  async #connected(attempt: AttemptRow, title: string, connect: () => Promise<ConnectionRow>): Promise<Connected> {
    const connection = await stored(unreachable, connect);
    const { tenantId, owner, provider } = attempt;
    // The account is there: what waits for it finds it at the latest when it looks by itself.
    await this.inputs
      .connected({ tenantId, owner, provider })
      .catch((err: unknown) => this.stores.log.warn({ event: 'account-wake', err }, 'calls that wait for an account could not be told'));
    return { attempt, title, connection, error: null, message: `Your ${title} account is connected` };
  }
}

function failed(attempt: AttemptRow, title: string, fault: { readonly error: string; readonly message: string }): Connected {
  return { attempt, title, connection: null, ...fault };
}
