// What the gateway answers of outside servers, by its wire contract. A later gateway may add fields.

/** What pages of outside tools may do in a client. */
export interface AppRules {
  /** Where they may load from and what they may speak to: `https://api.example.com`, `https://*.example.com`, `wss://…`. */
  readonly domains: readonly string[];
  readonly permissions: readonly ('camera' | 'microphone' | 'geolocation' | 'clipboardWrite')[];
}

/** An outside server to register: exactly one of `url`, `stdio` and `document`. */
export interface NewOutsideServer {
  readonly name: string;
  /** Default `auto`: MCP, else REST. With `openapi` the address is that of a document. */
  readonly kind?: 'auto' | 'mcp' | 'rest' | 'openapi' | 'sql';
  /** Of a database `postgres://user:password@host:5432/database`; it is sealed. */
  readonly url?: string;
  /** Of the kind `sql`: the queries that are its tools. */
  readonly queries?: readonly OutsideQuery[];
  readonly stdio?: string;
  /** An OpenAPI document, as an object or as text. */
  readonly document?: string | object;
  /** Where the service of the document answers; by default where the document says. */
  readonly base_url?: string;
  /** Operations of the document: names, `tag:NAME` or `GET /path`, with `*` for any characters. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** By the security schemes of the document. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Each call is made with its caller's own account at this provider. */
  readonly connection?: { readonly provider: string; readonly scopes?: readonly string[] };
  /** What a server of MCP may ask of its callers' clients within a call, besides forms. Default: nothing. */
  readonly may_ask?: readonly ('sampling' | 'roots')[];
  /** What the pages of its tools (MCP Apps) may load and use in a client. Default: nothing. */
  readonly apps?: Partial<AppRules>;
  readonly tools?: readonly string[];
  readonly tenants?: 'own' | '*';
  /** Of an attempt, in ms. */
  readonly timeout_ms?: number;
  /** Seconds that answers of tools that only read are kept. */
  readonly cache_ttl?: number;
}

export interface OutsideQuery {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** One SELECT, with `:name` for each parameter. */
  readonly sql: string;
  /** JSON Schemas by the names of parameters: descriptions, and defaults, which make one optional. */
  readonly parameters?: Readonly<Record<string, object>>;
  readonly max_rows?: number;
  readonly timeout_ms?: number;
}

export interface OutsideServerTool {
  /** Its name at the server. */
  readonly name: string;
  /** Its name here; null for one that is not served. */
  readonly offered_as: string | null;
  readonly title: string;
  readonly state: 'served' | 'suspended' | 'rejected';
  readonly reason?: string;
}

export interface OutsideServer {
  readonly name: string;
  readonly tenant_id: string | null;
  readonly kind: 'mcp' | 'rest' | 'openapi' | 'sql';
  readonly url?: string;
  readonly base_url?: string;
  /** Operations of an OpenAPI document, wanted or not. */
  readonly operations?: number;
  readonly has_headers: boolean;
  /** The provider whose accounts of callers it is called with; null for none. */
  readonly connection: { readonly provider: string; readonly scopes?: readonly string[] } | null;
  /** What it may ask of its callers' clients besides forms. Absent from gateways before it. */
  readonly may_ask?: readonly ('sampling' | 'roots')[];
  /** What the pages of its tools may do. Absent from gateways before it. */
  readonly apps?: AppRules;
  readonly approval: number;
  readonly approved_by: string;
  readonly approved_at: string;
  readonly tools: readonly OutsideServerTool[];
  /** In the answer to a registration. */
  readonly registered?: { readonly warnings?: readonly string[] };
}
