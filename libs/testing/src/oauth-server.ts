// A real OAuth server (oidc-provider) with users who grant everything, or nothing, and an API behind it.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import { z } from 'zod';

const asked = z.looseObject({ client_id: z.string(), scope: z.string().default('') });
/** Scopes of its API. */
const scopes = ['openid', 'offline_access', 'mail.read', 'mail.send'];

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
  mood: TokenMood = 'fine';
  /** Requests to the token endpoint, by their grant. */
  readonly grants: string[] = [];
  /** Every token that was given. */
  readonly given: string[] = [];
  readonly revoked: string[] = [];
  /** Queries with which users were sent here. */
  readonly authorizations: URLSearchParams[] = [];
  readonly #server: Server;
  #provider: Provider | null = null;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start({ redirectUris, accessTokenSeconds = 3_600 }: OAuthServerOptions): Promise<OAuthServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const made = new OAuthServer(server);
    const { default: OidcProvider } = await import('oidc-provider');
    const provider = new OidcProvider(made.url, {
      clients: [
        {
          client_id: 'invoq',
          client_secret: made.clientSecret,
          redirect_uris: [...redirectUris],
          grant_types: ['authorization_code', 'refresh_token'],
        },
      ],
      scopes,
      cookies: { keys: ['oauth-test'] },
      features: { devInteractions: { enabled: false }, revocation: { enabled: true }, registration: { enabled: true } },
      pkce: { required: () => true },
      rotateRefreshToken: true,
      issueRefreshToken: async () => true,
      ttl: { AccessToken: accessTokenSeconds, RefreshToken: 86_400, Interaction: 600, Grant: 86_400, Session: 86_400, IdToken: 600 },
      findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    });
    made.#provider = provider;
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

  /** Whether a token opens the API. */
  async isLive(token: string): Promise<boolean> {
    const found = await this.#provider?.AccessToken.find(token);
    return found !== undefined && !found.isExpired;
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
    grant.addOIDCScope(scope);
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }
}
