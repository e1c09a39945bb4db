import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import {
  BucketServer,
  eventually,
  hourMs,
  HttpCaller,
  jobShape,
  progressShape,
  startSystem,
  startTimeoutMs,
  type System,
} from '#lib/testing';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { verifies } from '../verifies.js';

jest.setTimeout(120_000);

const mains = { gateway: 'dist/apps/gateway/src/main.js', worker: 'dist/apps/perception-worker/src/main.js' };
const fileData = z.strictObject({
  file_id: z.string(),
  filename: z.string(),
  content_type: z.string(),
  size_bytes: z.int().positive(),
  url: z.url(),
  expires_at: z.iso.datetime(),
  content_base64: z.base64().optional(),
});
const newKey = z.looseObject({ id: z.string(), key: z.string() });
const inlineLimit = 1_048_576;

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

describe('generate_report', () => {
  let system: System;
  let user: HttpCaller;

  beforeAll(async () => {
    system = await startSystem({ mains });
    user = await system.caller();
  }, startTimeoutMs);
  afterAll(async () => system?.[Symbol.asyncDispose]());

  const report = async (input: object, headers = {}) =>
    fileData.parse(expectSuccess((await user.call('generate_report', input, headers)).envelope));

  verifies(['TU-103', 'TU-52'], 'is listed as the perception node has it, and gives a link that downloads the file', async () => {
    expect((await user.get('/tools/generate_report')).body).toMatchObject({
      version: '1.2.0',
      strict: true,
      streaming: true,
      estimated_tokens: { input: 500, output: { min: 50, max: 100, typical: 50 } },
      parameters: {
        required: ['title', 'content'],
        additionalProperties: false,
        properties: { title: { type: 'string' }, content: { type: 'string' }, format: { enum: ['pdf', 'docx', 'html'], default: 'pdf' } },
      },
    });
    const file = await report({ title: '周报 11/21', content: '# 你好\n\n| a | b |\n|---|---|\n| 1 | 2 |' });
    expect(file).toMatchObject({ filename: '周报 11 21.pdf', content_type: 'application/pdf' });
    const inAnHour = Date.parse(file.expires_at) - Date.now();
    expect(inAnHour).toBeGreaterThan(3_500_000);
    expect(inAnHour).toBeLessThanOrEqual(3_600_000);
    const got = await fetch(system.gateway.url + pathOf(file.url));
    const bytes = Buffer.from(await got.arrayBuffer());
    expect(got.status).toBe(200);
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect(bytes.length).toBe(file.size_bytes);
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(file.size_bytes),
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
      'content-disposition': expect.stringContaining(`filename*=UTF-8''${encodeURIComponent('周报 11 21.pdf')}`),
    });
  });

  verifies(['TU-51', 'TU-53'], 'has the bytes too when it is smaller than 1 MiB and read over HTTP', async () => {
    const file = await report({ title: 't', content: 'small', format: 'html' });
    const bytes = Buffer.from(file.content_base64 ?? '', 'base64');
    expect(bytes.length).toBe(file.size_bytes);
    expect(bytes.toString('utf8')).toContain('small');
    expect((await report({ title: 't', content: 'small', format: 'html' }, {})).content_base64).toBeDefined();
    const linkAlone = await user.post('/tools/call', {
      name: 'generate_report',
      arguments: { title: 't', content: 'small', format: 'html' },
      options: { inline_files: false },
    });
    expect(linkAlone.body).toMatchObject({ success: true });
    expect(linkAlone.text).not.toContain('content_base64');
  });

  verifies(['TU-53'], 'is a link alone from exactly 1 MiB on', async () => {
    // Every & is written with five more bytes, every a with none: the size can be met to the byte.
    const html = async (ands: number, letters: number) =>
      report({ title: 't', content: `${'&'.repeat(ands)}a${'a'.repeat(letters)}`, format: 'html' });
    const base = await html(1, 0);
    const [, perAnd] = [base.size_bytes, (await html(2, 0)).size_bytes - base.size_bytes];
    const ands = Math.floor((inlineLimit - 1 - base.size_bytes) / perAnd);
    const letters = inlineLimit - 1 - base.size_bytes - ands * perAnd;
    const below = await html(1 + ands, letters);
    expect(below.size_bytes).toBe(inlineLimit - 1);
    expect(below.content_base64).toBeDefined();
    const at = await html(1 + ands, letters + 1);
    expect(at.size_bytes).toBe(inlineLimit);
    expect(at.content_base64).toBeUndefined();
    expect((await fetch(system.gateway.url + pathOf(at.url))).status).toBe(200);
  });

  verifies(['TU-52', 'TU-53'], 'has a link that nobody can alter, and ranges that can be resumed', async () => {
    const { url, size_bytes: size } = await report({ title: 't', content: 'body', format: 'html' });
    const path = pathOf(url);
    const at = (changed: string, headers = {}) => fetch(system.gateway.url + changed, { headers });
    const whole = Buffer.from(await (await at(path)).arrayBuffer());
    for (const altered of [
      path.replace('signature=', 'signature=x'),
      path.replace('expires=1', 'expires=2'),
      path.split('?')[0] ?? '',
      path.replace('file_', 'file_x'),
    ])
      expect([altered, (await at(altered)).status]).toEqual([altered, 403]);
    expectRefusal(await user.get(path.split('?')[0] ?? ''), { status: 403, code: 'PERMISSION_DENIED' });

    const part = await at(path, { range: 'bytes=10-19' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${size}`]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(whole.subarray(10, 20));
    const etag = part.headers.get('etag') ?? '';
    expect((await at(path, { range: 'bytes=10-19', 'if-range': etag })).status).toBe(206);
    expect((await at(path, { range: 'bytes=10-19', 'if-range': '"other"' })).status).toBe(200);
    expect((await at(path, { 'if-none-match': etag })).status).toBe(304);
    const beyond = await at(path, { range: `bytes=${size}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${size}`]);
    const head = await fetch(system.gateway.url + path, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(size)]);
  });

  verifies(['TU-46', 'TU-29'], 'streams its progress to those who take a stream, and keeps its link out of the store', async () => {
    const body = { title: '秘密', content: '# one\n\n' + '段落\n\n'.repeat(50) };
    const stream = await user.stream('/tools/generate_report', {
      method: 'POST',
      json: body,
      headers: { accept: 'text/event-stream, application/json' },
    });
    const events = await stream.rest();
    expect(events.at(-1)).toMatchObject({ event: 'tool_result' });
    const steps = events.filter(({ event }) => event === 'tool_progress').map(({ data }) => progressShape.parse(data).progress);
    expect(steps.length).toBeGreaterThan(2);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    const { data } = z.object({ data: fileData }).parse(events.at(-1)?.data);
    const signature = new URL(data.url).searchParams.get('signature') ?? '-';
    expect(await system.redis.everything()).not.toContain(signature);
    const json = await user.call('generate_report', { title: 't', content: 'c' }, { accept: 'application/json' });
    expect(json.headers.get('content-type')).toContain('application/json');
  });

  verifies(['TU-103'], 'refuses what it cannot make', async () => {
    expectRefusal(await user.call('generate_report', { title: 't', content: 'c', format: 'odt' }), {
      status: 400,
      code: 'INVALID_PARAMS',
      paths: ['format'],
    });
    expectRefusal(await user.call('generate_report', { title: 't', content: '> '.repeat(500) + 'x' }), {
      status: 400,
      code: 'INVALID_PARAMS',
      native: 'REPORT_TOO_COMPLEX',
    });
  });
});

describe('a file’s time', () => {
  const folder = mkdtempSync(join(tmpdir(), 'invoq-reports-'));
  let system: System;
  let user: HttpCaller;
  beforeAll(async () => {
    const workerEnv = { FILES_LINK_MINUTES: '60', FILES_KEEP_HOURS: '2', REPORT_VISIBILITY: 'private' };
    system = await startSystem({ mains, workerEnv, env: { FILES_DIR: folder } });
    user = await system.caller();
  }, startTimeoutMs);
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  verifies(['TU-52'], 'passes: a link of an hour works for an hour and is then 403', async () => {
    const { envelope } = await user.call('generate_report', { title: 't', content: 'c', format: 'html' });
    const { url, expires_at: expiresAt } = fileData.parse(expectSuccess(envelope));
    await system.clock.advanceTo(Date.parse(expiresAt) - 30_000);
    expect((await fetch(system.gateway.url + pathOf(url))).status).toBe(200);
    await system.clock.advanceTo(Date.parse(expiresAt) + 1);
    const late = expectRefusal(await user.get(pathOf(url)), { status: 403, code: 'PERMISSION_DENIED' });
    expect(late.error.message).toContain('expired');
  });

  test('passes: what is kept for two hours is there for two hours, and then nowhere', async () => {
    const { envelope } = await user.call('generate_report', { title: 't', content: 'kept', format: 'html' });
    const { job_id: jobId = '' } = envelope.metadata;
    const read = async () => fileData.parse((await user.get(`/jobs/${jobId}`)).as(jobShape).result?.data);
    const { file_id: id } = await read();
    const stored = () => readdirSync(folder, { recursive: true }).filter((name) => String(name).includes(id));
    const madeAt = system.clock.now;
    await system.clock.advanceTo(madeAt + 2 * hourMs - 60_000);
    expect((await read()).content_base64).toBeDefined();
    expect(stored()).toHaveLength(1);
    await system.clock.advanceTo(madeAt + 2 * hourMs + 1);
    const { url, content_base64: bytes } = await read();
    expect(bytes).toBeUndefined();
    expectRefusal(await user.get(pathOf(url)), { status: 403, code: 'PERMISSION_DENIED' });
    // A gateway removes what is over when it starts, and every minute after it.
    await system.gateway.restart();
    await eventually(() => stored().length === 0, { what: 'the file is removed' });
  });

  test('a link is bound to the key that reads the answer, and ends with this key', async () => {
    const admin = await system.admin();
    const key = { tenant_id: system.tenant.id, user_id: 'user_001', tier: 'pro', scopes: ['tools:read', 'tools:write'] };
    const newUser = async () => {
      const { id, key: text } = (await admin.post('/keys', key)).as(newKey);
      return { caller: new HttpCaller(system.gateway.url, text), revoke: () => admin.delete(`/keys/${id}`) };
    };
    const [first, second] = [await newUser(), await newUser()];
    const { envelope } = await first.caller.call('generate_report', { title: 't', content: 'two keys', format: 'html' });
    const { url } = fileData.parse(expectSuccess(envelope));
    const { result } = (await second.caller.get(`/jobs/${envelope.metadata.job_id}`)).as(jobShape);
    const { url: other } = fileData.parse(result?.data);
    const statusOf = async (link: string) => (await fetch(system.gateway.url + pathOf(link))).status;
    expect(await Promise.all([url, other].map(statusOf))).toEqual([200, 200]);
    expect((await first.revoke()).status).toBe(200);
    expect(await Promise.all([url, other].map(statusOf))).toEqual([403, 200]);
    expect((await second.revoke()).status).toBe(200);
    expect(await statusOf(other)).toBe(403);
  });
});

describe('reports in a bucket', () => {
  let bucket: BucketServer;
  let system: System;
  beforeAll(async () => {
    bucket = await BucketServer.start();
    const env = {
      FILES_S3_BUCKET: 'reports',
      FILES_S3_ENDPOINT: bucket.url,
      AWS_ACCESS_KEY_ID: BucketServer.accessKey,
      AWS_SECRET_ACCESS_KEY: 'secret',
    };
    system = await startSystem({ mains, gatewayEnv: env, workerEnv: env });
  }, startTimeoutMs);
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]();
    await bucket?.[Symbol.asyncDispose]();
  });

  verifies(['TU-52', 'TU-53'], 'are read through the same links, and of a range no more is read than that', async () => {
    const user = await system.caller();
    const { envelope } = await user.call('generate_report', { title: 't', content: 'long '.repeat(5_000), format: 'html' });
    const { url, size_bytes: size, content_base64: inline = '' } = fileData.parse(expectSuccess(envelope));
    const bytes = Buffer.from(inline, 'base64');
    expect([bucket.objects.size, bytes.length]).toEqual([1, size]);
    const at = (headers = {}) => fetch(system.gateway.url + pathOf(url), { headers });
    expect(Buffer.from(await (await at()).arrayBuffer())).toEqual(bytes);
    const before = bucket.sent;
    for (const [range, from, to] of [
      ['bytes=100-199', 100, 200],
      [`bytes=${size - 7}-`, size - 7, size],
      ['bytes=-5', size - 5, size],
    ] as const) {
      const part = await at({ range });
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes ${from}-${to - 1}/${size}`]);
      expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(from, to));
    }
    expect(bucket.sent - before).toBe(112);
    // The bucket is away: an answer without its bytes is an error, not a broken file.
    bucket.objects.clear();
    expect((await at({ range: 'bytes=0-9' })).status).toBeGreaterThanOrEqual(400);
  });
});

describe('public reports', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ mains, workerEnv: { REPORT_VISIBILITY: 'public', PUBLIC_URL: 'https://files.example.com' } });
  }, startTimeoutMs);
  afterAll(async () => system?.[Symbol.asyncDispose]());

  verifies(['TU-53'], 'have a plain link', async () => {
    const user = await system.caller();
    const { envelope } = await user.call('generate_report', { title: 't', content: 'c', format: 'html' });
    const { url, file_id } = fileData.parse(expectSuccess(envelope));
    expect(url).toBe(`https://files.example.com/files/${file_id}`);
    const got = await fetch(system.gateway.url + pathOf(url));
    expect([got.status, got.headers.get('cache-control')]).toEqual([200, expect.stringContaining('public')]);
    expect((await fetch(`${system.gateway.url}/files/file_000000000000000000000000`)).status).toBe(403);
  });
});
