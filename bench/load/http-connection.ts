// One keep-alive HTTP/1.1 connection that posts JSON, one request at a time. It reads what our servers write and no more, so the
// client costs a fraction of `node:http`'s and leaves the processors to what is measured.
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';

interface Waiter {
  readonly resolve: (body: string) => void;
  readonly reject: (error: Error) => void;
}

export class HttpConnection implements Disposable {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiter: Waiter | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#onData(chunk));
    socket.on('error', (error) => this.#waiter?.reject(error));
    socket.on('close', () => this.#waiter?.reject(new Error('the server closed the connection')));
  }

  static async open(url: string): Promise<HttpConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    return new HttpConnection(socket);
  }

  /** The body of a 200; every other answer is an error. */
  post(head: string, body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
      this.#socket.write(`${head}${Buffer.byteLength(body)}\r\n\r\n${body}`);
    });
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #onData(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = this.#received.toString('latin1', 0, headEnd);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(length)) return this.#settle((waiter) => waiter.reject(new Error('an answer without Content-Length')));
    if (this.#received.length < headEnd + 4 + length) return;
    const body = this.#received.toString('utf8', headEnd + 4, headEnd + 4 + length);
    this.#received = Buffer.alloc(0);
    if (head.startsWith('HTTP/1.1 200 ')) this.#settle((waiter) => waiter.resolve(body));
    else this.#settle((waiter) => waiter.reject(new Error(`${head.slice(0, 30).split('\r')[0]}: ${body.slice(0, 300)}`)));
  }

  #settle(settle: (waiter: Waiter) => void): void {
    const waiter = this.#waiter;
    this.#waiter = null;
    if (waiter) settle(waiter);
  }
}

/** The head of a request up to its length, which changes. */
export function postHead(url: string, headers: Readonly<Record<string, string>> = {}): string {
  const { host, pathname } = new URL(url);
  const all = { host, 'content-type': 'application/json', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${pathname} HTTP/1.1\r\n${lines.join('')}content-length: `;
}
