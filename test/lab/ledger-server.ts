// An upstream for tests: effects keyed by the invocation, everything counted, every step holdable. It lives in the test's own
// process, so a test steers it by calling it.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Book, type OrderRecord } from './ledger/book.js';
import { Holds, type Hold, type HoldOptions, type HoldPoint } from './ledger/hold.js';
import { Reactions, type Reaction } from './ledger/reaction.js';

const body = z.object({
  order: z.string(),
  key: z.string(),
  attempt: z.int(),
  pid: z.int(),
  note: z.string().optional(),
  how: z.enum(['reset', 'limit', 'fail']).optional(),
  retryAfter: z.string().optional(),
});
type Asked = z.output<typeof body>;

export class Ledger implements AsyncDisposable {
  readonly #book = new Book();
  readonly #holds = new Holds();
  readonly #reactions = new Reactions();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
    });
  }

  static async start(): Promise<Ledger> {
    // Idle connections stay open: a test must see only those cuts that it asked for.
    const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 });
    const ledger = new Ledger(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return ledger;
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || !address) throw new Error('The ledger does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  /** The records of an order; empty lists when there are none. */
  of(order: string): OrderRecord {
    return this.#book.of(order);
  }

  all(): readonly OrderRecord[] {
    return this.#book.all();
  }

  /** Holds calls at a point from now on, until released. */
  hold(point: HoldPoint, options?: HoldOptions): Hold {
    return this.#holds.place(point, options);
  }

  /** Reactions to the next requests for this order's effect, one for each; then the default. */
  script(order: string, ...reactions: readonly Reaction[]): void {
    this.#reactions.script(order, reactions);
  }

  /** The default reaction. */
  usually(reaction: Reaction): void {
    this.#reactions.usual = reaction;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#holds.releaseAll();
    this.#server.closeAllConnections();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = body.parse(JSON.parse(await textOf(request)));
    switch (request.url) {
      case '/effects':
        return this.#effect(asked, response);
      case '/attempts': {
        const attempt = this.#book.attempted(asked.order, called(asked));
        await this.#holds.pass('attempt', asked);
        return answer(response, 200, { attempt });
      }
      case '/notes':
        this.#book.noted(asked.order, { ...called(asked), note: asked.note ?? '' });
        if (asked.note === 'before-call' || asked.note === 'after-response') await this.#holds.pass(asked.note, asked);
        return answer(response, 200, {});
      case '/faults':
        return fault(asked, response);
      default:
        return answer(response, 404, {});
    }
  }

  /** Makes the effect also when the caller has disconnected. */
  async #effect(asked: Asked, response: ServerResponse): Promise<void> {
    const { order, key } = asked;
    this.#book.called(order, called(asked));
    await this.#holds.pass('before-effect', asked);
    const reaction = this.#reactions.next(order);
    if (reaction.kind === 'delay') await sleep(reaction.ms);
    if (reaction.kind === 'reset-before') return cut(response);
    if (reaction.kind === 'status') return refuse(response, reaction);
    const effect = this.#book.effect(order, key);
    await this.#holds.pass('after-effect', asked);
    if (reaction.kind === 'reset-after') return cut(response);
    answer(response, 200, { effect_id: effect.id });
  }
}

function called({ key, attempt, pid }: Asked) {
  return { key, attempt, pid, at: Date.now() };
}

function fault({ how, retryAfter }: Asked, response: ServerResponse): void {
  switch (how) {
    case 'reset':
      return cut(response);
    case 'limit':
      return refuse(response, { status: 429, retryAfter });
    case 'fail':
    case undefined:
      return refuse(response, { status: 500 });
  }
}

function cut(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

function answer(response: ServerResponse, status: number, content: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}

/** Sends Retry-After unchanged, also when it is not valid. */
function refuse(
  response: ServerResponse,
  { status, retryAfter }: { readonly status: number; readonly retryAfter?: string | undefined },
): void {
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
  answer(response, status, { error: 'as asked' });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
