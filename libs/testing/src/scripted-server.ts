// An HTTP server that gives the answers it was told to give, one a request, and keeps what it was asked.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one request. Destroying the response cuts the connection. */
export type ScriptedAnswer = (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>;

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** Adds answers to those that are left. */
  readonly answer: (...answers: readonly ScriptedAnswer[]) => void;
}

/** On a free port of the loopback. A request for which no answer is left gets status 500. */
export async function startScriptedServer(...answers: readonly ScriptedAnswer[]): Promise<ScriptedServer> {
  const left = [...answers];
  const requests: ReceivedRequest[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, response) => {
    void (async () => {
      const received = { method: incoming.method ?? '', url: incoming.url ?? '', headers: incoming.headers, body: await text(incoming) };
      requests.push(received);
      const answer = left.shift() ?? jsonAnswer(500, { error: 'no answer is left' });
      await answer(response, received);
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    requests,
    answer: (...more) => void left.push(...more),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function jsonAnswer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): ScriptedAnswer {
  return (response) => void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** An event stream of these frames. @param end `cut` breaks the connection after them, `open` leaves it open */
export function streamAnswer(frames: readonly string[], end: 'close' | 'cut' | 'open' = 'close'): ScriptedAnswer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    const text = frames.join('');
    if (end === 'close') response.end(text);
    else if (end === 'open') response.write(text);
    else response.write(text, () => setImmediate(() => response.destroy()));
  };
}

/** Breaks the connection before any answer. */
export const cutAnswer: ScriptedAnswer = (response) => void response.destroy();
