// An identity provider for tests: it publishes its keys and signs any claims.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';

interface Signing {
  readonly kid?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
}

export class Issuer implements AsyncDisposable {
  readonly #server: Server;
  readonly #privateKey: CryptoKey;
  /** The public key as text. Attackers try it as the secret of an HMAC. */
  readonly publicKey: string;

  private constructor(server: Server, privateKey: CryptoKey, publicKey: string) {
    this.#server = server;
    this.#privateKey = privateKey;
    this.publicKey = publicKey;
  }

  static async start(): Promise<Issuer> {
    const pair = await generateKeyPair('RS256', { extractable: true });
    const keys = JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }] });
    const server = createServer({ keepAliveTimeout: 0 }, (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(keys),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Issuer(server, pair.privateKey, await exportSPKI(pair.publicKey));
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || !address) throw new Error('the issuer does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  /** A token of this issuer; claims are taken as they are. */
  async sign(claims: JWTPayload, { kid = 'k1', headers }: Signing = {}): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, ...headers }).sign(this.#privateKey);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
