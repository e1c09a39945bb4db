// Requests that reach no hook or no route: those that Node cannot parse, and targets that are no path. They are answered with an
// envelope and a trace id like all others.
import { randomBytes, randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorCodes, Refusal, toEnvelope } from '#lib/contracts';
import { outwardTraceId, type Logger } from '#lib/platform';
import { errorHeaders, sendProblem } from './problem.js';
import { startFacts } from './request-facts.js';
import { linger } from './unread-body.js';

/** Fastify's own errors, from before its hooks have run. */
export function frameworkErrors(log: Logger) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    startFacts(request, reply);
    sendProblem(request, reply, { error, log });
  };
}

/** Serves requests with an expectation that is not known, which Node would answer with a bare 417 (RFC 9110, section 10.1.1). */
export function ignoreExpectations({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
}

/**
 * Answers errors of routes that are no handlers of Nest, such as that of the CORS plugin. Nest's own handler comes too late for them,
 * and a second one for all routes is not allowed.
 */
export function answerErrors(fastify: FastifyInstance, log: Logger): void {
  fastify.addHook('onRoute', (route) => {
    route.errorHandler ??= (error, request, reply) => sendProblem(request, reply, { error, log });
  });
}

/** Refuses requests of HTTP/1.1 without a Host (RFC 9112, section 3.2). */
export function requireHost(fastify: FastifyInstance, log: Logger): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.headers.host !== undefined || request.raw.httpVersion === '1.0') return done();
    sendProblem(request, reply, { error: new Refusal('INVALID_PARAMS', 'The Host header is missing'), log });
  });
}

/**
 * The path and query of a request's target. `OPTIONS *` asks about the server as a whole; to Fastify it is no path, and its answer would
 * pass none of our hooks. A target in absolute form (RFC 9112, section 3.2.2) loses its origin here, before anything else reads it.
 * So does the address of MCP the strokes around it, with which people and programs put it together.
 */
export function pathOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  if (url === '*') return '/';
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '');
  const rooted = path === url || path.startsWith('/') ? path : `/${path}`;
  return rooted.replace(/^\/+mcp\/*(?=$|\?)/, '/mcp');
}

const parserRefusals: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal('INVALID_PARAMS', 'The request took too long to arrive'),
  HPE_HEADER_OVERFLOW: new Refusal('PAYLOAD_TOO_LARGE', 'The headers must have at most 16 KiB'),
};
const unreadable = new Refusal('INVALID_PARAMS', 'The request is not valid HTTP');

export function answerUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  else refuse(socket, parserRefusals[error.code ?? ''] ?? unreadable);
}

/** Node would close the connection of a CONNECT without a word. */
export function refuseTunnels({ server }: FastifyInstance): void {
  server.on('connect', (_request, socket) => {
    // A client that is gone already; a fault without a listener would end the process.
    socket.on('error', () => socket.destroy());
    refuse(socket, new Refusal('METHOD_NOT_ALLOWED', 'CONNECT is not allowed here: this server is no proxy'));
  });
}

/** Writes the answer to the socket, because there is no reply. */
function refuse(socket: Duplex, { error }: Refusal): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const status = errorCodes[error.family].http;
  const now = new Date();
  const traceId = outwardTraceId(randomBytes(16).toString('hex'), now);
  const body = JSON.stringify(toEnvelope({ ok: false, error }, { toolName: '', traceId, timestamp: now.getTime() }));
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Trace-Id': traceId,
    'X-Request-Id': randomUUID(),
    Connection: 'close',
    ...errorHeaders(error),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  linger(socket);
}
