// An S3-compatible store for tests: one bucket in memory, behind the requests that a client of objects sends.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

interface StoredObject {
  readonly bytes: Buffer;
  readonly contentType: string;
}

export class BucketServer implements AsyncDisposable {
  static readonly accessKey = 'TESTACCESSKEY';
  readonly objects = new Map<string, StoredObject>();
  /** False for a store that answers a range with the whole. */
  knowsRanges = true;
  /** Bytes of objects that were read from it. */
  sent = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
    });
  }

  static async start(): Promise<BucketServer> {
    const server = createServer();
    const bucket = new BucketServer(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return bucket;
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || !address) throw new Error('The bucket does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!request.headers.authorization?.includes(`Credential=${BucketServer.accessKey}/`)) return fail(response, 403, 'AccessDenied');
    const key = decodeURIComponent(new URL(request.url ?? '/', this.url).pathname);
    const body = await buffer(request);
    if (request.method === 'PUT') return this.#put(request, response, { key, body });
    if (request.method === 'DELETE') {
      this.objects.delete(key);
      return void response.writeHead(204).end();
    }
    const found = this.objects.get(key);
    if (!found) return fail(response, 404, 'NoSuchKey');
    const [, start, end] = this.knowsRanges ? (/^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []) : [];
    const bytes = start === undefined ? found.bytes : found.bytes.subarray(Number(start), Number(end) + 1);
    response.writeHead(start === undefined ? 200 : 206, {
      'content-type': found.contentType,
      'content-length': bytes.length,
      ...(start !== undefined && { 'content-range': `bytes ${start}-${end}/${found.bytes.length}` }),
      etag: `"${createHash('md5').update(found.bytes).digest('hex')}"`,
      'last-modified': new Date().toUTCString(),
    });
    if (request.method !== 'HEAD') this.sent += bytes.length;
    response.end(request.method === 'HEAD' ? undefined : bytes);
  }

  #put(request: IncomingMessage, response: ServerResponse, { key, body }: { readonly key: string; readonly body: Buffer }): void {
    const promised = request.headers['x-amz-content-sha256'];
    if (promised !== 'UNSIGNED-PAYLOAD' && promised !== createHash('sha256').update(body).digest('hex'))
      return fail(response, 400, 'XAmzContentSHA256Mismatch');
    this.objects.set(key, { bytes: body, contentType: request.headers['content-type'] ?? '' });
    response.writeHead(200, { etag: `"${createHash('md5').update(body).digest('hex')}"` }).end();
  }
}

function fail(response: ServerResponse, status: number, code: string): void {
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}
