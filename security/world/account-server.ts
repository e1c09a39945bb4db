// An outside server of MCP that acts with accounts: what it tells about one account goes to the streams of that account alone.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposableSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { hostileTool, saying } from './hostile-server.js';

/** Resolves to a public address for those who look it up, and leads to this machine: see rebinding-resolver.ts. */
const host = 'accounts.example';
export const inbox = 'mail://inbox';

export class AccountServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #folder: Disposable;
  readonly #accounts = new Map<string, Account>();
  /** A file with the certificate, for those who are to trust it. */
  readonly certificate: string;

  private constructor(server: Server, folder: Disposable, certificate: string) {
    [this.#server, this.#folder, this.certificate] = [server, folder, certificate];
    server.on('request', (request, response) => {
      this.#account(request.headers.authorization ?? '')
        .serve(request, response)
        .catch(() => response.destroy());
    });
  }

  static async start(): Promise<AccountServer> {
    const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-accounts-'));
    const [cert, key] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
    const what = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`, '-days', '1'];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...what], { stdio: 'ignore' });
    const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new AccountServer(server, { [Symbol.dispose]: () => folder.remove() }, cert);
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || !address) throw new Error('the server with accounts does not listen');
    return `https://${host}:${address.port}/mcp`;
  }

  /** Tells whoever listens with this token that the inbox has changed. */
  report(token: string): void {
    this.#account(token).report();
  }

  /** How many streams are open on which it would tell about the account of this token. */
  streams(token: string): number {
    return this.#account(token).streams;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    this.#folder[Symbol.dispose]();
  }

  #account(token: string): Account {
    const account = this.#accounts.get(token) ?? new Account();
    this.#accounts.set(token, account);
    return account;
  }
}

class Account {
  streams = 0;
  readonly #handler = createMcpHandler(() => {
    const mcp = new McpServer({ name: 'accounts', version: '1.0.0' }, { capabilities: { tools: {}, resources: { subscribe: true } } });
    mcp.server.setRequestHandler('tools/list', () => ({ tools: [hostileTool('look', 'Look into an inbox.')] }));
    mcp.server.setRequestHandler('tools/call', () => saying('nothing'));
    mcp.server.setRequestHandler('resources/list', () => ({ resources: [{ uri: inbox, name: 'inbox' }] }));
    return mcp;
  });
  readonly #node = toNodeHandler(this.#handler);

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers['mcp-method'] === 'subscriptions/listen') {
      this.streams++;
      response.once('close', () => this.streams--);
    }
    const { method = 'GET', url = '/', headers } = request;
    await this.#node({ method, url, headers, [Symbol.asyncIterator]: () => request[Symbol.asyncIterator]() }, response);
  }

  report(): void {
    this.#handler.notify.resourceUpdated(inbox);
  }
}
