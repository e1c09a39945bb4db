// Requests that reach no hook: those that Node cannot parse, and paths that are no URL. They are answered with an envelope and a
// trace id like all others.
import { randomBytes, randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { errorCodes, Refusal, toEnvelope } from '#lib/contracts';
import { outwardTraceId, type Logger } from '#lib/platform';
import { sendProblem } from './problem.js';
import { startFacts } from './request-facts.js';

/** Fastify's own errors, from before its hooks have run. */
export function frameworkErrors(log: Logger) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    startFacts(request, reply);
    sendProblem(request, reply, { error, log });
  };
}

const parserRefusals: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal('INVALID_PARAMS', 'The request took too long to arrive'),
  HPE_HEADER_OVERFLOW: new Refusal('PAYLOAD_TOO_LARGE', 'The headers must have at most 16 KiB'),
};
const unreadable = new Refusal('INVALID_PARAMS', 'The request is not valid HTTP');

/** Writes the answer to the socket, because there is no request and no reply yet. */
export function answerUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const refusal = parserRefusals[error.code ?? ''] ?? unreadable;
  const status = errorCodes[refusal.error.family].http;
  const now = new Date();
  const traceId = outwardTraceId(randomBytes(16).toString('hex'), now);
  const body = JSON.stringify(toEnvelope({ ok: false, error: refusal.error }, { toolName: '', traceId, timestamp: now.getTime() }));
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Trace-Id': traceId,
    'X-Request-Id': randomUUID(),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}
