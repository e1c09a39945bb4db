import type { AddressRules, Database, Logger } from '#lib/platform';
import type { Sealer } from '#lib/transport';
import { Accounts } from './accounts.js';
import { ConnectionStore } from './connection-store.js';
import { OAuthRequests } from './oauth-requests.js';
import { ProviderStore } from './provider-store.js';
import { TokenExchange } from './token-exchange.js';

export type AccountsDatabase = Pick<Database, 'provider' | 'connection' | '$transaction' | '$queryRaw'>;

interface OpenAccountsParts {
  readonly database: AccountsDatabase;
  readonly sealer: Pick<Sealer, 'sealText' | 'openText'>;
  /** Of providers' addresses. */
  readonly rules: AddressRules;
  /** Of the tokens of callers. Default: there are none. */
  readonly issuer?: string | undefined;
  readonly log: Pick<Logger, 'warn'>;
  /** A monotonic clock, ms. */
  readonly now?: () => number;
}

/** The accounts of users with what they are made of. */
export function openAccounts({ database, sealer, rules, issuer, log, now = () => performance.now() }: OpenAccountsParts) {
  const providers = new ProviderStore(database, sealer);
  const connections = new ConnectionStore(database, sealer);
  const requests = new OAuthRequests(rules);
  return {
    providers,
    connections,
    requests,
    accounts: new Accounts({ providers, connections, requests, log }),
    exchange: new TokenExchange({ providers, connections, requests, issuer, log, now }),
  };
}

/** Any public host; in development and where it is said so, providers may be in private networks, and without TLS. */
export function providerRules({
  PROVIDER_PRIVATE: isPrivate,
  NODE_ENV,
}: {
  readonly PROVIDER_PRIVATE?: 'allow' | 'refuse' | undefined;
  readonly NODE_ENV: string;
}): AddressRules {
  return { allowedHosts: [], allowPrivate: isPrivate === undefined ? NODE_ENV !== 'production' : isPrivate === 'allow' };
}
