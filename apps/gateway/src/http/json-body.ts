import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '#lib/contracts';
import type { RequestFacts } from '../calls/call-facts.js';
import { bodyOfTooManyValues, checkValue, maxValues, unsafe } from './checked-value.js';
import { holdsTooManyValues } from './too-many-values.js';
import { askForBody } from './unread-body.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes that its body may have, once its route has been asked. */
    bodyLimit?: number;
  }
}

/**
 * Bytes that a body may have. A route or a tool (`maxInputBytes`) may allow more.
 * @limit calls: bytes of a body, where its route or tool does not allow more; PAYLOAD_TOO_LARGE
 */
export const defaultBodyBytes = 256 * 1024;
/** What costs as much as a plain request: to read so many bytes, and to look at so many values. A body of ordinary size is free. */
const bytesOfAPoint = 64 * 1024;
const valuesOfAPoint = 1_000;
/** In so many bytes are no values that cost a point. */
export const smallBytes = 2 * valuesOfAPoint;
/** With the names that clients of JSON-RPC have for it. */
const json = /^application\/(([\w.-]+\+)?json|json-rpc|jsonrequest)\s*(;|$)/i;
// JSON on the wire is UTF-8, with or without a BOM. Decoding other bytes to U+FFFD would make different inputs equal.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/**
 * Accepts JSON bodies and no others; what they hold has passed `checkValue`.
 * @param bytesAllowed the limit of the matched route
 */
export function installJsonBody(fastify: FastifyInstance, bytesAllowed: (request: FastifyRequest) => number): void {
  fastify.removeAllContentTypeParsers();
  fastify.decorateRequest('bodyLimit');
  // A body that says how large it is, is not read to be refused.
  fastify.addHook('preParsing', (...[request, reply, payload, done]) => {
    const limit = bytesAllowed(request);
    request.bodyLimit = limit;
    if (Number(request.headers['content-length'] ?? 0) > limit) return done(tooLarge(limit));
    askForBody(request.raw, reply.raw);
    done(null, payload);
  });
  fastify.addContentTypeParser(json, (request: FastifyRequest, payload: IncomingMessage, done) => {
    refuseEncoded(request.headers);
    readWhole(request, payload, (error, bytes) => {
      if (error) return done(error);
      let body: unknown;
      try {
        body = valueOf(bytes, request.facts);
      } catch (fault) {
        return done(fault instanceof Error ? fault : new Error('unreadable body'));
      }
      done(null, body);
    });
  });
  fastify.addContentTypeParser('*', (_request, _payload, done) => {
    done(notJson());
  });
}

/** What a body holds. Throws INVALID_PARAMS. */
function valueOf(bytes: Buffer, facts: RequestFacts): unknown {
  if (bytes.length <= smallBytes) facts.smallBody = bytes;
  // A megabyte of them would keep everybody waiting while it is parsed. What is small cannot hold many.
  if (bytes.length > bytesOfAPoint && holdsTooManyValues(bytes, maxValues)) throw bodyOfTooManyValues();
  const { value, values } = parseJson(textOf(bytes));
  // It was counted then.
  if (facts.isBegun) return value;
  facts.taken.points += Math.floor(values / valuesOfAPoint);
  facts.taken.values = values;
  return value;
}

/** Throws UNSUPPORTED_MEDIA_TYPE for what is compressed, or in other characters than UTF-8. */
function refuseEncoded(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (!/^\s*identity\s*$/i.test(encoding))
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', `Send the body as it is, not with Content-Encoding: ${encoding.slice(0, 20)}`);
  const charset = /charset=\s*"?([\w-]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^utf-?8$/i.test(charset)) throw new Refusal('UNSUPPORTED_MEDIA_TYPE', `The body must be UTF-8, not ${charset.slice(0, 20)}`);
}

/**
 * Reads a body, and no more of it than its route takes. What was read is paid for, also where it was too much. By a callback: a promise
 * would be made for each body, and its handler would wait for another turn.
 */
function readWhole(request: FastifyRequest, payload: Readable, done: (...read: [Error, null] | [null, Buffer]) => void): void {
  const limit = bodyLimitIn(request);
  const chunks: Buffer[] = [];
  let length = 0;
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    chunks.push(chunk);
    if (length > limit) end(tooLarge(limit));
  };
  const onEnd = (): void => end(null);
  const end = (error: Error | null): void => {
    payload.off('data', onData).off('end', onEnd).off('error', end).pause();
    request.facts.taken.points += Math.floor(length / bytesOfAPoint);
    if (error) return done(error, null);
    const [first] = chunks;
    done(null, first && chunks.length === 1 ? first : Buffer.concat(chunks, length));
  };
  payload.on('data', onData).on('end', onEnd).on('error', end);
}

/** Bytes that the body of a request may have. */
export function bodyLimitIn({ bodyLimit = defaultBodyBytes }: Pick<FastifyRequest, 'bodyLimit'>): number {
  return bodyLimit;
}

export function notJson(): Refusal {
  return new Refusal('UNSUPPORTED_MEDIA_TYPE', 'Send the parameters as JSON with Content-Type: application/json');
}

export function tooLarge(limit: number): Refusal {
  return new Refusal('PAYLOAD_TOO_LARGE', `The body must have at most ${limit} bytes`);
}

/**
 * Parses JSON text; throws a Refusal INVALID_PARAMS that says what is wrong. An empty text is an absent body.
 * @param what the text is, for the message
 */
export function parseJson(text: string, what: 'body' | 'line' = 'body'): { readonly value: unknown; readonly values: number } {
  if (text.trim() === '') return { value: undefined, values: 0 };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unsafe(`The ${what} is not valid JSON: ${error instanceof Error ? explain(error.message, text) : 'unreadable'}`, '');
  }
  return { value, values: checkValue(value, `the ${what}`) };
}

/** The text of a body or a part of it. Throws INVALID_PARAMS for what is no UTF-8. */
export function textOf(body: Buffer, what = 'The body'): string {
  try {
    return utf8.decode(body);
  } catch {
    throw unsafe(`${what} is not valid UTF-8`, '');
  }
}

/** V8 quotes the text around the fault. A body may hold a secret, so only the position is kept. */
function explain(message: string, text: string): string {
  const place = /at position (\d+)/.exec(message)?.[1];
  if (/end of JSON input|Unterminated/.test(message) || Number(place) >= text.length) return 'it ends too early';
  return place ? `unexpected text at position ${place}` : 'unexpected text';
}
