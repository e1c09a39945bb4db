// A request is often answered before its body is there: it has no credential, no allowance left, or a body that its route does not take.
// Node would read such a body to its end, whatever its length, to keep the connection.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** What is left of a body of so many bytes is read, so that its connection can serve another request. It costs as much as a plain request. */
const mostLeft = 64 * 1024;
/** Until the client has read its answer. A connection that is closed while data come in is reset, and the answer may be lost with it. */
const lingerMs = 1_000;
/** @limit rates: connections at once whose clients have time to read why their bodies are not read; the others are closed at once */
const mostLingering = 1_000;

const lingering = new Set<Duplex>();
const waiting = new WeakSet<IncomingMessage>();

/** Closes connections whose clients are answered in the middle of a body, and reads no more of it. Install it after all hooks that close connections. */
export function installUnreadBodies(fastify: FastifyInstance): void {
  // Node would ask for every body, and then read it to refuse it.
  fastify.server.on('checkContinue', (request, response) => {
    waiting.add(request);
    fastify.server.emit('request', request, response);
  });
  fastify.addHook('onSend', ({ raw }, reply, _payload, done) => {
    if (hasMuchLeft(raw)) void reply.header('connection', 'close');
    const { complete } = raw;
    // A route that reads its body as a stream may have let go of it.
    const socket: Socket | null = raw.socket;
    // What Node does to a connection that ends with an answer.
    if (socket && !complete && reply.getHeader('connection') === 'close') socket.destroySoon = () => linger(socket);
    done();
  });
}

/** Asks for the body of a request whose client waits to be asked. */
export function askForBody(request: IncomingMessage, response: ServerResponse): void {
  if (waiting.delete(request)) response.writeContinue();
}

/** Ends a connection from which nothing more is read, when its client has had the time to read what was written. */
export function linger(socket: Duplex): void {
  if (lingering.size >= mostLingering) {
    socket.destroy();
    return;
  }
  lingering.add(socket);
  socket.end();
  // After Node has begun to read what is left.
  setImmediate(() => socket.pause());
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => {
    clearTimeout(timer);
    lingering.delete(socket);
  });
}

/** Whether more is to come of a body than is worth a connection. Of a body in chunks nobody knows. */
function hasMuchLeft({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > mostLeft);
}
