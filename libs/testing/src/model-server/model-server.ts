// A model for tests. It speaks the streaming protocols of OpenAI and Anthropic over real HTTP, and follows a script that can contain
// errors, cut connections and delays.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropicWire } from './anthropic-wire.js';
import { piecesOf, type ModelRequest, type ScriptedReply } from './model-script.js';
import { openaiWire } from './openai-wire.js';

type Matches = (request: ModelRequest) => boolean;
type Reply = ScriptedReply | ((request: ModelRequest, number: number) => ScriptedReply);

interface Scripted {
  readonly matches: Matches;
  readonly replies: readonly Reply[];
  given: number;
}

export class ModelServer implements AsyncDisposable {
  readonly requests: ModelRequest[] = [];
  readonly #server: Server;
  readonly #scripts: Scripted[] = [];
  /** Answers that are being sent. */
  #open = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(port = 0): Promise<ModelServer> {
    const server = createServer({ keepAliveTimeout: 0 });
    const model = new ModelServer(server);
    server.on('request', (request, response) => void model.#answer(request, response).catch(() => response.destroy()));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return model;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening');
    return `http://127.0.0.1:${address.port}/v1`;
  }

  /** How many callers are being answered now. */
  get open(): number {
    return this.#open;
  }

  /**
   * Answers requests whose texts hold the marker, one reply a request; the last one is given again and again.
   * If several match, the one that was added last is used.
   */
  on(marker: string | Matches, ...replies: readonly Reply[]): void {
    const matches: Matches = typeof marker === 'function' ? marker : ({ texts }) => texts.some((text) => text.includes(marker));
    this.#scripts.unshift({ matches, replies, given: 0 });
  }

  /** Requests whose texts hold the marker, in the order in which they came. */
  asked(marker: string): readonly ModelRequest[] {
    return this.requests.filter(({ texts }) => texts.some((text) => text.includes(marker)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
    const body: Readonly<Record<string, unknown>> = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const protocol = incoming.url?.endsWith('/messages') ? 'anthropic' : 'openai';
    const wire = protocol === 'anthropic' ? anthropicWire : openaiWire;
    const request: ModelRequest = { protocol, body, headers: incoming.headers, at, ...wire.request(body) };
    const number = this.requests.push(request);
    const reply = this.#replyTo(request, number);
    this.#open += 1;
    response.once('close', () => (this.#open -= 1));
    await reply.until;
    if (reply.delayMs) await sleep(reply.delayMs);
    if (reply.status) return refuse(response, reply);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(wire.head(reply));
    const pieces = piecesOf(reply);
    for (const [index, piece] of pieces.entries()) {
      if (reply.diesAfter === index) return die(response);
      if (reply.hangsAfter === index) return;
      if (index > 0 && reply.pieceMs) await sleep(reply.pieceMs);
      if (response.destroyed) return;
      response.write(wire.piece(piece));
    }
    if (reply.diesAfter !== undefined) return die(response);
    if (reply.hangsAfter !== undefined) return;
    response.end(wire.tail(reply, number));
  }

  #replyTo(request: ModelRequest, number: number): ScriptedReply {
    const script = this.#scripts.find(({ matches }) => matches(request));
    const reply = script?.replies[Math.min(script.given++, script.replies.length - 1)];
    if (!reply) return { text: 'No script.' };
    return typeof reply === 'function' ? reply(request, number) : reply;
  }
}

/** Waits until everything that was written has been sent. */
async function die(response: ServerResponse): Promise<void> {
  await sleep(30);
  response.destroy();
}

function refuse(response: ServerResponse, { status = 500, retryAfter }: ScriptedReply): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  });
  response.end(JSON.stringify({ error: { message: 'scripted refusal, secret-of-the-provider', type: 'scripted', code: null } }));
}
