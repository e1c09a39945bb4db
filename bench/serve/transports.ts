// What could carry attempts to a worker and their ends back, beside each other: the same frames between two processes, and nothing else.
import { createServer as createHttp1Server, type Server } from 'node:http';
import { createServer as createHttp2Server, type Http2Server } from 'node:http2';
import { json } from 'node:stream/consumers';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { print } from '#lib/command-line';
import { closedLoop } from '../load/closed-loop.js';
import { ForkedProcess } from '../system/forked-process.js';
import { jsonOf, onLines } from './lines.js';

const end = z.object({ attempt: z.string() });
const messages = z.object({ messages: z.array(end) });
const spent = z.object({ user: z.number(), system: z.number() });
const callerCounts = [1, 16];
/** As large as an attempt of `calc_metrics`. */
const frame = { tool: 'calc_metrics', input: { height_cm: 175, weight_kg: 70 }, filled: 'x'.repeat(600) };

interface GatewayEnd {
  /** A worker is connected, and takes attempts like this. */
  readonly onWorker: (say: (attempt: string) => void) => void;
  readonly onEnd: (end: unknown) => void;
}

const gateways: Readonly<Record<string, (end: GatewayEnd) => Server | Http2Server>> = {
  'events and POST': ({ onWorker, onEnd }) =>
    createHttp1Server((request, response) => {
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        return onWorker((attempt) => response.write(`event: attempt\ndata: ${attempt}\n\n`));
      }
      void json(request).then((body) => {
        const ends = messages.parse(body).messages;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ settled: ends.map(({ attempt }) => attempt), unknown: [] }));
        ends.forEach(onEnd);
      });
    }),
  WebSocket: ({ onWorker, onEnd }) => {
    const server = createHttp1Server();
    new WebSocketServer({ server }).on('connection', (socket) => {
      socket.on('message', (data) => onEnd(jsonOf(data)));
      onWorker((attempt) => socket.send(attempt));
    });
    return server;
  },
  'HTTP/2': ({ onWorker, onEnd }) =>
    createHttp2Server().on('stream', (stream) => {
      stream.respond({ ':status': 200 });
      onLines(stream, onEnd);
      onWorker((attempt) => stream.write(`${attempt}\n`));
    }),
};

/** In turns: medians over the rounds, and the processor time of both processes. */
export async function compareTransports(rounds: number, ms: number): Promise<void> {
  print('transport          callers   trips/s    p50 ms    p99 ms   processor µs');
  for (const callers of callerCounts) {
    const all = new Map<string, (readonly number[])[]>(Object.keys(gateways).map((transport) => [transport, []]));
    for (let round = 0; round < rounds; round++)
      for (const [transport, samples] of all) samples.push(await measure(transport, callers, ms));
    for (const [transport, samples] of all) {
      const median = (cell: number) => samples.map((one) => one[cell] ?? 0).toSorted((a, b) => a - b)[samples.length >> 1] ?? 0;
      const cells = [callers, median(0).toFixed(0), median(1).toFixed(3), median(2).toFixed(3), median(3).toFixed(0)];
      print(transport.padEnd(16) + cells.map((cell) => String(cell).padStart(10)).join(''));
    }
  }
}

async function measure(transport: string, callers: number, ms: number): Promise<readonly number[]> {
  await using owner = new AsyncDisposableStack();
  const waiting = new Map<string, () => void>();
  const worker = Promise.withResolvers<(attempt: string) => void>();
  const onEnd = (one: unknown): void => waiting.get(end.parse(one).attempt)?.();
  const server = gateways[transport]?.({ onWorker: worker.resolve, onEnd });
  if (!server) throw new TypeError(transport);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  owner.defer(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const { process: theirs } = await ForkedProcess.start({ program: 'serve/transport-worker.js', args: [transport, url] }, z.object({}));
  owner.use(theirs);
  const say = await worker.promise;

  let number = 0;
  const trip = async (): Promise<void> => {
    const attempt = `inv_own_${number++}.1`;
    await new Promise<void>((resolve) => {
      waiting.set(attempt, resolve);
      say(JSON.stringify({ attempt, ...frame }));
    });
    waiting.delete(attempt);
  };
  const calls = Array.from({ length: callers }, () => trip);
  await closedLoop(calls, ms);
  const spentBy = async (): Promise<number> => {
    const [own, other] = [process.cpuUsage(), await theirs.request({}, spent)];
    return own.user + own.system + other.user + other.system;
  };
  const before = await spentBy();
  const sample = await closedLoop(calls, ms);
  const us = (await spentBy()) - before;
  return [(sample.calls / sample.elapsedMs) * 1_000, sample.p50Ms, sample.p99Ms, us / sample.calls];
}
