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
    const server = createServer({ keepAliveTimeout: 0 });
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
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    const key = decodeURIComponent(pathname);
    const body = await buffer(request);
    if (request.method === 'GET' && searchParams.has('list-type')) return this.#list(response, { bucket: key, searchParams });
    if (request.method === 'POST' && searchParams.has('delete')) {
      for (const [, name] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) this.objects.delete(`${withSlash(key)}${name}`);
      return void response.writeHead(200, { 'content-type': 'application/xml' }).end('<?xml version="1.0"?><DeleteResult/>');
    }
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

  /** Objects under a prefix; with a delimiter also the folders right under it, instead of what is in them. */
  #list(response: ServerResponse, { bucket, searchParams }: { readonly bucket: string; readonly searchParams: URLSearchParams }): void {
    const [prefix, delimiter] = [searchParams.get('prefix') ?? '', searchParams.get('delimiter') ?? ''];
    const names = [...this.objects.keys()].map((key) => key.slice(withSlash(bucket).length)).filter((name) => name.startsWith(prefix));
    const end = (name: string) => (delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length));
    const folders = new Set(names.filter((name) => end(name) !== -1).map((name) => name.slice(0, end(name) + 1)));
    const listed = [
      ...names.filter((name) => end(name) === -1).map((name) => `<Contents><Key>${name}</Key><Size>1</Size></Contents>`),
      ...[...folders].map((name) => `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`),
    ];
    response
      .writeHead(200, { 'content-type': 'application/xml' })
      .end(`<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated>${listed.join('')}</ListBucketResult>`);
  }

  #put(request: IncomingMessage, response: ServerResponse, { key, body }: { readonly key: string; readonly body: Buffer }): void {
    const promised = request.headers['x-amz-content-sha256'];
    if (promised !== 'UNSIGNED-PAYLOAD' && promised !== createHash('sha256').update(body).digest('hex'))
      return fail(response, 400, 'XAmzContentSHA256Mismatch');
    this.objects.set(key, { bytes: body, contentType: request.headers['content-type'] ?? '' });
    response.writeHead(200, { etag: `"${createHash('md5').update(body).digest('hex')}"` }).end();
  }
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

function fail(response: ServerResponse, status: number, code: string): void {
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}
