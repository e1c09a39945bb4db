// One keep-alive HTTP/1.1 connection, one request at a time. It reads what our servers write and no more, so the
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

  /** The body of a 200 or 202; every other answer is an error. @param head as `postHead` makes it */
  post(head: string, body: string): Promise<string> {
    return this.#send(`${head}${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  /** The same of a GET. */
  get(path: string, headers: Readonly<Record<string, string>>): Promise<string> {
    return this.#send(`GET ${path} HTTP/1.1\r\n${linesOf(headers)}\r\n`);
  }

  #send(request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
      this.#socket.write(request);
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
    const rest = this.#received.subarray(headEnd + 4);
    const body = /\r\ntransfer-encoding: chunked/i.test(head) ? joined(rest) : whole(rest, head);
    if (body === null) return;
    this.#received = Buffer.alloc(0);
    if (/^HTTP\/1\.1 20[02] /.test(head)) this.#settle((waiter) => waiter.resolve(body));
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
  return `POST ${pathname} HTTP/1.1\r\n${linesOf({ host, 'content-type': 'application/json', ...headers })}content-length: `;
}

function linesOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

/** A body of the length that the head says; null while some of it is missing. */
function whole(received: Buffer, head: string): string | null {
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return received.length < length ? null : received.toString('utf8', 0, length);
}

/** A body that came in chunks; null while some of it is missing. */
function joined(received: Buffer): string | null {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = received.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const length = Number.parseInt(received.toString('latin1', at, lineEnd), 16);
    const end = lineEnd + 2 + length;
    if (received.length < end + 2) return null;
    if (length === 0) return Buffer.concat(parts).toString('utf8');
    parts.push(received.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}
