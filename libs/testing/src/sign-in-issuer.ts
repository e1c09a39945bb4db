// A real issuer of OpenID Connect (oidc-provider), whose users sign in without a question. What it says of them is the test's.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import type Provider from 'oidc-provider';
import { z } from 'zod';
import { memoryProvider } from './memory-provider.js';

const asked = z.looseObject({ client_id: z.string(), scope: z.string().default('') });
const tokens = z.looseObject({ id_token: z.string() });
const clientId = 'invoq-console';

interface IssuerOptions {
  /** Of gateways, see `allow`. */
  readonly places: readonly string[];
}

export class SignInIssuer implements AsyncDisposable {
  readonly clientId = clientId;
  readonly clientSecret = 'sign-in-test-secret';
  /** Who signs in, with the claims of the ID token. */
  user: { readonly sub: string; readonly [claim: string]: unknown } = { sub: 'somebody' };
  /** What a user says to a consent. */
  consents = true;
  /** Changes ID tokens before they are signed: what a wrong issuer would say. */
  alter: ((claims: JWTPayload) => JWTPayload) | null = null;
  /** Whose key signs ID tokens instead. */
  forge: SignInIssuer | null = null;
  /** Queries with which browsers came to sign in. */
  readonly authorizations: URLSearchParams[] = [];
  readonly #server: Server;
  readonly #privateKey: CryptoKey;
  #provider: Provider | null = null;

  private constructor(server: Server, privateKey: CryptoKey) {
    this.#server = server;
    this.#privateKey = privateKey;
  }

  static async start({ places }: IssuerOptions): Promise<SignInIssuer> {
    // As all servers of tests: on a busy machine a client may use a connection that has waited for five seconds, just as it is closed.
    const server = createServer({ keepAliveTimeout: 0 });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const made = new SignInIssuer(server, privateKey);
    await made.allow(places);
    server.on('request', (request, response) => void made.#receive(request, response));
    return made;
  }

  /** Lets gateways at these places have their users sign in, and no others. */
  async allow(places: readonly string[]): Promise<void> {
    this.#provider = await memoryProvider(this.url, {
      clients: [
        {
          client_id: clientId,
          client_secret: this.clientSecret,
          redirect_uris: places.map((place) => `${place}/console/oidc/callback`),
          post_logout_redirect_uris: places.map((place) => `${place}/console`),
        },
      ],
      jwks: { keys: [{ ...(await exportJWK(this.#privateKey)), kid: 'one', alg: 'RS256', use: 'sig' }] },
      // Claims are in the ID token, as most issuers have it.
      conformIdTokenClaims: false,
      claims: { openid: ['sub', 'tenant_id', 'org_id', 'tid', 'scope', 'permissions', 'roles', 'realm_access', 'tier'] },
      cookies: { keys: ['sign-in-test'] },
      features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
      pkce: { required: () => true },
      ttl: { Interaction: 600, Grant: 86_400, Session: 86_400, IdToken: 600, AccessToken: 600 },
      findAccount: () => ({ accountId: this.user.sub, claims: async () => this.user }),
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    });
  }

  /** Its issuer: for a browser another site than gateways at 127.0.0.1. */
  get url(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || !address) throw new Error('the issuer does not listen');
    return `http://localhost:${address.port}`;
  }

  /** What a gateway needs to know of it. */
  get settings(): Readonly<Record<string, string>> {
    return {
      JWT_ISSUER: this.url,
      JWT_JWKS_URL: `${this.url}/jwks`,
      CONSOLE_OIDC_CLIENT_ID: this.clientId,
      CONSOLE_OIDC_CLIENT_SECRET: this.clientSecret,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const server = this.#server;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    try {
      if (pathname === '/auth') this.authorizations.push(searchParams);
      if (pathname === '/token' && (this.alter || this.forge)) this.#alterAnswer(response, this.alter ?? ((claims) => claims));
      await (pathname.startsWith('/interaction/') ? this.#decide(request, response) : this.#provider?.callback()(request, response));
    } catch (error) {
      response.statusCode = 500;
      response.end(String(error));
    }
  }

  #alterAnswer(response: ServerResponse, alter: (claims: JWTPayload) => JWTPayload): void {
    const end = response.end.bind(response);
    const send = async (body: string) => {
      const said = tokens.safeParse(JSON.parse(body));
      const text = said.success ? JSON.stringify({ ...said.data, id_token: await this.#signAnew(said.data.id_token, alter) }) : body;
      response.setHeader('content-length', Buffer.byteLength(text));
      end(text);
    };
    response.end = (body?: unknown) => {
      void send(String(body));
      return response;
    };
  }

  async #signAnew(token: string, alter: (claims: JWTPayload) => JWTPayload): Promise<string> {
    const { kid } = decodeProtectedHeader(token);
    const header = { alg: 'RS256', ...(kid !== undefined && { kid }) };
    const signer = this.forge ?? this;
    return new SignJWT(alter(decodeJwt(token))).setProtectedHeader(header).sign(signer.#privateKey);
  }

  /** The user signs in, and says yes or no. */
  async #decide(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = this.#provider;
    if (!provider) throw new Error('not started');
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (!this.consents) return provider.interactionFinished(request, response, { error: 'access_denied', error_description: 'no' });
    if (prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId: this.user.sub } });
    const { client_id: client, scope } = asked.parse(params);
    const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: client });
    grant.addOIDCScope(scope);
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }
}
