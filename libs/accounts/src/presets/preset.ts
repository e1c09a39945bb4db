import type { NewProvider } from '#lib/contracts';

/** A ready provider: what is the same for all who use it. A tenant gives its own client. */
export type Preset = Required<Pick<NewProvider, 'title' | 'authorization_endpoint' | 'token_endpoint'>> &
  Pick<NewProvider, 'issuer' | 'revocation_endpoint' | 'client_authentication' | 'scope_separator' | 'authorization_parameters'>;
