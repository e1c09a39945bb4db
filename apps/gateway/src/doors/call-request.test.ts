import { afterAll, describe, expect, test } from '@jest/globals';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { Refusal, type Outcome } from '#lib/contracts';
import { newCaller, newFacts } from '../calls/test-request.js';
import { adoptTraceId, optionsOf, parametersInQuery, resultFormOf, sendAnswer } from './call-request.js';

let handler: (request: FastifyRequest, reply: FastifyReply) => unknown = () => null;
const server = Fastify();
server.decorateRequest('facts');
server.get('/', async (request, reply) => {
  request.facts = { ...newFacts('trace_derived'), caller: newCaller() };
  const result = await handler(request, reply);
  return reply.sent ? reply : { result };
});
afterAll(async () => server.close());

/** What a function gives for a request; the family of a refusal. */
async function given(read: (request: FastifyRequest) => unknown, url = '/', headers: Record<string, string> = {}): Promise<unknown> {
  let found: unknown;
  handler = (request) => {
    try {
      found = read(request);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      found = error.error;
    }
    return null;
  };
  await server.inject({ url, headers });
  return found;
}

test('plain data has no bytes of files, unless they are asked for', async () => {
  const read = (request: FastifyRequest) => optionsOf(request, { form: resultFormOf(request) }).inline_files;
  expect(await given(read, '/?result=data')).toBe(false);
  expect(await given(read, '/?result=data&inline_files=true')).toBe(true);
  expect(await given(read, '/?result=envelope')).toBe(true);
});

describe('the parameters of a call', () => {
  test('in a query are all names but those of the gateway; a repeated name is a list', async () => {
    const url = '/?order=a&tag=1&tag=2&debug=true&enable_cache=false&_trace_id=t&ticket=x&lastEventId=y&version=1&personality={}';
    expect(await given(parametersInQuery, url)).toEqual({ order: 'a', tag: ['1', '2'] });
  });
});

describe('the options of a call', () => {
  test('come from the query over the body, and the body over its debug', async () => {
    const read = (request: FastifyRequest) => optionsOf(request, { debug: false, options: { debug: true, enable_retry: false } });
    expect(await given(read)).toMatchObject({ debug: true, enable_retry: false, enable_cache: true });
    expect(await given(read, '/?debug=false')).toMatchObject({ debug: false, enable_retry: false });
  });

  test.each([
    ['no-cache', false],
    ['max-age=0, no-cache', false],
    ['No-Cache', false],
    ['no-cache-please', true],
    ['max-age=0', true],
  ])('with Cache-Control: %s have the cache %s', async (header, enabled) => {
    expect(await given((request) => optionsOf(request), '/?enable_cache=true', { 'cache-control': header })).toMatchObject({
      enable_cache: enabled,
    });
  });

  test.each([['text'], [7], [true]])('that are %j are refused, and the refusal names the field', async (options) => {
    expect(await given((request) => optionsOf(request, { options }))).toMatchObject({
      family: 'INVALID_PARAMS',
      details: [{ path: 'options' }],
    });
  });
});

describe('a trace id that the caller brings', () => {
  test.each([
    ['trace_mine', 'trace_mine'],
    [`trace_${'x'.repeat(64)}`, `trace_${'x'.repeat(64)}`],
    [`trace_${'x'.repeat(65)}`, 'trace_derived'],
    ['mine', 'trace_derived'],
    ['trace_a\r\nb', 'trace_derived'],
    [7, 'trace_derived'],
    [undefined, 'trace_derived'],
  ])('%j makes it %s', async (brought, used) => {
    expect(
      await given((request) => {
        adoptTraceId(request, brought);
        return request.facts.traceId;
      }),
    ).toBe(used);
  });
});

describe('an answer', () => {
  const sent = async (outcome: Outcome) => {
    handler = (_request, reply) => sendAnswer(reply, { outcome, facts: { toolName: 't', traceId: 'trace_1', timestamp: 1 } }, { body: 1 });
    return server.inject('/');
  };

  test('has the status of its outcome, its trace id and its version', async () => {
    const reply = await sent({ ok: true, data: {}, version: 'v1' });
    expect({ status: reply.statusCode, etag: reply.headers.etag, trace: reply.headers['x-trace-id'], body: reply.json() }).toEqual({
      status: 200,
      etag: 'W/"v1"',
      trace: 'trace_1',
      body: { body: 1 },
    });
  });

  test.each(['a"b', 'a\r\nb', '版本', 'a b', '', 'x'.repeat(129)])('has no ETag where its version fits into none: %j', async (version) => {
    const reply = await sent({ ok: true, data: {}, version });
    expect({ status: reply.statusCode, etag: reply.headers.etag, body: reply.json() }).toEqual({ status: 200, body: { body: 1 } });
  });

  test('that has not changed is 304 without a body', async () => {
    const reply = await sent({ ok: true, data: {}, version: 'v1', unchanged: true });
    expect({ status: reply.statusCode, body: reply.body }).toEqual({ status: 304, body: '' });
  });

  test('that says when to come back says so in the header, in whole seconds', async () => {
    const error = { code: 'RATE_LIMITED', family: 'RATE_LIMITED', message: 'Slow down', retry_after_ms: 1_200 } as const;
    const reply = await sent({ ok: false, error });
    expect({ status: reply.statusCode, after: reply.headers['retry-after'] }).toEqual({ status: 429, after: '2' });
  });
});
