// API keys, by the wire contract. A later gateway may add fields.

/** An API key, as administrators see it. */
export interface ApiKey {
  readonly id: string;
  /** For people; null where nobody gave one. */
  readonly name: string | null;
  /** Late by up to a minute. */
  readonly last_used_at: string | null;
  /** The beginning of the key, by which its owner recognises it. */
  readonly prefix: string;
  readonly tenant_id: string;
  readonly user_id: string | null;
  readonly tier: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

export interface NewApiKey {
  /** For people, to tell keys apart. */
  readonly name?: string;
  readonly tenant_id: string;
  /** Left out for a key of the whole tenant. */
  readonly user_id?: string;
  readonly tier: string;
  readonly scopes: readonly string[];
  /** The only tools that it sees and calls, by name; `*` stands for any characters. Left out: all of them. */
  readonly tools?: readonly string[];
  /** With the scope `tools:serve`: the domains that its workers may serve. Left out: any. */
  readonly serves?: readonly string[];
  /** With the scope `tools:serve`: whether what its workers announce may be called without an administrator. */
  readonly approves_tools?: boolean;
  /** ISO 8601 with an offset. Left out: it does not expire. */
  readonly expires_at?: string;
}
