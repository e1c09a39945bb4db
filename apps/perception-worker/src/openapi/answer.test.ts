import { describe, expect, test } from '@jest/globals';
import { answerOf, linksOf, readResponse } from './answer.js';

const asked = { name: 'shop', url: new URL('https://api.example.com/v1/items?page=1'), idempotent: true };
const answer = async (body: string | Uint8Array<ArrayBuffer> | null, init: ResponseInit = {}, more: Partial<typeof asked> = {}) =>
  answerOf(await readResponse(new Response(body, init)), { ...asked, ...more });
const type = (name: string) => ({ headers: { 'content-type': name } });

describe('a success', () => {
  test.each<[string | Uint8Array<ArrayBuffer> | null, ResponseInit, object]>([
    ['{"a":1}', type('application/json; charset=utf-8'), { status: 200, body: { a: 1 } }],
    ['[1]', type('application/vnd.api+json'), { status: 200, body: [1] }],
    ['words', type('text/plain'), { status: 200, body: 'words' }],
    ['no json', type('application/json'), { status: 200, body: 'no json' }],
    [null, { status: 204 }, { status: 204 }],
    [new Uint8Array([0, 255]), type('image/png'), { status: 200, body: { type: 'file', mimeType: 'image/png', data: 'AP8=' } }],
    [new Uint8Array([0, 255]), type('text/plain'), { status: 200, body: { type: 'file', mimeType: 'text/plain', data: 'AP8=' } }],
    ['', { status: 201, headers: { location: '/v1/items/2' } }, { status: 201, headers: { location: '/v1/items/2' } }],
  ])('%j is given as data', async (body, init, data) => expect(await answer(body, init)).toEqual({ kind: 'done', data }));

  test('keeps the links of a page', async () => {
    const link = '</v1/items?page=2>; rel="next", <https://api.example.com/v1/items?page=9>; rel=last, <x>; title="no relation"';
    expect(await answer('[]', { headers: { 'content-type': 'application/json', link } })).toEqual({
      kind: 'done',
      data: {
        status: 200,
        body: [],
        links: { next: 'https://api.example.com/v1/items?page=2', last: 'https://api.example.com/v1/items?page=9' },
      },
    });
    expect(linksOf('<'.repeat(50_000), asked.url)).toBeNull();
  });
});

describe('a refusal', () => {
  test.each<[number, string, string]>([
    [400, '{"message":"no"}', 'UPSTREAM_INVALID_PARAMS'],
    [422, '{"detail":[{"msg":"x"}]}', 'UPSTREAM_INVALID_PARAMS'],
    [401, '', 'UPSTREAM_FORBIDDEN'],
    [403, '', 'UPSTREAM_FORBIDDEN'],
    [404, '', 'UPSTREAM_NOT_FOUND'],
    [410, '', 'UPSTREAM_NOT_FOUND'],
    [409, '', 'UPSTREAM_CONFLICT'],
    [412, '', 'UPSTREAM_CONFLICT'],
    [402, '', 'UPSTREAM_REFUSED'],
    [302, '', 'UPSTREAM_REFUSED'],
  ])('with %d is %s %s', async (status, body, literal) =>
    expect(await answer(body, { status })).toMatchObject({ kind: 'refused', literal }),
  );

  test.each<[string, string]>([
    ['{"error":{"message":"No such customer"}}', '404 No such customer'],
    ['{"title":"Bad","detail":"The id is wrong"}', '404 The id is wrong'],
    ['{"message":"Validation","errors":[{"field":"a"}]}', '404 Validation: [{"field":"a"}]'],
    ['{"errors":[{"message":"a"},{"message":"b"}]}', '404 a; b'],
    ['{"odd":1}', '404 {"odd":1}'],
    ['', '404 without a word'],
  ])('%s says %s', async (body, message) =>
    expect(await answer(body, { status: 404, headers: { 'content-type': 'application/json' } })).toMatchObject({ message }),
  );
});

describe('a failure', () => {
  test.each<[number, Record<string, string>, object]>([
    [429, { 'retry-after': '3' }, { kind: 'rate-limit', hintMs: 3_000 }],
    [403, { 'retry-after': '2' }, { kind: 'rate-limit', hintMs: 2_000 }],
    [403, { 'x-ratelimit-remaining': '0' }, { kind: 'rate-limit' }],
    [503, { 'retry-after': '1' }, { kind: 'rate-limit', hintMs: 1_000 }],
    [503, {}, { kind: 'network' }],
    [502, {}, { kind: 'network' }],
    [504, {}, { kind: 'timeout' }],
    [408, {}, { kind: 'timeout' }],
    [500, {}, { kind: 'service' }],
  ])('%d %j is one of its kind', async (status, headers, failure) => {
    await expect(answer('', { status, headers })).rejects.toMatchObject({ name: 'Failure', ...failure });
  });

  test('503 of a call that must not happen twice is no refusal by rate: it may have happened', async () => {
    await expect(answer('', { status: 503, headers: { 'retry-after': '1' } }, { idempotent: false })).rejects.toMatchObject({
      kind: 'network',
    });
  });
});
