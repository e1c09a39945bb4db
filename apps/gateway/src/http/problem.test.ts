import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import {
  BadRequestException,
  HttpException,
  NotFoundException,
  PayloadTooLargeException,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import { fastify } from 'fastify';
import { Refusal } from '#lib/contracts';
import { createLogger } from '#lib/platform';
import { installJsonBody } from './json-body.js';
import { errorHeaders, sendProblem, toHttpRefusal } from './problem.js';
import { installRequestFacts } from './request-facts.js';
import type { RouteFacts } from './route.js';

const withCode = (code: string, message = 'x') => Object.assign(new Error(message), { code });

describe('What was thrown', () => {
  test('stays what it is if it is a refusal', () => {
    const refusal = new Refusal('CONFLICT', 'taken');
    expect(toHttpRefusal(refusal)).toBe(refusal);
  });

  test.each([
    [withCode('FST_ERR_CTP_BODY_TOO_LARGE'), 'PAYLOAD_TOO_LARGE'],
    [withCode('FST_ERR_CTP_INVALID_MEDIA_TYPE'), 'UNSUPPORTED_MEDIA_TYPE'],
    [withCode('FST_ERR_CTP_INVALID_CONTENT_LENGTH'), 'INVALID_PARAMS'],
    [withCode('FST_ERR_BAD_URL'), 'RESOURCE_NOT_FOUND'],
    [new NotFoundException(), 'RESOURCE_NOT_FOUND'],
    [new PayloadTooLargeException(), 'PAYLOAD_TOO_LARGE'],
    [new UnsupportedMediaTypeException(), 'UNSUPPORTED_MEDIA_TYPE'],
    [new BadRequestException(), 'INVALID_PARAMS'],
    [Object.assign(new Error('x'), { statusCode: 400 }), 'INVALID_PARAMS'],
    [new HttpException('x', 503), 'EXECUTION_ERROR'],
    [withCode('ECONNREFUSED'), 'NETWORK_ERROR'],
    [new TypeError('x is not a function'), 'EXECUTION_ERROR'],
  ])('%s is %s', (error, family) => {
    expect(toHttpRefusal(error).error.family).toBe(family);
  });
});

describe('The headers of an error', () => {
  test.each([
    [1, '1'],
    [999, '1'],
    [1_001, '2'],
    [0, '1'],
  ])('tell when to come back: after %d ms in %s s', (retry_after_ms, seconds) => {
    expect(errorHeaders(new Refusal('NETWORK_ERROR', 'x', { retry_after_ms }).error)).toEqual({ 'retry-after': seconds });
  });

  test('tell when to come back after a 503, also where nobody knows when', () => {
    expect(errorHeaders(new Refusal('NETWORK_ERROR', 'x').error)).toEqual({ 'retry-after': '1' });
    expect(errorHeaders(new Refusal('OVERLOADED', 'x').error)).toEqual({ 'retry-after': '1' });
    expect(errorHeaders(new Refusal('TIMEOUT', 'x').error)).toEqual({});
  });

  test('tell the limit that was reached', () => {
    const { error } = new Refusal('RATE_LIMITED', 'x', { extra: { limit: 50, window_seconds: 1, resets_in_seconds: 2 } });
    expect(errorHeaders(error)).toEqual({ 'ratelimit-policy': '"default";q=50;w=1', ratelimit: '"default";r=0;t=2' });
    expect(errorHeaders(new Refusal('RATE_LIMITED', 'x').error)).toEqual({});
  });

  test('tell the methods that are allowed, and the credential that is missing', () => {
    expect(errorHeaders(new Refusal('METHOD_NOT_ALLOWED', 'x', { extra: { allow: 'GET' } }).error)).toEqual({ allow: 'GET' });
    expect(errorHeaders(new Refusal('UNAUTHORIZED', 'x').error)).toEqual({ 'www-authenticate': 'Bearer realm="invoq"' });
  });
});

describe('An error is sent', () => {
  const send = async (error: unknown, route?: RouteFacts, before: Readonly<Record<string, string>> = {}) => {
    const app = fastify();
    installRequestFacts(app, () => undefined);
    app.get('/tools/:name', { ...(route && { config: { route } }) }, (request, reply) => {
      void reply.headers(before);
      sendProblem(request, reply, { error, log: createLogger('test', 'silent') });
    });
    return app.inject('/tools/calc_metrics');
  };

  test('as an envelope that names the tool and the trace', async () => {
    const answer = await send(new Refusal('RESOURCE_NOT_FOUND', 'no such tool'));
    expect([answer.statusCode, answer.json()]).toEqual([
      404,
      expect.objectContaining({
        success: false,
        error: expect.objectContaining({ message: 'no such tool' }),
        metadata: expect.objectContaining({ tool_name: 'calc_metrics', trace_id: answer.headers['x-trace-id'] }),
      }),
    ]);
  });

  test.each([
    ['json-rpc', { jsonrpc: '2.0' }],
    ['aurawell', { status: 'error', data: null }],
  ] as const)('in the form of its route: %s', async (errors, form) => {
    const answer = await send(new Refusal('INVALID_PARAMS', 'x'), { errors, docs: null });
    expect([answer.statusCode, answer.json()]).toEqual([400, expect.objectContaining(form)]);
  });

  test('with the headers that its route has set, where they say more', async () => {
    const answer = await send(new Refusal('UNAUTHORIZED', 'x'), undefined, { 'www-authenticate': 'Basic realm="invoq"' });
    expect(answer.headers['www-authenticate']).toBe('Basic realm="invoq"');
  });
});

describe('A body that is too large', () => {
  const mib = 1024 * 1024;
  const limits: Readonly<Record<string, number>> = { '/small': 10, '/large': 8 * mib };

  async function send(path: string, bytes: number, isChunked: boolean): Promise<{ readonly status: number; readonly message: string }> {
    const app = fastify();
    installRequestFacts(app, () => undefined);
    installJsonBody(app, ({ url }) => limits[url] ?? 0);
    app.setErrorHandler((error, request, reply) => sendProblem(request, reply, { error, log: createLogger('test', 'silent') }));
    for (const route of Object.keys(limits)) app.post(route, () => ({}));
    const text = JSON.stringify('x'.repeat(bytes));
    const headers = { 'content-type': 'application/json', ...(isChunked && { 'transfer-encoding': 'chunked' }) };
    const answer = await app.inject({ method: 'POST', url: path, headers, payload: isChunked ? Readable.from([Buffer.from(text)]) : text });
    return { status: answer.statusCode, message: answer.json().error?.message ?? '' };
  }

  test.each([
    ['/small', 20, false, 10],
    ['/small', 20, true, 10],
    ['/small', 9 * mib, true, 10],
    ['/large', 9 * mib, false, 8 * mib],
    ['/large', 9 * mib, true, 8 * mib],
  ])('%s of %d bytes (chunked: %p) is told the limit of its own route', async (path, bytes, isChunked, limit) => {
    expect(await send(path, bytes, isChunked)).toEqual({ status: 413, message: `The body must have at most ${limit} bytes` });
  });

  test.each([
    ['/small', 8],
    ['/large', 7 * mib],
  ])('%s takes %d bytes', async (path, bytes) => {
    expect((await send(path, bytes, false)).status).toBe(200);
  });
});
