import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { jobListShape, nativeShape, startSystem, startTimeoutMs, type HttpCaller, type Reply, type System } from '#lib/testing';
import { expectRefusal } from '../expectations.js';
import { rawRequest } from '../raw-request.js';
import { inProcess } from '../in-process.js';

const tool = '/tools/user_profile_lookup';
const json = { 'content-type': 'application/json' };

function allowedBy(reply: Reply | undefined): readonly string[] {
  return (reply?.headers.get('allow') ?? '').split(', ').filter((name) => name !== 'HEAD');
}

describe('bad input', () => {
  let system: System;
  let user: HttpCaller;
  let key: string;

  beforeAll(async () => {
    system = await startSystem({ inProcess });
    key = await system.tenant.key();
    user = (await system.caller()).with({ authorization: `Bearer ${key}` });
  }, startTimeoutMs);
  afterAll(async () => system?.[Symbol.asyncDispose]());

  const sent = (raw: string | Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>> = json): Promise<Reply> =>
    user.request(tool, { method: 'POST', raw, headers });

  test('is told apart from JSON, without repeating what was sent', async () => {
    const broken = [
      '{',
      '{"user_id":}',
      '[1,',
      '"',
      '{} {}',
      "{'user_id':'canary-4711'}",
      '{"user_id":"canary-4711"',
      'undefined',
      '{"user_id":"canary-4711",}',
      '\u0000',
    ];
    for (const text of broken) {
      const { error } = expectRefusal(await sent(text), { status: 400, code: 'INVALID_PARAMS' });
      expect(error.message).toMatch(/JSON/);
      expect(error.message).not.toContain('canary');
    }
  });

  test('is refused when it is not UTF-8, and read when it opens with a BOM', async () => {
    expectRefusal(await sent(new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])), { status: 400, code: 'INVALID_PARAMS' });
    expectRefusal(await sent('{"user_id":"user_001"}', { 'content-type': 'application/json; charset=utf-16' }), {
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    });
    expectRefusal(await sent(gzipSync('{"user_id":"user_001"}'), { ...json, 'content-encoding': 'gzip' }), {
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    });
    expect((await sent('{"user_id":"user_001"}', { ...json, 'content-encoding': 'identity' })).status).toBe(200);
    expect((await sent('\ufeff{"user_id":"user_001"}')).status).toBe(200);
  });

  test('is refused when it holds NUL, half a surrogate pair or a way to a prototype, in names and values', async () => {
    const hostile = [
      '{"user_id":"a\\u0000b"}',
      '{"a\\u0000b":1}',
      '{"user_id":"\\ud800"}',
      '{"user_id":"x\\udc00y"}',
      '{"\\ud800":1}',
      '{"user_id":{"deep":["\\udfff"]}}',
      '{"__proto__":{"admin":true}}',
      '{"user_id":"user_001","__proto__":null}',
      '{"constructor":{"prototype":{"admin":true}}}',
      '{"user_id":{"__proto__":1}}',
    ];
    for (const text of hostile) expectRefusal(await sent(text), { status: 400, code: 'INVALID_PARAMS' });
    for (const text of hostile)
      expectRefusal(
        await user.request('/tools/call', { method: 'POST', raw: `{"name":"user_profile_lookup","arguments":${text}}`, headers: json }),
        { status: 400, code: 'INVALID_PARAMS' },
      );
  });

  test('is refused when it is nested too deep, has too many values or is too large', async () => {
    const nested = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
    expectRefusal(await sent(nested(65)), { status: 400, code: 'INVALID_PARAMS' });
    expectRefusal(await sent('['.repeat(100_000) + ']'.repeat(100_000)), { status: 400, code: 'INVALID_PARAMS' });
    expectRefusal(await sent(`[${'1,'.repeat(50_000)}1]`), { status: 400, code: 'INVALID_PARAMS' });
    // Well past the limit, yet small enough to be sent before the refusal closes the connection.
    for (const size of [262_145, 2_000_000])
      expectRefusal(await sent(`{"user_id":"${'x'.repeat(size)}"}`), { status: 413, code: 'PAYLOAD_TOO_LARGE' });
    expectRefusal(await sent(`{"user_id":"${'x'.repeat(262_000)}"}`), { status: 400, code: 'INVALID_PARAMS', native: 'INVALID_INPUT' });
  });

  test('is refused when it is no JSON by its content type', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/jsonp',
      'text/json',
    ]) {
      expectRefusal(await sent('{"user_id":"user_001"}', { 'content-type': type }), { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
    }
    for (const type of ['application/json', 'application/json; charset=UTF-8', 'application/vnd.invoq+json', 'APPLICATION/JSON'])
      expect((await sent('{"user_id":"user_001"}', { 'content-type': type })).status).toBe(200);
  });

  test('is told the methods of a path that has others', async () => {
    const wrong = [
      ['PUT', tool, ['GET', 'POST']],
      ['DELETE', '/tools', ['GET']],
      ['PATCH', '/jobs/inv_x', ['DELETE', 'GET']],
      ['POST', '/healthz', ['GET']],
      ['GET', '/tickets', ['POST']],
    ] as const;
    for (const [method, path, allowed] of wrong) {
      const reply = await user.request(path, { method });
      expectRefusal(reply, { status: 405, code: 'METHOD_NOT_ALLOWED' });
      expect(allowedBy(reply)).toEqual(allowed);
    }
  });

  test('is answered in the four AuraWell keys at the AuraWell routes', async () => {
    const route = '/aurawell/calc_metrics';
    const wrong = [
      await user.request(route, { method: 'POST', raw: '{', headers: json }),
      await user.request(route, { method: 'POST', raw: 'x', headers: { 'content-type': 'text/plain' } }),
      await user.get(route),
    ];
    expect(wrong.map(({ status }) => status)).toEqual([400, 415, 405]);
    for (const reply of wrong) expect(reply.as(nativeShape)).toMatchObject({ status: 'error', data: null });
    expect(allowedBy(wrong[2])).toEqual(['POST']);
  });

  test('is an unknown path, however it is spelt', async () => {
    for (const path of [
      '/nope',
      '/tools/a/b/c',
      '/jobs/a/b',
      '/.git/config',
      '/favicon.ico',
      '/tools/%2e%2e/admin',
      '/TOOLS',
      '/tools//calc_metrics',
      '/metrics/..;/keys',
      '/index.html',
      `/${'x'.repeat(5_000)}`,
    ]) {
      expectRefusal(await user.get(path), { status: 404, code: 'RESOURCE_NOT_FOUND' });
    }
    for (const path of ['/jobs/%00', '/jobs/%', '/tools/%zz', '/jobs/%ff%fe', '/jobs/..%2f..%2fkeys']) {
      const reply = await rawRequest(
        system.gateway.url,
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
      );
      expect([400, 404]).toContain(reply.status);
      expect(JSON.parse(reply.text)).toMatchObject({
        success: false,
        error: { code: expect.any(String) },
        metadata: { trace_id: reply.headers.get('x-trace-id') },
      });
    }
  });

  test('is an error envelope when it is hardly HTTP', async () => {
    const head = `Host: x\r\nAuthorization: Bearer ${key}\r\n`;
    const requests = [
      ['NONSENSE\r\n\r\n', 400, 'INVALID_PARAMS'],
      [`GET /tools HTTP/1.1\r\n${head}X-Big: ${'x'.repeat(40_000)}\r\n\r\n`, 413, 'PAYLOAD_TOO_LARGE'],
      [
        `POST ${tool} HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
        400,
        'INVALID_PARAMS',
      ],
      [`GET /tools HTTP/1.1\r\n${head}Bad Header: 1\r\n\r\n`, 400, 'INVALID_PARAMS'],
    ] as const;
    for (const [text, status, code] of requests) {
      const reply = await rawRequest(system.gateway.url, text);
      expect({ text, status: reply.status, body: JSON.parse(reply.text) }).toMatchObject({
        text,
        status,
        body: { success: false, error: { code }, metadata: { trace_id: reply.headers.get('x-trace-id') } },
      });
    }
    const traced = await rawRequest(system.gateway.url, `TRACE /tools HTTP/1.1\r\n${head}Connection: close\r\n\r\n`);
    expect([404, 405]).toContain(traced.status);
    expect(JSON.parse(traced.text)).toMatchObject({ success: false, error: { code: expect.any(String) } });
  });

  test('is a query that the list of jobs does not know', async () => {
    for (const query of ['limit=0', 'limit=-1', 'limit=101', 'limit=1e9', 'limit=1.5', 'limit=ten', 'limit=', 'limit=5&limit=6'])
      expectRefusal(await user.get(`/jobs?${query}`), { status: 400, code: 'INVALID_PARAMS', paths: ['limit'] });
    for (const query of ['state=done', 'state=', 'state=waiting&state=active'])
      expectRefusal(await user.get(`/jobs?${query}`), { status: 400, code: 'INVALID_PARAMS', paths: ['state'] });
    for (const query of ['userId=user_other', 'tenantId=x', 'filter[user]=x', 'a[__proto__][x]=1'])
      expect((await user.get(`/jobs?${query}`)).status).toBe(200);
  });

  test('is a cursor that was made up, edited, or given for another query or caller', async () => {
    for (let index = 0; index < 3; index++) await user.call('user_profile_lookup', { user_id: 'user_001' });
    const cursor = (await user.get('/jobs?limit=1')).as(jobListShape).pagination.next_cursor ?? '';
    expect((await user.get(`/jobs?limit=1&cursor=${cursor}`)).status).toBe(200);
    const [body = '', mac = ''] = cursor.split('.');
    const edited = `${Buffer.from(Buffer.from(body, 'base64url').toString().replace(/\d/, '9')).toString('base64url')}.${mac}`;
    for (const wrong of [
      '',
      'x',
      'eyJvZmZzZXQiOjEwfQ==',
      '../..',
      body,
      `${body}.`,
      `.${mac}`,
      `${body}.${mac}x`,
      edited,
      'x'.repeat(5_000),
    ]) {
      expectRefusal(await user.get(`/jobs?limit=1&cursor=${encodeURIComponent(wrong)}`), {
        status: 400,
        code: 'INVALID_PARAMS',
        paths: ['cursor'],
      });
    }
    expectRefusal(await user.get(`/jobs?limit=1&state=completed&cursor=${cursor}`), {
      status: 400,
      code: 'INVALID_PARAMS',
      paths: ['cursor'],
    });
    const other = await system.caller({ userId: 'user_other' });
    expectRefusal(await other.get(`/jobs?limit=1&cursor=${cursor}`), { status: 400, code: 'INVALID_PARAMS', paths: ['cursor'] });
  });

  test('is a job id that is none, which is answered like the id of somebody else', async () => {
    const mine = (await user.call('user_profile_lookup', { user_id: 'user_001' })).envelope.metadata.job_id ?? '';
    const other = await system.caller({ userId: 'user_other' });
    const ids = [
      mine,
      `inv_profile_${'0'.repeat(32)}`,
      `inv_other_${'0'.repeat(32)}`,
      'meta',
      'active',
      'events',
      '1',
      'inv_profile_*',
      '{x}:y',
      'x'.repeat(290),
      '..%2f..%2fx',
      '__proto__',
    ];
    const messages = new Set<string>();
    for (const id of ids) {
      for (const attempt of [
        other.get(`/jobs/${id}`),
        other.get(`/jobs/${id}?wait=30`),
        other.get(`/jobs/${id}/events`),
        other.delete(`/jobs/${id}`),
      ]) {
        messages.add(expectRefusal(await attempt, { status: 404, code: 'RESOURCE_NOT_FOUND' }).error.message);
      }
    }
    expect(messages.size).toBe(1);
    for (const wait of ['x', '-1', '1e3', '', 'NaN'])
      expectRefusal(await user.get(`/jobs/${mine}?wait=${wait}`), { status: 400, code: 'INVALID_PARAMS', paths: ['wait'] });
  });

  test('is an id of an event that this job never had', async () => {
    const mine = (await user.call('user_profile_lookup', { user_id: 'user_001' })).envelope.metadata.job_id ?? '';
    const another = (await user.call('user_profile_lookup', { user_id: 'user_001' })).envelope.metadata.job_id ?? '';
    for (const id of ['*', '$', '0-0', '-1', '../x', 'evt_1', 'evt_x_-1', 'x'.repeat(3_000), `evt_${another.slice(4)}_1`]) {
      expectRefusal(await user.get(`/jobs/${mine}/events`, { 'last-event-id': id }), {
        status: 400,
        code: 'INVALID_PARAMS',
        paths: ['Last-Event-ID'],
      });
    }
  });

  test('is a header that is too long or not printable', async () => {
    expectRefusal(await user.call('user_profile_lookup', { user_id: 'user_001' }, { 'idempotency-key': 'k'.repeat(256) }), {
      status: 400,
      code: 'INVALID_PARAMS',
      native: 'INVALID_INPUT',
      paths: ['Idempotency-Key'],
    });
    expect((await user.call('user_profile_lookup', { user_id: 'user_001' }, { 'idempotency-key': 'k'.repeat(255) })).status).toBe(200);
    for (const session of ['a b', 'x'.repeat(129), 'a/../b', ''])
      expectRefusal(await user.call('user_profile_lookup', { user_id: 'user_001' }, { 'x-session-id': session }), {
        status: 400,
        code: 'INVALID_PARAMS',
        paths: ['X-Session-Id'],
      });
    expect((await user.call('user_profile_lookup', { user_id: 'user_001' }, { 'x-session-id': 'sess_ok' })).status).toBe(200);
  });

  test('changes nothing: no job of it, no process down, nothing polluted', async () => {
    const { jobs } = (await user.get('/jobs?limit=100')).as(jobListShape);
    expect(jobs.every(({ result }) => result?.success)).toBe(true);
    expect([system.gateway.isRunning, system.worker.isRunning]).toEqual([true, true]);
    expect((await user.call('user_profile_lookup', { user_id: 'user_001' })).envelope.data).not.toHaveProperty('admin');
    expect(system.logs().filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });
});
