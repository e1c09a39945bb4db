/**
 * Accounts of users at providers: OAuth 2 tokens and keys, sealed in Postgres, and renewed by one process at a time. Gateways connect
 * accounts, and gateways and workers use them. Tables: prisma/schema/accounts.prisma.
 */
export { Accounts, titleOf, type AccountAccess, type AccountNeed, type MissingAccount } from './accounts.js';
export { scopesWanted } from './challenge.js';
export { ConnectionStore, type ConnectionRow } from './connection-store.js';
export { type KnownServer, type ProviderConfig } from './known-server.js';
export { OAuthRequests, type OpenServer } from './oauth-requests.js';
export { openAccounts, providerRules, type AccountsDatabase } from './open-accounts.js';
export { ProviderFault } from './provider-fault.js';
export { ProviderStore, type StoredProvider } from './provider-store.js';
export { resealAccounts } from './reseal.js';
export { clientMetadata, setUp } from './set-up.js';
export { mayExchange, TokenExchange } from './token-exchange.js';
export { type AccountName, type Owner } from './tokens.js';
