/** What a request to the API of a provider carries. */
export interface AccountAccess {
  readonly kind: 'access';
  readonly token: string;
  readonly header: { readonly name: string; readonly value: string };
  /** The account itself, and what its token is for (RFC 8707). A machine of a tenant is not told. */
  readonly account?: { readonly id: string; readonly resource: string | null };
}

/** `provider`: the tenant has not set it up, so nobody can connect an account there. `unasked`: nobody may ask for these rights. */
export interface MissingAccount {
  readonly kind: 'missing';
  readonly why: 'provider' | 'none' | 'reconnect' | 'scopes' | 'unasked';
  /** For the caller, and for a model. */
  readonly message: string;
}

/** What the caller is asked: to connect an account. */
export interface AskedConnection {
  /** Of its input request. */
  readonly id: string;
  readonly message: string;
  /** Epoch ms. */
  readonly until: number;
  /** What is asked for beyond what the contract says. */
  readonly more: readonly string[];
}

/** Where the account of a caller is, for one attempt of a tool whose contract names its provider. */
export interface AccountRecords {
  /** @param refused a token that the API has just refused. @param more rights that it wants beyond what the contract says */
  readonly access: (refused?: string, more?: readonly string[]) => Promise<AccountAccess | MissingAccount>;
  /** Asks the caller to connect it; what was asked before stays as it was. Null where somebody else asks. */
  readonly ask: ((asked: AskedConnection) => Promise<void>) | null;
}
