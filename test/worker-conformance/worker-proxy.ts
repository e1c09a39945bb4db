// Stands between a worker and its gateway: keeps what both say, and spoils it as a case demands.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';

const messageShape = z.looseObject({ type: z.string(), attempt: z.string().optional() });
type SaidMessage = z.output<typeof messageShape>;
const batchShape = z.object({ messages: z.array(messageShape) });
/** Messages that end an attempt. */
export const endTypes: readonly string[] = ['done', 'unchanged', 'refused', 'invalid', 'failed', 'rest', 'return'];

/** One `POST /workers` that was let in. */
interface Connection {
  /** The body. */
  readonly announced: unknown;
  readonly events: { readonly event: string; readonly data: Readonly<Record<string, unknown>>; readonly atMs: number }[];
  readonly down: ServerResponse;
  readonly cut: AbortController;
  isOpen: boolean;
}

export class WorkerProxy implements AsyncDisposable {
  readonly connections: Connection[] = [];
  /** What workers have sent. */
  readonly said: { readonly message: SaidMessage; readonly atMs: number }[] = [];
  /** When requests with messages came, empty ones too. */
  readonly postsAtMs: number[] = [];
  /** Every attempt is delivered twice. */
  deliversTwice = false;
  /** How many requests with the end of an attempt are lost from now on. */
  losesEnds = 0;
  /** How many words that a step is kept are lost from now on. */
  losesKept = 0;
  /** The same of words that a piece of a file is taken. */
  losesFiles = 0;
  #target: string;
  readonly #server: Server;

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((request, response) => {
      void this.#serve(request, response).catch(() => response.destroy());
    });
  }

  static async start(target: string): Promise<WorkerProxy> {
    const proxy = new WorkerProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || !address) throw new Error('the proxy does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  /** From now on requests go to another gateway. */
  retarget(url: string): void {
    this.#target = url;
  }

  /** The connection that was made last. Throws when there is none. */
  get connection(): Connection {
    const last = this.connections.at(-1);
    if (!last) throw new Error('the worker has not connected');
    return last;
  }

  /** Says something to the worker that the gateway did not say. */
  inject(text: string): void {
    this.connection.down.write(text);
  }

  /** Ends a connection without a word. */
  cut(connection = this.connection): void {
    connection.cut.abort();
    connection.down.destroy();
  }

  /** Events that the gateway has sent over any connection. */
  heard(event: string) {
    return this.connections.flatMap(({ events }) => events.filter((one) => one.event === event));
  }

  /** Messages of one attempt. */
  saidOf(attempt: string) {
    return this.said.filter(({ message }) => message.attempt === attempt);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.connections) this.cut(connection);
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body: unknown = await json(request);
    if (request.url?.endsWith('/messages') && this.#keepAndLose(body)) return void response.destroy();
    const cut = new AbortController();
    const answer = await fetch(`${this.#target}${request.url}`, {
      method: request.method ?? 'POST',
      headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: cut.signal,
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' });
    if (request.url !== '/workers' || !answer.ok || !answer.body) return void response.end(await answer.text());
    const connection: Connection = { announced: body, events: [], down: response, cut, isOpen: true };
    this.connections.push(connection);
    response.once('close', () => cut.abort());
    try {
      for await (const { event = '', data } of answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()))
        this.#passDown(connection, event, data);
    } finally {
      connection.isOpen = false;
      response.destroy();
    }
  }

  #passDown(connection: Connection, event: string, data: string): void {
    const parsed = z.record(z.string(), z.unknown()).parse(JSON.parse(data));
    connection.events.push({ event, data: parsed, atMs: performance.now() });
    if (event === 'kept' && this.losesKept > 0) {
      this.losesKept -= 1;
      return;
    }
    if (event === 'file' && this.losesFiles > 0) {
      this.losesFiles -= 1;
      return;
    }
    // A later gateway may say more: what a worker does not know it must ignore.
    const frame = `event: ${event}\ndata: ${JSON.stringify(event === 'attempt' ? { ...parsed, a_later_field: { deep: [1] } } : parsed)}\n\n`;
    connection.down.write(event === 'attempt' && this.deliversTwice ? frame + frame : frame);
  }

  /** @returns whether the request is lost */
  #keepAndLose(body: unknown): boolean {
    const { messages } = batchShape.parse(body);
    const atMs = performance.now();
    this.postsAtMs.push(atMs);
    for (const message of messages) this.said.push({ message, atMs });
    if (this.losesEnds === 0 || !messages.some(({ type }) => endTypes.includes(type))) return false;
    this.losesEnds -= 1;
    return true;
  }
}
