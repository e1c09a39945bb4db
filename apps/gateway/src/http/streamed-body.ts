import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '#lib/contracts';
import { notJson } from './json-body.js';
import { routeOf } from './route.js';

/** A body that its route reads as it comes. */
export interface StreamedBody {
  readonly form: 'json' | 'ndjson';
  readonly stream: AsyncIterable<Buffer>;
}

const forms = { 'application/json': 'json', 'application/x-ndjson': 'ndjson', 'application/jsonl': 'ndjson' } as const;
/** The name that such a body has for Fastify, so that no parser reads it. */
const unread = 'application/x-invoq-unread';

const bodies = new WeakMap<FastifyRequest, StreamedBody>();

/** Leaves the bodies of routes that stream them to their handlers. After `installJsonBody`. */
export function installStreamedBody(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', (...[request, , payload, done]) => {
    if (routeOf(request)?.streamsBody !== true) return done(null, payload);
    const form = formOf(request);
    if (form instanceof Refusal) return done(form);
    bodies.set(request, { form, stream: payload });
    request.headers['content-type'] = unread;
    done(null, payload);
  });
  fastify.addContentTypeParser(unread, (request, _payload, done) => {
    if (bodies.has(request)) done(null);
    else done(notJson());
  });
}

/** The body of a request to a route that streams it. Throws UNSUPPORTED_MEDIA_TYPE where it has none. */
export function streamedBodyOf(request: FastifyRequest): StreamedBody {
  const body = bodies.get(request);
  if (!body) throw noForm();
  return body;
}

function formOf({ headers }: FastifyRequest): StreamedBody['form'] | Refusal {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase());
  const form = Object.entries(forms).find(([name]) => name === type)?.[1];
  const isUtf8 = parameters.every((one) => !one.startsWith('charset=') || /^charset="?utf-?8"?$/.test(one));
  const isPlain = /^\s*identity\s*$/i.test(headers['content-encoding'] ?? 'identity');
  return form && isUtf8 && isPlain ? form : noForm();
}

function noForm(): Refusal {
  return new Refusal('UNSUPPORTED_MEDIA_TYPE', 'Send the calls as UTF-8 with Content-Type: application/x-ndjson, or application/json');
}
