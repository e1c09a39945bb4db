// The protocol is the library's: RFC 6749 with PKCE (RFC 7636), `iss` (RFC 9207), resources (RFC 8707), revocation (RFC 7009), exchange (RFC 8693).
import * as oauth from 'oauth4webapi';
import type { AddressRules } from '#lib/platform';
import type { KnownServer } from './known-server.js';
import { providerFault, ProviderFault } from './provider-fault.js';
import { providerFetch } from './guarded-fetch.js';
import type { Tokens } from './tokens.js';
import { isJsonObject } from '#lib/contracts';

/** An OAuth server, with the secret of our client in clear. */
export interface OpenServer {
  readonly server: KnownServer;
  readonly clientSecret: string | null;
}

export interface Authorization {
  readonly server: KnownServer;
  readonly redirectUri: string;
  readonly state: string;
  readonly verifier: string;
  readonly scopes: readonly string[];
}

export interface CodeExchange {
  /** The query with which the browser came back. */
  readonly answer: URLSearchParams;
  readonly state: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

/** A token of a caller, and what is asked for it. */
export interface TokenToExchange {
  readonly token: string;
  readonly subject_token_type?: string | undefined;
  readonly audience?: string | undefined;
  readonly scopes: readonly string[];
}

const tokenTypes = 'urn:ietf:params:oauth:token-type:';

/** Tokens of other kinds are used as bearer tokens too: Slack says `user`, some nothing. */
const otherKinds = { user: () => undefined, bot: () => undefined };

/** What is asked of OAuth servers. Every method throws a ProviderFault. */
export class OAuthRequests {
  readonly options: { readonly [oauth.customFetch]: ReturnType<typeof providerFetch>; readonly [oauth.allowInsecureRequests]: boolean };

  constructor(rules: AddressRules) {
    this.options = { [oauth.customFetch]: providerFetch(rules), [oauth.allowInsecureRequests]: rules.allowPrivate };
  }

  /** Where a user goes to grant what is asked. */
  async authorizationUrl({ server, redirectUri, state, verifier, scopes }: Authorization): Promise<string> {
    const url = new URL(server.authorizationEndpoint);
    const parameters = {
      ...server.parameters,
      response_type: 'code',
      client_id: server.clientId,
      redirect_uri: redirectUri,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(scopes.length > 0 && { scope: scopes.join(server.scopeSeparator) }),
      ...(server.resource !== null && { resource: server.resource }),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  /** The tokens for the code with which a browser came back. */
  async exchange(open: OpenServer, { answer, state, redirectUri, verifier }: CodeExchange): Promise<Tokens> {
    const { as, client, authentication } = partsOf(open);
    const { resource, isNamed } = open.server;
    try {
      const query = new URLSearchParams(answer);
      // Nobody has said who it is.
      if (!isNamed) query.delete('iss');
      const valid = oauth.validateAuthResponse(as, client, query, state);
      const response = await oauth.authorizationCodeGrantRequest(as, client, authentication, valid, redirectUri, verifier, {
        ...this.options,
        ...(resource !== null && { additionalParameters: { resource } }),
      });
      const said = await oauth.processAuthorizationCodeResponse(as, client, await asExpected(response), {
        recognizedTokenTypes: otherKinds,
      });
      return tokensOf(said);
    } catch (error) {
      throw providerFault(error, 'the tokens');
    }
  }

  /** Other tokens for a refresh token, which may be used up by it. */
  async refresh(open: OpenServer, refreshToken: string): Promise<Tokens> {
    const { as, client, authentication } = partsOf(open);
    const { resource } = open.server;
    try {
      const response = await oauth.refreshTokenGrantRequest(as, client, authentication, refreshToken, {
        ...this.options,
        ...(resource !== null && { additionalParameters: { resource } }),
      });
      const said = await oauth.processRefreshTokenResponse(as, client, await asExpected(response), { recognizedTokenTypes: otherKinds });
      return tokensOf(said);
    } catch (error) {
      throw providerFault(error, 'other tokens');
    }
  }

  /** A token with which to act for the user of another one, of the same server (RFC 8693). */
  async exchangeToken(
    open: OpenServer,
    { token, subject_token_type: type = 'access_token', audience, scopes }: TokenToExchange,
  ): Promise<Tokens> {
    const { as, client, authentication } = partsOf(open);
    const { resource, scopeSeparator } = open.server;
    const parameters = {
      subject_token: token,
      subject_token_type: `${tokenTypes}${type}`,
      requested_token_type: `${tokenTypes}access_token`,
      ...(scopes.length > 0 && { scope: scopes.join(scopeSeparator) }),
      ...(audience !== undefined && { audience }),
      ...(resource !== null && { resource }),
    };
    const grant = 'urn:ietf:params:oauth:grant-type:token-exchange';
    try {
      const response = await oauth.genericTokenEndpointRequest(as, client, authentication, grant, parameters, this.options);
      const said = await oauth.processGenericTokenEndpointResponse(as, client, await asExpected(response), {
        recognizedTokenTypes: otherKinds,
      });
      return tokensOf(said);
    } catch (error) {
      throw providerFault(error, 'a token for that of a caller');
    }
  }

  /** Has the provider take tokens back. @returns false where it has no way to */
  async revoke(open: OpenServer, { access, refresh }: Tokens): Promise<boolean> {
    if (open.server.revocationEndpoint === null) return false;
    const { as, client, authentication } = partsOf(open);
    try {
      // Of a refresh token: the access tokens end with it (RFC 7009, section 2.1).
      const response = await oauth.revocationRequest(as, client, authentication, refresh ?? access, {
        ...this.options,
        additionalParameters: { token_type_hint: refresh === null ? 'access_token' : 'refresh_token' },
      });
      await oauth.processRevocationResponse(response);
      return true;
    } catch (error) {
      throw providerFault(error, 'the end of the tokens');
    }
  }
}

function partsOf({ server, clientSecret }: OpenServer) {
  const as: oauth.AuthorizationServer = {
    issuer: server.issuer,
    authorization_endpoint: server.authorizationEndpoint,
    token_endpoint: server.tokenEndpoint,
    authorization_response_iss_parameter_supported: server.isNamed && server.sendsIssuer,
    ...(server.revocationEndpoint !== null && { revocation_endpoint: server.revocationEndpoint }),
  };
  return { as, client: { client_id: server.clientId } satisfies oauth.Client, authentication: authenticationOf(server, clientSecret) };
}

function authenticationOf({ authentication }: KnownServer, secret: string | null): oauth.ClientAuth {
  if (authentication === 'none') return oauth.None();
  if (secret === null) throw new ProviderFault('refused', 'its client has no secret here');
  return authentication === 'client_secret_basic' ? secretBasic(secret) : oauth.ClientSecretPost(secret);
}

/**
 * Id and secret in the header, each as in a form (RFC 6749, section 2.3.1). The library writes `-` and `.` as escapes too, which servers that
 * decode nothing take for another client.
 */
function secretBasic(secret: string): oauth.ClientAuth {
  const asInForm = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
  return (...[, { client_id }, , headers]: Parameters<oauth.ClientAuth>) =>
    headers.set('authorization', `Basic ${btoa(`${asInForm(client_id)}:${asInForm(secret)}`)}`);
}

/**
 * The answer without an ID token, which nobody reads here and which would have to be checked, and with the kind of token that some providers
 * leave out. A refusal stays as it is; one that comes with 200, as GitHub's do, gets the status that says so.
 */
async function asExpected(response: Response): Promise<Response> {
  if (!response.ok || !response.headers.get('content-type')?.includes('json')) return response;
  const body: unknown = await response.json().catch(() => null);
  if (!isJsonObject(body)) throw new ProviderFault('unreadable', 'its answer for the tokens is no object');
  const { id_token: _id, ...said } = { token_type: 'bearer', id_token: undefined, ...body };
  const status = 'error' in said && !('access_token' in said) ? 400 : response.status;
  return Response.json(said, { status });
}

function tokensOf({ access_token: access, refresh_token, expires_in, scope }: oauth.TokenEndpointResponse): Tokens {
  return {
    access,
    refresh: refresh_token ?? null,
    expiresAt: expires_in === undefined ? null : Date.now() + expires_in * 1_000,
    scopes: scope === undefined ? null : scope.split(/[\s,]+/).filter(Boolean),
  };
}
