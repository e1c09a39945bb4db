import { z } from 'zod';

/** Name of a provider: of the users' accounts that tools use. */
export const providerName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,63}$/, 'must be a small letter, then at most 63 small letters, digits, _ or -');

/** Ready providers: `PUT /providers/{name}` with `preset` needs a client alone. */
const providerPresets = ['github', 'google', 'linear', 'microsoft', 'notion', 'slack'] as const;
export type ProviderPreset = (typeof providerPresets)[number];

const address = z
  .string()
  .max(2_048)
  .regex(/^[^\s\p{Cc}#]+$/u, 'must not have blanks, control characters or a fragment')
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), { error: 'must be a URL that begins with https://' })
  .refine((text) => !URL.canParse(text) || new URL(text).username + new URL(text).password === '', {
    error: 'must not have a credential in it',
  });

const origin = address.refine((text) => URL.canParse(text) && new URL(text).origin === text.replace(/\/$/, ''), {
  error: 'must be an origin, such as https://app.example.com',
});

/** One of RFC 6749: neither blanks, quotes nor backslashes. */
const accountScope = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, 'must be a scope of RFC 6749');
export const scopeList = z.array(accountScope).max(50);

/** What a tool needs: an account of its caller at this provider of the tenant, with at least these scopes. */
export const connectionNeed = z.strictObject({ provider: providerName, scopes: scopeList.optional() }) satisfies z.ZodType<ConnectionNeed>;
export interface ConnectionNeed {
  readonly provider: string;
  readonly scopes?: readonly string[] | undefined;
}

/** How a client says who it is (RFC 7591); `none` for a public one. */
const clientAuthentications = ['client_secret_basic', 'client_secret_post', 'none'] as const;

/** For keys that users paste: how they are sent. */
const apiKey = z.strictObject({
  /** Name of the header. */
  header: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/)
    .default('Authorization'),
  /** Stands before the key, with a blank. */
  prefix: z
    .string()
    .regex(/^[\x21-\x7e]{1,32}$/)
    .optional(),
  /** Tells people where they find it. */
  instructions: z.string().min(1).max(500).optional(),
});

/** What of a caller's token is said to its issuer (RFC 8693, section 3). */
const subjectTokenTypes = ['access_token', 'id_token', 'jwt'] as const;

const oauthFields = {
  preset: z.enum(providerPresets).optional(),
  /** Discovered at its address (RFC 8414). */
  issuer: address.optional(),
  /** What its tokens are for (RFC 8707). Without an issuer its servers are discovered there (RFC 9728). */
  resource: address.optional(),
  authorization_endpoint: address.optional(),
  token_endpoint: address.optional(),
  revocation_endpoint: address.optional(),
  registration_endpoint: address.optional(),
  /** A client that was registered there by hand. Without it, by its metadata document, else by dynamic registration (RFC 7591). */
  client_id: z.string().min(1).max(500).optional(),
  client_secret: z.string().min(1).max(2_000).optional(),
  client_authentication: z.enum(clientAuthentications).optional(),
  /**
   * The issuer of callers' tokens (JWT_ISSUER) is this provider too: it is asked for a token for whoever comes with one of its own (RFC 8693), and
   * their users connect nothing. `audience`: for whom the token is to be, in the issuer's words.
   */
  token_exchange: z
    .strictObject({
      audience: z.string().min(1).max(2_048).optional(),
      subject_token_type: z.enum(subjectTokenTypes).default('access_token'),
    })
    .optional(),
  /** Asked for besides those that tools name. */
  scopes: scopeList.optional(),
  /** For which rights outside servers may ask in the middle of a call, with `*`. Default: any where there is a `resource`, else none. */
  more_scopes: scopeList.optional(),
  /** What stands between scopes where that is no blank. */
  scope_separator: z.enum([' ', ',']).optional(),
  /** Added to the address to which users go, such as `{ "access_type": "offline" }`. */
  authorization_parameters: z
    .record(z.string().regex(/^[a-z_]{1,64}$/), z.string().max(500))
    .refine((parameters) => Object.keys(parameters).length <= 20, { error: 'has at most 20 parameters' })
    .refine((parameters) => !Object.keys(parameters).some((name) => ownParameters.has(name)), {
      error: 'must not name a parameter that Invoq sets itself',
    })
    .optional(),
};

const ownParameters = new Set(
  'response_type response_mode client_id redirect_uri scope state code_challenge code_challenge_method resource request request_uri nonce'.split(
    ' ',
  ),
);

/** Body of `PUT /providers/{name}`. */
export const newProvider = z
  .strictObject({
    /** Its name for people. Default: that of the preset, or the name. */
    title: z.string().min(1).max(100).optional(),
    /** Users paste a key there: `true`, or how it is sent. Nothing of OAuth goes with it. */
    api_key: z.union([z.literal(true).transform(() => apiKey.parse({})), apiKey]).optional(),
    /** Origins that `return_to` of `POST /connections` may have, besides the gateway's own. */
    return_origins: z.array(origin).max(20).optional(),
    ...oauthFields,
  })
  .superRefine((body, context) => {
    const fault = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message: `${path} ${message}` });
    const given = Object.keys(oauthFields).filter((name) => Object.hasOwn(body, name));
    if (body.api_key) {
      const [other] = given;
      if (other !== undefined) fault(other, 'does not go with api_key');
      return;
    }
    const hasEndpoints = body.authorization_endpoint !== undefined && body.token_endpoint !== undefined;
    if (!body.preset && body.issuer === undefined && body.resource === undefined && !hasEndpoints)
      fault('issuer', 'is missing: give an issuer, a resource, authorization_endpoint with token_endpoint, a preset, or api_key');
    if (body.client_secret !== undefined && body.client_id === undefined) fault('client_id', 'is missing beside client_secret');
    if (hasEndpoints && body.client_id === undefined && body.registration_endpoint === undefined && body.issuer === undefined)
      fault('client_id', 'is missing: nothing was given by which a client can be registered');
  });
export type NewProvider = z.output<typeof newProvider>;

/** A provider as it is shown. It never has the secret of its client. */
export const provider = z.strictObject({
  name: z.string(),
  title: z.string(),
  kind: z.enum(['oauth2', 'api_key']),
  preset: z.string().nullable(),
  issuer: z.string().nullable(),
  resource: z.string().nullable(),
  authorization_endpoint: z.string().nullable(),
  token_endpoint: z.string().nullable(),
  revocation_endpoint: z.string().nullable(),
  client_id: z.string().nullable(),
  /** How the client came to be known there; null for keys. */
  client: z.enum(['registered', 'metadata_document', 'dynamic']).nullable(),
  has_client_secret: z.boolean(),
  scopes: z.array(z.string()),
  return_origins: z.array(z.string()),
  /** To be registered at the provider; null for keys. */
  redirect_uri: z.string().nullable(),
  /** Whether tokens are taken back there when a connection is deleted. */
  revokes: z.boolean(),
  /** Accounts of users that are connected. */
  connections: z.number(),
  /** What was put, without the secret of the client: to be changed, and put again. */
  given: z.record(z.string(), z.unknown()),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Provider = z.infer<typeof provider>;

/** Answer of `GET /providers`, by name. */
export const providerList = z.strictObject({ providers: z.array(provider) });
export type ProviderList = z.infer<typeof providerList>;

/** Body of `POST /connections`. */
export const newConnection = z.strictObject({
  provider: providerName,
  /** Where its user goes afterwards, with `connection` or `error` in the query. Default: a page of the gateway. */
  return_to: address.optional(),
  /** Asked for besides those of the provider. */
  scopes: scopeList.optional(),
});
export type NewConnection = z.output<typeof newConnection>;

/** Answer of `POST /connections`: for the browser of its user, for ten minutes, once. */
export const connectionAddress = z.strictObject({ url: z.string(), expires_at: z.iso.datetime() });
export type ConnectionAddress = z.infer<typeof connectionAddress>;

/** `reconnect`: its provider refuses to renew the tokens, so its user has to connect it again. */
const connectionStates = ['connected', 'reconnect'] as const;

/** The account of a user at a provider. Its tokens are never shown. */
export const connection = z.strictObject({
  id: z.string(),
  provider: z.string(),
  /** The principal whose account it is. */
  user: z.string(),
  state: z.enum(connectionStates),
  /** Why it has to be connected again; null where it has not. */
  reason: z.string().nullable(),
  scopes: z.array(z.string()),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Connection = z.infer<typeof connection>;

/** Parameters of `GET /connections`. */
export const connectionsQuery = z.strictObject({
  /** The caller's own; `tenant`, with the scope `tenant:admin`: all of its tenant. */
  scope: z.enum(['mine', 'tenant']).default('mine'),
  provider: providerName.optional(),
});

/** Answer of `GET /connections`, by provider and user; of a tenant at most 1,000. */
export const connectionList = z.strictObject({ connections: z.array(connection) });
export type ConnectionList = z.infer<typeof connectionList>;

/** Answer of `DELETE /connections/{id}`. `revoked`: whether the provider has taken its tokens back; null where it has no way to. */
export const removedConnection = connection.extend({ revoked: z.boolean().nullable() });
export type RemovedConnection = z.infer<typeof removedConnection>;
