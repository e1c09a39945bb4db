// What a provider is, from what an administrator has given: discovered (RFC 8414, RFC 9728), and with a client that it knows.
import * as oauth from 'oauth4webapi';
import { foundResource } from './found-resource.js';
import type { KnownServer, ProviderConfig } from './known-server.js';
import type { OAuthRequests } from './oauth-requests.js';
import { presets } from './presets/index.js';
import { providerFault, ProviderFault } from './provider-fault.js';

export interface Given {
  readonly config: ProviderConfig;
  readonly clientSecret: string | null;
  readonly redirectUri: string;
  /** Where our metadata document is (CIMD); null where servers cannot read it there. */
  readonly clientDocument: string | null;
  /** What it was before: a client that was registered there then is kept. */
  readonly before: SetUp | null;
}

export interface SetUp {
  readonly server: KnownServer;
  readonly clientSecret: string | null;
}

/** Discovers what was not given, and registers a client where none was. Throws a ProviderFault. */
export async function setUp(requests: OAuthRequests, given: Given): Promise<SetUp> {
  const { preset, ...own } = given.config;
  const config = { ...(preset && presets[preset]), ...own };
  const { as, resource, scopes } = await metadataOf(requests, config);
  const authorizationEndpoint = config.authorization_endpoint ?? as.authorization_endpoint;
  const tokenEndpoint = config.token_endpoint ?? as.token_endpoint;
  if (authorizationEndpoint === undefined || tokenEndpoint === undefined)
    throw new ProviderFault('unreadable', 'its metadata has no authorization_endpoint or no token_endpoint');
  if (as.code_challenge_methods_supported && !as.code_challenge_methods_supported.includes('S256'))
    throw new ProviderFault('unreadable', 'it does not take PKCE with S256');
  const client = await clientOf(requests, { ...given, as });
  return {
    clientSecret: client.secret,
    server: {
      issuer: as.issuer,
      isNamed: config.issuer !== undefined || config.resource !== undefined,
      sendsIssuer: as.authorization_response_iss_parameter_supported ?? false,
      authorizationEndpoint: webAddress(authorizationEndpoint),
      tokenEndpoint: webAddress(tokenEndpoint),
      revocationEndpoint: config.revocation_endpoint ?? as.revocation_endpoint ?? null,
      clientId: client.id,
      client: client.kind,
      authentication: config.client_authentication ?? client.authentication,
      resource,
      scopes: config.scopes ?? [...scopes],
      scopeSeparator: config.scope_separator ?? ' ',
      parameters: config.authorization_parameters ?? {},
    },
  };
}

/** Users are sent there: no other scheme may stand in it. */
function webAddress(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new ProviderFault('unreadable', 'its metadata has an endpoint that is no web address');
}

interface Found {
  readonly as: oauth.AuthorizationServer;
  readonly resource: string | null;
  /** That the resource asks for, where it was asked. */
  readonly scopes: readonly string[];
}

async function metadataOf(requests: OAuthRequests, config: Given['config']): Promise<Found> {
  const { issuer, resource, authorization_endpoint: authorization, token_endpoint: token, registration_endpoint } = config;
  const isWhole = authorization !== undefined && token !== undefined;
  if (isWhole) {
    const as = {
      issuer: issuer ?? new URL(authorization).origin,
      authorization_endpoint: authorization,
      token_endpoint: token,
      ...(registration_endpoint !== undefined && { registration_endpoint }),
    };
    return { as, resource: resource ?? null, scopes: [] };
  }
  const said = issuer === undefined && resource !== undefined ? await foundResource(requests, resource) : null;
  const found = issuer ?? said?.issuer;
  if (found === undefined) throw new ProviderFault('unreadable', 'neither an issuer nor a resource was given');
  const as = await discovered(requests, new URL(found));
  return {
    as: { ...as, ...(registration_endpoint !== undefined && { registration_endpoint }) },
    resource: said?.resource ?? resource ?? null,
    scopes: said?.scopes ?? [],
  };
}

/** By RFC 8414, else by OpenID Connect Discovery, whose documents many servers have alone. */
async function discovered({ options }: OAuthRequests, issuer: URL): Promise<oauth.AuthorizationServer> {
  const look = async (algorithm: 'oauth2' | 'oidc') =>
    oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...options, algorithm }));
  try {
    return await look('oauth2').catch(async (error: unknown) => {
      const fault = providerFault(error, 'its metadata');
      if (fault.kind !== 'unreadable') throw fault;
      return look('oidc');
    });
  } catch (error) {
    throw providerFault(error, 'its metadata');
  }
}

interface Client {
  readonly id: string;
  readonly kind: KnownServer['client'];
  readonly secret: string | null;
  readonly authentication: KnownServer['authentication'];
}

async function clientOf(
  requests: OAuthRequests,
  { config, clientSecret, clientDocument, redirectUri, before, as }: Given & { readonly as: oauth.AuthorizationServer },
): Promise<Client> {
  const { client_id: id } = config;
  const ways = as.token_endpoint_auth_methods_supported;
  const secretWay = !ways || ways.includes('client_secret_basic') ? 'client_secret_basic' : 'client_secret_post';
  if (id !== undefined) return { id, kind: 'registered', secret: clientSecret, authentication: clientSecret === null ? 'none' : secretWay };
  if (as['client_id_metadata_document_supported'] === true && clientDocument !== null)
    return { id: clientDocument, kind: 'metadata_document', secret: null, authentication: 'none' };
  if (before?.server.client === 'dynamic' && before.server.issuer === as.issuer)
    return { id: before.server.clientId, kind: 'dynamic', secret: before.clientSecret, authentication: before.server.authentication };
  if (as.registration_endpoint === undefined)
    throw new ProviderFault('refused', 'it registers no clients by itself; register one by hand and give its client_id');
  try {
    const method = !ways || ways.includes('none') ? 'none' : secretWay;
    const response = await oauth.dynamicClientRegistrationRequest(
      as,
      { ...clientMetadata(redirectUri), token_endpoint_auth_method: method },
      requests.options,
    );
    const made = await oauth.processDynamicClientRegistrationResponse(await withEndOfSecret(response));
    const secret = typeof made.client_secret === 'string' ? made.client_secret : null;
    const told = ['client_secret_basic', 'client_secret_post', 'none'] as const;
    const authentication = told.find((one) => one === made['token_endpoint_auth_method']) ?? method;
    return { id: made.client_id, kind: 'dynamic', secret, authentication: secret === null ? 'none' : authentication };
  } catch (error) {
    throw providerFault(error, 'a client');
  }
}

/** Many servers leave out when a secret ends, which RFC 7591 asks for: it does not. */
async function withEndOfSecret(response: Response): Promise<Response> {
  if (response.status !== 201 && response.status !== 200) return response;
  const body: unknown = await response.json().catch(() => null);
  if (typeof body !== 'object' || body === null) throw new ProviderFault('unreadable', 'its answer for a client is no object');
  return Response.json({ client_secret_expires_at: 0, ...body }, { status: 201 });
}

/** What is said of our client, when it is registered and in its document. */
export function clientMetadata(redirectUri: string) {
  return {
    client_name: 'Invoq',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'web',
  };
}
