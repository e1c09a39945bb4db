// A server in front of a good one. It passes some of its answers on and spoils the others.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Random } from '../../chaos/random.js';
import { numberInTrace } from '../requests/trace.js';
import { send, spoil, type Answer } from './spoil.js';

interface HostileOptions {
  readonly name: string;
  /** The good server. */
  readonly target: string;
  readonly seed: number;
  /** Share of answers that are spoiled, 0 to 1. */
  readonly share: number;
}

export class HostileServer implements AsyncDisposable {
  /** Until it is set, every answer is passed on. */
  isHostile = false;
  /** How often each way was taken. */
  readonly taken = new Map<string, number>();
  /** Numbers of the cases that got a spoiled answer. */
  readonly spoiledCases = new Set<number>();
  /** When a spoiled answer last ended that is not of one case alone, by the clock of `performance`. */
  spoiledForAllAt = Number.NEGATIVE_INFINITY;
  readonly #options: HostileOptions;
  readonly #server: Server;
  /** How often each case has asked. */
  readonly #asked = new Map<string, number>();

  private constructor(options: HostileOptions, server: Server) {
    this.#options = options;
    this.#server = server;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      response.on('error', () => undefined);
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  static async start(options: HostileOptions): Promise<HostileServer> {
    const server = createServer({ keepAliveTimeout: 65_000 });
    const hostile = new HostileServer(options, server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return hostile;
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || !address) throw new Error(`${this.#options.name} does not listen`);
    return `http://127.0.0.1:${address.port}${new URL(this.#options.target).pathname.replace(/\/$/, '')}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const body = Buffer.concat(chunks);
    const { name, seed, share } = this.#options;
    const number = numberInTrace(request.headers.traceparent);
    const asker =
      number === null ? createHash('sha256').update(`${request.method} ${request.url}\n`).update(body).digest('hex') : String(number);
    const nth = (this.#asked.get(asker) ?? 0) + 1;
    this.#asked.set(asker, nth);
    const random = new Random(seed, `${name}-${asker}-${nth}`);
    const answer = await this.#good(request, body);
    if (!this.isHostile || !random.chance(share)) return send(response, answer);
    if (number === null || isShared(request.url ?? '', body.toString()))
      response.on('close', () => (this.spoiledForAllAt = performance.now()));
    if (number !== null) this.spoiledCases.add(number);
    const way = spoil(response, answer, random);
    this.taken.set(way, (this.taken.get(way) ?? 0) + 1);
  }

  async #good({ method = 'GET', url = '/', headers }: IncomingMessage, body: Buffer<ArrayBuffer>): Promise<Answer> {
    const passed = Object.entries(headers).filter(
      ([name]) => !/^(host|connection|content-length|transfer-encoding|accept-encoding|keep-alive|expect)$/.test(name),
    );
    const answer = await fetch(new URL(url, this.#options.target), {
      method,
      headers: passed.flatMap(([name, value]): [string, string][] => (typeof value === 'string' ? [[name, value]] : [])),
      redirect: 'manual',
      ...(body.length > 0 && { body }),
    });
    const kept = [...answer.headers].filter(
      ([name]) => !/^(connection|content-length|transfer-encoding|content-encoding|keep-alive|date)$/.test(name),
    );
    return { status: answer.status, headers: Object.fromEntries(kept), body: await answer.text() };
  }
}

/** Whether it opens a connection to a tool server or lists its tools: these serve every case that waits for them. */
function isShared(url: string, body: string): boolean {
  return url.endsWith('/tools/list') || /"jsonrpc".*"method":"(?!tools\/call)|"method":"(?!tools\/call).*"jsonrpc"/s.test(body);
}
