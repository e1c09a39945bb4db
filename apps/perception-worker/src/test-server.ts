// A real HTTP server on this machine that answers as a test wants.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';

export interface TestServer extends AsyncDisposable {
  readonly url: URL;
  readonly port: number;
  /** `METHOD /path body` of each request. */
  readonly requests: readonly string[];
}

/** Answers a request whose body has come. */
type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export async function serve(listener: Answer): Promise<TestServer> {
  const requests: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    requests.push(`${request.method} ${request.url} ${body}`.trim());
    listener(request, response, body);
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    port,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** An address on this machine where nothing listens. */
export async function closedPort(): Promise<number> {
  await using server = await serve(() => undefined);
  return server.port;
}

export function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): RequestListener {
  return (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
