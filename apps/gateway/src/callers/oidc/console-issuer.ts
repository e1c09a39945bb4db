// The protocol is the library's: OpenID Connect Core 1.0 with PKCE (RFC 7636), `iss` (RFC 9207), and sign-out by its RP-initiated logout.
import * as oauth from 'oauth4webapi';
import type { Caller } from '#lib/contracts';
import { boundedFetch } from '#lib/platform';
import type { GatewaySettings } from '../../config.js';
import type { SignInAttempt } from './attempt-cookie.js';
import { failureOf, SignInFailure } from './sign-in-fault.js';
import { userOfClaims, type ClaimPaths } from './user-of-claims.js';

/** Of one answer: metadata and key sets have a few kB. */
const maxAnswerBytes = 1024 * 1024;
const answerMs = 5_000;
/** What the issuer publishes is read again after this time. */
const freshMs = 600_000;
/** How far its clock and ours may differ, as for tokens. */
const toleranceSeconds = 5;

type IssuerSettings = Pick<
  GatewaySettings,
  | 'JWT_ISSUER'
  | 'JWT_JWKS_URL'
  | 'JWT_SECRET'
  | 'CONSOLE_OIDC_CLIENT_ID'
  | 'CONSOLE_OIDC_CLIENT_SECRET'
  | 'CONSOLE_OIDC_CLIENT_AUTH'
  | 'CONSOLE_OIDC_SCOPES'
  | 'CONSOLE_OIDC_USER_CLAIM'
  | 'CONSOLE_OIDC_TENANT_CLAIMS'
  | 'CONSOLE_OIDC_SCOPE_CLAIMS'
>;

/** Somebody who has signed in at the issuer. */
export interface IssuerUser {
  readonly user: Pick<Caller, 'tenantId' | 'userId' | 'tier' | 'scopes'>;
  /** Tells the issuer later whom it signs out. */
  readonly idToken: string;
}

/** The issuer by which people sign in to the console. Every method throws a SignInFailure. */
export class ConsoleIssuer {
  readonly issuer: string;
  readonly paths: ClaimPaths;
  readonly #client: oauth.Client;
  readonly #authentication: oauth.ClientAuth;
  readonly #scopes: string;
  #metadata: { readonly as: Promise<oauth.AuthorizationServer>; readonly readAt: number } | null = null;

  private constructor(issuer: string, clientId: string, settings: IssuerSettings) {
    this.issuer = issuer;
    this.paths = {
      user: settings.CONSOLE_OIDC_USER_CLAIM,
      tenant: settings.CONSOLE_OIDC_TENANT_CLAIMS,
      scopes: settings.CONSOLE_OIDC_SCOPE_CLAIMS,
    };
    this.#client = { client_id: clientId, [oauth.clockTolerance]: toleranceSeconds };
    this.#authentication = authenticationOf(settings);
    this.#scopes = [...new Set(['openid', ...settings.CONSOLE_OIDC_SCOPES])].join(' ');
  }

  /** Null without CONSOLE_OIDC_CLIENT_ID. Throws an Error where the settings do not fit together. */
  static of(settings: IssuerSettings): ConsoleIssuer | null {
    const { JWT_ISSUER: issuer, CONSOLE_OIDC_CLIENT_ID: clientId } = settings;
    if (!clientId) return null;
    if (!issuer || !isSafe(issuer))
      throw new Error('CONSOLE_OIDC_CLIENT_ID needs JWT_ISSUER: the https URL of the issuer, or an http one of this machine');
    // Its users are callers like those of its tokens, also after their sessions: by schedules, for instance.
    if (!settings.JWT_JWKS_URL && !settings.JWT_SECRET) throw new Error('CONSOLE_OIDC_CLIENT_ID needs JWT_JWKS_URL or JWT_SECRET');
    return new ConsoleIssuer(issuer, clientId, settings);
  }

  /** Where a browser goes to sign in. */
  async authorizationUrl({ state, nonce, verifier }: SignInAttempt, redirectUri: string): Promise<string> {
    const { authorization_endpoint: endpoint } = await this.#read();
    if (endpoint === undefined) throw new SignInFailure('issuer', 'the issuer has no authorization_endpoint');
    const url = new URL(endpoint);
    const parameters = {
      response_type: 'code',
      client_id: this.#client.client_id,
      redirect_uri: redirectUri,
      scope: this.#scopes,
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  /** @param answer the query with which the browser came back */
  async userOf(answer: URLSearchParams, { state, nonce, verifier }: SignInAttempt, redirectUri: string): Promise<IssuerUser> {
    try {
      const as = await this.#read();
      const [client, options] = [this.#client, this.#options()];
      const valid = oauth.validateAuthResponse(as, client, answer, state);
      const response = await oauth.authorizationCodeGrantRequest(as, client, this.#authentication, valid, redirectUri, verifier, options);
      const said = await oauth.processAuthorizationCodeResponse(as, client, response, { expectedNonce: nonce, requireIdToken: true });
      await oauth.validateApplicationLevelSignature(as, response, options);
      const claims = oauth.getValidatedIdTokenClaims(said);
      if (claims === undefined || said.id_token === undefined) throw new SignInFailure('issuer', 'the issuer gave no ID token');
      if (claims.iat > Date.now() / 1_000 + toleranceSeconds) throw new SignInFailure('clock', 'the ID token is of the future');
      return { user: userOfClaims(claims, this.paths), idToken: said.id_token };
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** Where a browser goes to sign out there too; null where the issuer has no such place. */
  async endUrl(idToken: string, place: string): Promise<string | null> {
    const { end_session_endpoint: endpoint } = await this.#read();
    if (endpoint === undefined) return null;
    const url = new URL(endpoint);
    url.searchParams.set('id_token_hint', idToken);
    url.searchParams.set('client_id', this.#client.client_id);
    url.searchParams.set('post_logout_redirect_uri', `${place}/console`);
    return url.href;
  }

  async #read(): Promise<oauth.AuthorizationServer> {
    const now = Date.now();
    if (!this.#metadata || now - this.#metadata.readAt >= freshMs) this.#metadata = { as: this.#discover(), readAt: now };
    const read = this.#metadata;
    try {
      return await read.as;
    } catch (error) {
      // What failed is not kept.
      if (this.#metadata === read) this.#metadata = null;
      throw failureOf(error);
    }
  }

  async #discover(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(this.issuer);
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...this.#options() }),
    );
    // The library takes a stroke at the end for nothing; tokens do not.
    if (as.issuer !== this.issuer)
      throw new SignInFailure('issuer', `the issuer calls itself ${as.issuer}, and JWT_ISSUER has ${this.issuer}`);
    return as;
  }

  #options() {
    return {
      [oauth.customFetch]: askIssuer,
      [oauth.allowInsecureRequests]: this.issuer.startsWith('http:'),
    };
  }
}

const bounded = boundedFetch(maxAnswerBytes);

/** Follows no redirect: a secret goes where it was meant to, or nowhere. */
async function askIssuer(url: string, { method, headers, body }: IssuerRequest): Promise<Response> {
  const signal = AbortSignal.timeout(answerMs);
  return bounded(url, { method, headers, redirect: 'manual', signal, ...(body !== undefined && { body }) });
}

/** What the library asks for. */
interface IssuerRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: URLSearchParams | undefined;
}

function authenticationOf({ CONSOLE_OIDC_CLIENT_SECRET: secret, CONSOLE_OIDC_CLIENT_AUTH: how }: IssuerSettings): oauth.ClientAuth {
  if (!secret) return oauth.None();
  return how === 'post' ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret);
}

function isSafe(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false;
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname));
}
