// A real OAuth server (oidc-provider) with users who grant everything, or nothing, and an API behind it.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, jwtVerify, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import type Provider from 'oidc-provider';
import type { TokenEndpointGrantContext } from 'oidc-provider';
import { z } from 'zod';
import { memoryProvider } from './memory-provider.js';

const asked = z.looseObject({ client_id: z.string(), scope: z.string().default('') });
/** Scopes of its API. */
const scopes = ['openid', 'offline_access', 'mail.read', 'mail.send'];

/** RFC 8693. */
const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const exchangeFields = ['subject_token', 'subject_token_type', 'audience', 'scope'] as const;
type ExchangeFields = Partial<Record<(typeof exchangeFields)[number], string>>;

/** What the token endpoint does. `lost`: it answers, and the answer never arrives. */
type TokenMood = 'fine' | 'hanging' | 'failing' | 'lost' | 'slow';

interface OAuthServerOptions {
  /** Of a client that is registered: `invoq`, with the secret `oauth-test-secret`. */
  readonly redirectUris: readonly string[];
  /** How long access tokens hold. Default 3,600 s. */
  readonly accessTokenSeconds?: number;
}

export class OAuthServer implements AsyncDisposable {
  readonly clientSecret = 'oauth-test-secret';
  /** What the user says to a consent. */
  consents = true;
  /** Scopes that users do not grant, whatever is asked for. */
  withholds: readonly string[] = [];
  mood: TokenMood = 'fine';
  /** The scopes that an exchange grants; all that it asks for by default. */
  exchangeGrants: string | null = null;
  /** Requests to the token endpoint, by their grant. */
  readonly grants: string[] = [];
  /** Every token that was given. */
  readonly given: string[] = [];
  readonly revoked: string[] = [];
  /** Parameters with which tokens were exchanged (RFC 8693). */
  readonly exchanges: Readonly<Record<string, unknown>>[] = [];
  /** Queries with which users were sent here. */
  readonly authorizations: URLSearchParams[] = [];
  readonly #server: Server;
  readonly #key: { readonly privateKey: CryptoKey; readonly publicKey: CryptoKey };
  #provider: Provider | null = null;

  private constructor(server: Server, key: { readonly privateKey: CryptoKey; readonly publicKey: CryptoKey }) {
    this.#server = server;
    this.#key = key;
  }

  static async start({ redirectUris, accessTokenSeconds = 3_600 }: OAuthServerOptions): Promise<OAuthServer> {
    const server = createServer({ keepAliveTimeout: 0 });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const key = await generateKeyPair('RS256', { extractable: true });
    const made = new OAuthServer(server, key);
    const provider = await memoryProvider(made.url, {
      clients: [
        {
          client_id: 'invoq',
          client_secret: made.clientSecret,
          redirect_uris: [...redirectUris],
          grant_types: ['authorization_code', 'refresh_token', exchangeGrant],
        },
      ],
      jwks: { keys: [{ ...(await exportJWK(key.privateKey)), kid: 'k1', alg: 'RS256', use: 'sig' }] },
      scopes,
      cookies: { keys: ['oauth-test'] },
      features: {
        devInteractions: { enabled: false },
        revocation: { enabled: true, allowedPolicy: async () => true },
        registration: { enabled: true },
      },
      pkce: { required: () => true },
      rotateRefreshToken: true,
      issueRefreshToken: async () => true,
      ttl: { AccessToken: accessTokenSeconds, RefreshToken: 86_400, Interaction: 600, Grant: 86_400, Session: 86_400, IdToken: 600 },
      findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    });
    made.#provider = provider;
    provider.registerGrantType<ExchangeFields>(exchangeGrant, async (context) => made.#exchange(context), exchangeFields);
    provider.on('access_token.saved', ({ jti }) => made.given.push(jti));
    provider.on('refresh_token.saved', ({ jti }) => made.given.push(jti));
    provider.on('refresh_token.destroyed', ({ jti }) => made.revoked.push(jti));
    const answer = provider.callback();
    server.on('request', (request, response) => void made.#receive(request, response, answer));
    return made;
  }

  /** Its issuer. */
  get url(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || !address) throw new Error('the OAuth server does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  /** A token of this issuer, such as callers of a gateway have; claims are taken as they are. */
  async sign(claims: JWTPayload): Promise<string> {
    return new SignJWT({ iss: this.url, ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(this.#key.privateKey);
  }

  /** Whether a token opens the API. */
  async isLive(token: string): Promise<boolean> {
    const found = await this.#provider?.AccessToken.find(token);
    return found !== undefined && !found.isExpired;
  }

  /** The scopes of a token. */
  async scopesOf(token: string): Promise<readonly string[]> {
    return [...((await this.#provider?.AccessToken.find(token))?.scopes ?? [])];
  }

  /** Ends every access token; refresh tokens stay. */
  async endAccessTokens(): Promise<void> {
    for (const token of this.given) await (await this.#provider?.AccessToken.find(token))?.destroy();
  }

  /** Ends every token, as a user does who takes a grant back. */
  async endAll(): Promise<void> {
    for (const token of this.given) {
      await (await this.#provider?.AccessToken.find(token))?.destroy();
      await (await this.#provider?.RefreshToken.find(token))?.destroy();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #receive(request: IncomingMessage, response: ServerResponse, answer: ReturnType<Provider['callback']>): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    try {
      if (pathname === '/auth') this.authorizations.push(searchParams);
      if (pathname === '/api/me') return await this.#api(request, response);
      if (pathname.startsWith('/interaction/')) return await this.#decide(request, response);
      await (pathname === '/token' ? this.#token(request, response, answer) : answer(request, response));
    } catch (error) {
      response.statusCode = 500;
      response.end(String(error));
    }
  }

  async #token(request: IncomingMessage, response: ServerResponse, answer: ReturnType<Provider['callback']>): Promise<void> {
    const { mood } = this;
    this.grants.push(mood);
    if (mood === 'hanging') return;
    if (mood === 'failing') {
      response.statusCode = 503;
      response.end('{}');
      return;
    }
    if (mood === 'slow') await new Promise((resolve) => setTimeout(resolve, 500));
    if (mood === 'lost') {
      const end = response.end.bind(response);
      response.end = () => response.destroy() ?? end();
    }
    await answer(request, response);
  }

  /** Gives the user of one of its tokens another one, for the scopes that are asked for. */
  async #exchange(context: TokenEndpointGrantContext<ExchangeFields>): Promise<void> {
    const { InvalidGrant } = (await import('oidc-provider')).errors;
    const { provider, client, params } = context.oidc;
    this.exchanges.push({ ...params });
    const { subject_token: subject = '' } = params;
    const scope = this.exchangeGrants ?? params.scope ?? '';
    const verified = await jwtVerify(subject, this.#key.publicKey, { issuer: this.url }).catch(() => null);
    const { sub } = verified?.payload ?? {};
    if (sub === undefined) throw new InvalidGrant('the subject token is none of this server');
    if (!this.consents) throw new InvalidGrant('the subject token is not exchanged');
    const grant = new provider.Grant({ accountId: sub, clientId: client.clientId });
    grant.addOIDCScope(scope);
    const token = new provider.AccessToken({ client, accountId: sub, scope, grantId: await grant.save(), gty: 'token_exchange' });
    context.body = {
      access_token: await token.save(),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: token.expiration,
      scope,
    };
  }

  async #api({ headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const isLive = await this.isLive(headers.authorization?.replace(/^Bearer /, '') ?? '');
    response.statusCode = isLive ? 200 : 401;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isLive ? { mail: 3 } : { error: 'invalid_token' }));
  }

  /** The user signs in, and says yes or no. */
  async #decide(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = this.#provider;
    if (!provider) throw new Error('not started');
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (!this.consents) return provider.interactionFinished(request, response, { error: 'access_denied', error_description: 'no' });
    if (prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId: 'somebody@example.com' } });
    const { client_id: clientId, scope } = asked.parse(params);
    const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId });
    grant.addOIDCScope(
      scope
        .split(' ')
        .filter((one) => !this.withholds.includes(one))
        .join(' '),
    );
    grant.rejectOIDCScope(this.withholds.join(' '));
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }
}
