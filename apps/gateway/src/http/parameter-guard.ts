import type { FastifyInstance, FastifyRequest } from 'fastify';
import { jsonIn } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import { checkValue, unsafe } from './checked-value.js';
import { sendProblem } from './problem.js';

/**
 * Headers that name somebody or something. Node joins a repeated header, and two names would be read as a third one; of a host and a
 * credential it takes the first, where a proxy may have taken the last.
 */
const namingHeaders: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'x-user-id',
  'x-session-id',
  'idempotency-key',
  'last-event-id',
]);

/**
 * Refuses values of the path, the query and the headers that no handler and no store should see, before any route runs: what
 * `checkValue` refuses in a body, control characters in paths and headers, and naming headers and `lastEventId` that are given twice.
 */
export function installParameterGuard(fastify: FastifyInstance, log: Logger): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    try {
      checkParameters(request);
    } catch (error) {
      sendProblem(request, reply, { error, log });
      return;
    }
    done();
  });
}

/** Throws INVALID_PARAMS that names the parameter. */
function checkParameters({ params, query, headers, raw }: Pick<FastifyRequest, 'params' | 'query' | 'headers' | 'raw'>): void {
  checkValue(params, 'the path');
  // Most requests have none.
  if (raw.url?.includes('?')) checkQuery(query);
  checkCharacters(params, 'the path', /\p{Cc}/u);
  // A tab is the only control character that a header may have (RFC 9110, section 5.5). Bytes over 7f are parts of UTF-8. Which of
  // them has one is looked for where any has.
  if (controlInHeaders.test(raw.rawHeaders.join(''))) checkCharacters(headers, 'the headers', controlInHeaders);
  // Where each name has a header of its own, none is repeated.
  if (Object.keys(raw.headers).length === raw.rawHeaders.length / 2) return;
  const names = raw.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const repeated = names.find((name, index) => namingHeaders.has(name) && names.indexOf(name) !== index);
  if (repeated) throw unsafe(`'${repeated}' in the headers must be given once`, repeated);
}

const controlInHeaders = /[\p{Cc}--[\t\x80-\x9f]]/v;

function checkQuery(query: unknown): void {
  checkValue(query, 'the query');
  checkValue(objectsIn(query), 'the query');
  // Two places are none, and without one the stream would begin again, or a second call.
  if (Object.entries(query ?? {}).some(([name, value]) => name === 'lastEventId' && Array.isArray(value)))
    throw unsafe("'lastEventId' in the query must be given once", 'lastEventId');
}

/** The values of a query that are texts of JSON objects or lists, parsed: some parameters and options are read so. */
function objectsIn(query: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(query ?? {}).map(([name, value]) => [name, [value].flat().map(parsed)]));
}

function parsed(text: unknown): unknown {
  return typeof text === 'string' && /^\s*[{[]/.test(text) ? jsonIn(text) : undefined;
}

function checkCharacters(values: unknown, place: string, control: RegExp): void {
  for (const [name, value] of Object.entries(values ?? {}))
    if (control.test(String(value))) throw unsafe(`'${name}' in ${place} holds a control character`, name);
}
