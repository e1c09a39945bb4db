// What the gateway answers of providers and connections, by its wire contract. A later gateway may add fields.

export interface NewProvider {
  readonly title?: string;
  /** Its endpoints are known: `github` and others. */
  readonly preset?: 'github' | 'google' | 'linear' | 'microsoft' | 'notion' | 'slack';
  /** Discovered at its address. */
  readonly issuer?: string;
  /** What its tokens are for. Without an issuer its server is discovered there. */
  readonly resource?: string;
  readonly authorization_endpoint?: string;
  readonly token_endpoint?: string;
  readonly revocation_endpoint?: string;
  readonly registration_endpoint?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly client_authentication?: 'client_secret_basic' | 'client_secret_post' | 'none';
  readonly scopes?: readonly string[];
  readonly more_scopes?: readonly string[];
  readonly scope_separator?: ' ' | ',';
  readonly authorization_parameters?: Readonly<Record<string, string>>;
  /** Users paste a key there instead. */
  readonly api_key?: true | { readonly header?: string; readonly prefix?: string; readonly instructions?: string };
  /** Origins that `return_to` may have. */
  readonly return_origins?: readonly string[];
}

export interface Provider {
  readonly name: string;
  readonly title: string;
  readonly kind: 'oauth2' | 'api_key';
  readonly preset: string | null;
  readonly issuer: string | null;
  readonly resource: string | null;
  readonly authorization_endpoint: string | null;
  readonly token_endpoint: string | null;
  readonly revocation_endpoint: string | null;
  readonly client_id: string | null;
  readonly client: 'registered' | 'metadata_document' | 'dynamic' | null;
  readonly has_client_secret: boolean;
  readonly scopes: readonly string[];
  readonly return_origins: readonly string[];
  /** To be registered at the provider. */
  readonly redirect_uri: string | null;
  readonly revokes: boolean;
  /** How many accounts are connected. */
  readonly connections: number;
  /** What was put, without the secret of the client: to be changed, and put again. */
  readonly given: Omit<NewProvider, 'client_secret'>;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ProviderList {
  readonly providers: readonly Provider[];
}

export interface NewConnection {
  readonly provider: string;
  /** Where its user goes afterwards. Default: a page of the gateway. */
  readonly return_to?: string;
  readonly scopes?: readonly string[];
}

/** For the browser of the user who asked, once. */
export interface ConnectionAddress {
  readonly url: string;
  readonly expires_at: string;
}

export interface Connection {
  readonly id: string;
  readonly provider: string;
  /** The principal whose account it is. */
  readonly user: string;
  /** `reconnect`: its user has to connect it again. */
  readonly state: 'connected' | 'reconnect';
  readonly reason: string | null;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ConnectionList {
  readonly connections: readonly Connection[];
}

export interface RemovedConnection extends Connection {
  /** Whether the provider has revoked its tokens; null where it has no way to. */
  readonly revoked: boolean | null;
}
