// What a provider is, from what an administrator has given: discovered (RFC 8414, RFC 9728), and with a client that it knows.
import * as oauth from 'oauth4webapi';
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
  const as = await metadataOf(requests, config);
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
      resource: config.resource ?? null,
      scopes: config.scopes ?? [],
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

async function metadataOf(requests: OAuthRequests, config: Given['config']): Promise<oauth.AuthorizationServer> {
  const { issuer, resource, authorization_endpoint: authorization, token_endpoint: token, registration_endpoint } = config;
  const isWhole = authorization !== undefined && token !== undefined;
  if (isWhole) {
    return {
      issuer: issuer ?? new URL(authorization).origin,
      authorization_endpoint: authorization,
      token_endpoint: token,
      ...(registration_endpoint !== undefined && { registration_endpoint }),
    };
  }
  const found = issuer ?? (resource === undefined ? undefined : await issuerOf(requests, resource));
  if (found === undefined) throw new ProviderFault('unreadable', 'neither an issuer nor a resource was given');
  const as = await discovered(requests, new URL(found));
  return { ...as, ...(registration_endpoint !== undefined && { registration_endpoint }) };
}

/** The first authorization server of a resource. */
async function issuerOf({ options }: OAuthRequests, resource: string): Promise<string> {
  try {
    const url = new URL(resource);
    const response = await oauth.resourceDiscoveryRequest(url, options);
    const [first] = (await oauth.processResourceDiscoveryResponse(url, response)).authorization_servers ?? [];
    if (first !== undefined && URL.canParse(first)) return first;
  } catch (error) {
    throw providerFault(error, 'the metadata of the resource');
  }
  throw new ProviderFault('unreadable', 'the metadata of the resource names no authorization server');
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
    const made = await oauth.processDynamicClientRegistrationResponse(response);
    const secret = typeof made.client_secret === 'string' ? made.client_secret : null;
    const told = ['client_secret_basic', 'client_secret_post', 'none'] as const;
    const authentication = told.find((one) => one === made['token_endpoint_auth_method']) ?? method;
    return { id: made.client_id, kind: 'dynamic', secret, authentication: secret === null ? 'none' : authentication };
  } catch (error) {
    throw providerFault(error, 'a client');
  }
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
