// Somebody who is told by webhooks: a server on this machine that answers as the test says, and remembers what came.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The header `webhook-id`. */
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Answered {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly afterMs?: number;
}

const event = z.object({ type: z.string(), timestamp: z.iso.datetime(), data: z.record(z.string(), z.unknown()) });

export class TestReceiver implements AsyncDisposable {
  readonly received: Received[] = [];
  /** How each request is answered. By default 204. */
  answer: (received: Received) => Answered = () => ({ status: 204 });
  /** Requests that are open, and the most that were. */
  open = 0;
  mostOpen = 0;
  readonly #server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const { type, data } = event.parse(JSON.parse(body));
      const one = { path: request.url ?? '', headers, body, id: headers['webhook-id'] ?? '', type, data };
      this.received.push(one);
      this.mostOpen = Math.max(this.mostOpen, ++this.open);
      const { status, headers: more, afterMs = 0 } = this.answer(one);
      if (afterMs > 0) await setTimeout(afterMs, undefined, { ref: false });
      this.open--;
      response.writeHead(status, { ...more }).end('ignored');
    })();
  });

  static async start(): Promise<TestReceiver> {
    const receiver = new TestReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${portOf(address)}`;
  }

  /** Verifies by the official library. Throws where a signature does not hold. */
  static verify(secret: string, { body, headers }: Received): unknown {
    return new Webhook(secret).verify(body, { ...headers });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') throw new TypeError('The receiver has no port');
  return address.port;
}
