import { describe, expect, test } from '@jest/globals';
import type { OperationParameter, OutsideOperation } from '#lib/contracts';
import { requestOf } from './request.js';

const plain: OutsideOperation = { method: 'POST', path: '/a', parameters: [], accept: '*/*' };
const send = (operation: Partial<OutsideOperation>, input: Record<string, unknown> = {}, credentials: Record<string, string> = {}) =>
  requestOf({ ...plain, ...operation }, { input, baseUrl: 'https://api.example.com/v1/', credentials });
const parameter = (more: Partial<OperationParameter>): OperationParameter => ({
  field: 'p',
  name: 'p',
  in: 'query',
  style: 'form',
  explode: true,
  ...more,
});

const list = [3, 4, 5];
const object = { role: 'admin', name: 'A b' };
describe('a parameter', () => {
  test.each<[Partial<OperationParameter>, unknown, string]>([
    [{}, 5, '?p=5'],
    [{}, list, '?p=3&p=4&p=5'],
    [{}, object, '?role=admin&name=A%20b'],
    [{ explode: false }, list, '?p=3,4,5'],
    [{ explode: false }, object, '?p=role,admin,name,A%20b'],
    [{ style: 'spaceDelimited', explode: false }, list, '?p=3%204%205'],
    [{ style: 'pipeDelimited', explode: false }, list, '?p=3%7C4%7C5'],
    [{ style: 'deepObject' }, object, '?p%5Brole%5D=admin&p%5Bname%5D=A%20b'],
    [{ style: 'deepObject' }, { a: { b: [1] } }, '?p%5Ba%5D%5Bb%5D%5B0%5D=1'],
    [{ style: 'json' }, object, '?p=%7B%22role%22%3A%22admin%22%2C%22name%22%3A%22A%20b%22%7D'],
    [{}, 'a&b=c#d', '?p=a%26b%3Dc%23d'],
    [{ allowReserved: true }, 'a/b?c:d&e#f', '?p=a/b?c:d%26e%23f'],
    [{}, null, ''],
    [{}, [], ''],
    [{ name: 'filter[x]' }, 'y', '?filter%5Bx%5D=y'],
  ])('of a query %j with %j is %s', async (more, value, search) => {
    const { url } = await send({ parameters: [parameter(more)] }, { p: value });
    expect(url.href).toBe(`https://api.example.com/v1/a${search}`);
  });

  test.each<[Partial<OperationParameter>, unknown, string]>([
    [{ style: 'simple', explode: false }, 5, '5'],
    [{ style: 'simple', explode: false }, list, '3,4,5'],
    [{ style: 'simple', explode: false }, object, 'role,admin,name,A%20b'],
    [{ style: 'simple', explode: true }, object, 'role=admin,name=A%20b'],
    [{ style: 'label', explode: false }, list, '.3,4,5'],
    [{ style: 'label', explode: true }, list, '.3.4.5'],
    [{ style: 'label', explode: true }, object, '.role=admin.name=A%20b'],
    [{ style: 'matrix', explode: false }, 5, ';p=5'],
    [{ style: 'matrix', explode: false }, list, ';p=3,4,5'],
    [{ style: 'matrix', explode: true }, list, ';p=3;p=4;p=5'],
    [{ style: 'matrix', explode: true }, object, ';role=admin;name=A%20b'],
    [{ style: 'simple' }, 'a/b?c', 'a%2Fb%3Fc'],
  ])('of a path %j with %j is %s', async (more, value, text) => {
    const { url } = await send({ path: '/x/{p}', parameters: [parameter({ in: 'path', ...more })] }, { p: value });
    expect(url.href).toBe(`https://api.example.com/v1/x/${text}`);
  });

  test.each(['.', '..', '', undefined, []])('of a path leads nowhere else: %j', async (value) => {
    const parameters = [parameter({ in: 'path', style: 'simple' })];
    await expect(send({ path: '/x/{p}/y', parameters }, { p: value })).rejects.toThrow(/path/);
    await expect(send({ path: '/x/{p}', parameters }, { p: value })).rejects.toThrow(/path/);
  });

  test.each(['../admin', '..%2fadmin', '%2e%2e', '..\\admin', '/etc', 'https://evil.example.com', '@evil.example.com', '?x#y'])(
    'of a path stays one part of it: %j',
    async (value) => {
      const { url } = await send({ path: '/x/{p}/y', parameters: [parameter({ in: 'path', style: 'simple' })] }, { p: value });
      expect(url.origin).toBe('https://api.example.com');
      expect(url.pathname.split('/')).toHaveLength(5);
      expect(url.pathname).toMatch(/^\/v1\/x\/[^/]+\/y$/);
      expect(url.search + url.hash).toBe('');
    },
  );

  test('is absent also where its name is that of what every object has', async () => {
    const parameters = ['constructor', 'toString', '__proto__'].map((name) => parameter({ field: name, name }));
    expect((await send({ parameters })).url.search).toBe('');
  });

  test('of a header or a cookie', async () => {
    const parameters = [
      parameter({ field: 'h', name: 'X-List', in: 'header', style: 'simple' }),
      parameter({ field: 'c', name: 'c', in: 'cookie' }),
    ];
    expect((await send({ parameters }, { h: list, c: 'a; b=c' })).headers).toMatchObject({ 'x-list': '3,4,5', cookie: 'c=a%3B%20b%3Dc' });
    await expect(send({ parameters }, { h: 'a\r\nb: c' })).rejects.toThrow('one line');
    await expect(send({ parameters }, { h: '中' })).rejects.toThrow('Latin-1');
  });
});

describe('a body', () => {
  const as = (mediaType: string, encodings?: NonNullable<OutsideOperation['body']>['encodings']) => ({
    body: { mediaType, required: true, ...(encodings && { encodings }) },
  });

  test.each<[string, unknown, string]>([
    ['application/json', { a: [1] }, '{"a":[1]}'],
    ['application/vnd.api+json', 'x', '"x"'],
    ['text/plain', 'words', 'words'],
    ['application/x-www-form-urlencoded', { a: 'b c', list: [1, 2], object: { x: 1 } }, 'a=b%20c&list=1&list=2&object=%7B%22x%22%3A1%7D'],
  ])('as %s', async (type, body, sent) => {
    expect(await send(as(type), { body })).toMatchObject({ body: sent, headers: { 'content-type': type } });
  });

  test('as a form whose fields have styles of their own', async () => {
    const { body } = await send(
      as('application/x-www-form-urlencoded', { card: { style: 'deepObject', explode: true }, tags: { style: 'form', explode: false } }),
      {
        body: { card: { number: 4, expiry: { month: 1 } }, tags: ['a', 'b'] },
      },
    );
    expect(body).toBe('card%5Bnumber%5D=4&card%5Bexpiry%5D%5Bmonth%5D=1&tags=a,b');
  });

  test('with files', async () => {
    const file = { base64: Buffer.from('bytes').toString('base64'), filename: 'a.png', mime_type: 'image/png' };
    const { body, headers } = await send(as('multipart/form-data'), { body: { note: 'n', meta: { a: 1 }, files: [file, file] } });
    const form = await new Response(body === null ? null : Buffer.from(body), {
      headers: { 'content-type': headers['content-type'] ?? '' },
    }).formData();
    expect(form.get('note')).toBe('n');
    const meta = form.get('meta');
    // A part with a file name is a file to services.
    expect(meta).toBe('{"a":1}');
    expect(Buffer.from(body ?? '').toString()).toContain('name="meta"\r\nContent-Type: application/json\r\n\r\n{"a":1}');
    const files = form.getAll('files');
    expect(await Promise.all(files.map(async (one) => (one instanceof File ? [one.name, one.type, await one.text()] : one)))).toEqual([
      ['a.png', 'image/png', 'bytes'],
      ['a.png', 'image/png', 'bytes'],
    ]);
  });

  test('of several parts has no name that ends it', async () => {
    const { body } = await send(as('multipart/form-data'), { body: { 'a"\r\nb': 1, file: { base64: '', filename: 'x"\n.png' } } });
    const text = Buffer.from(body ?? '').toString();
    expect([text.includes('name="a%22%0D%0Ab"'), text.includes('filename="x%22%0A.png"')]).toEqual([true, true]);
  });

  test('that is a file', async () => {
    const { body, headers } = await send(as('application/octet-stream'), { body: { base64: 'AAEC' } });
    expect([body, headers['content-type']]).toEqual([new Uint8Array([0, 1, 2]), 'application/octet-stream']);
    await expect(send(as('application/octet-stream'), { body: 'AAEC' })).rejects.toThrow('must be a file');
    await expect(send(as('application/octet-stream'), { body: { base64: 'AAEC', mime_type: 'a\r\nb' } })).rejects.toThrow('mime_type');
  });
});

describe('a credential', () => {
  const security = [
    [{ scheme: 'one', in: 'bearer', name: 'authorization' }],
    [
      { scheme: 'two', in: 'query', name: 'key' },
      { scheme: 'three', in: 'cookie', name: 'sid' },
    ],
  ] as OutsideOperation['security'];

  test.each<[Record<string, string>, object, string]>([
    [{ one: 't' }, { authorization: 'Bearer t' }, ''],
    [{ one: 'Bearer t' }, { authorization: 'Bearer t' }, ''],
    [{ two: 'k', three: 's' }, { cookie: 'sid=s' }, '?key=k'],
    [{ two: 'k' }, {}, ''],
    [{}, {}, ''],
  ])('%j is placed', async (credentials, secrets, search) => {
    const request = await send({ security }, {}, credentials);
    expect(request.secrets).toEqual(secrets);
    expect(request.url.search).toBe(search);
  });

  test('of a name and a password, and under a name of its own', async () => {
    expect((await send({ security: [[{ scheme: 'b', in: 'basic', name: 'authorization' }]] }, {}, { b: 'u:p' })).secrets).toEqual({
      authorization: 'Basic dTpw',
    });
    expect((await send({ security: [[{ scheme: 'h', in: 'header', name: 'x-key' }]] }, {}, { h: 'k' })).secrets).toEqual({ 'x-key': 'k' });
  });

  test('is never one that the caller gives instead', async () => {
    const parameters = [parameter({ field: 'key', name: 'key' })];
    const { url } = await send({ security, parameters }, { key: 'mine' }, { two: 'k', three: 's' });
    expect(url.search).toBe('?key=k');
  });

  test('goes to no server that an operation names for itself', async () => {
    const request = await send({ security, base: 'https://other.example.com' }, {}, { two: 'k', three: 's', one: 't' });
    expect([request.url.href, request.secrets]).toEqual(['https://other.example.com/a', {}]);
  });
});

describe('the account of the caller', () => {
  const security: OutsideOperation['security'] = [
    [{ scheme: 'key', in: 'query', name: 'key' }],
    [
      { scheme: 'app', in: 'header', name: 'x-app' },
      { scheme: 'login', in: 'bearer', name: 'authorization' },
    ],
  ];
  const secretsOf = async (accountHeader: string | null) =>
    requestOf(
      { ...plain, security },
      { input: {}, baseUrl: 'https://api.example.com/v1', credentials: { app: 'a', key: 'k', login: 'fixed' }, accountHeader },
    );

  test('stands for the scheme in its header, and credentials for the others of the same list', async () => {
    const { secrets, url } = await secretsOf('authorization');
    expect([secrets, url.search]).toEqual([{ 'x-app': 'a' }, '']);
  });

  test('that meets no scheme leaves the credentials as they are', async () => {
    expect((await secretsOf('x-other')).url.search).toBe('?key=k');
    expect((await secretsOf(null)).url.search).toBe('?key=k');
  });
});

test('a GET of a tool that was approved with a body is sent without', async () => {
  const { body, headers } = await send({ method: 'GET', body: { mediaType: 'application/json', required: false } }, { body: {} });
  expect([body, headers['content-type']]).toEqual([null, undefined]);
});
