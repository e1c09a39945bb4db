// Files that tenants' own tools give: with the library that is published for them, and word by word.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { fileOutput, servedDomainName, toServedTool } from '#lib/contracts';
import { file, fileSchema, handle, type ServedWorker, type Tool, type ToolFile } from '#lib/serve';
import { eventually, RawWorker } from '#lib/testing';
import { partitionOf } from '#lib/transport';
import { Stores } from '../stores.js';
import { TestHttpGateway } from '../test-http-gateway.js';
import { contractOf } from './test-contract.js';
import { begin, startOwnWorker } from './test-own-worker.js';

const megabyte = 1024 * 1024;
const plain = { name: 'a.txt', type: 'text/plain' };
let gateway: TestHttpGateway;
let key: string;
const workers: ServedWorker[] = [];
const raw: RawWorker[] = [];
beforeAll(async () => {
  gateway = await TestHttpGateway.start({ NODE_ENV: 'test', TENANT_BYTES: String(12 * megabyte) });
  key = await gateway.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
});
afterEach(async () => {
  for (const one of raw.splice(0)) one.cut();
  await Promise.all(workers.splice(0).map((worker) => worker.stop().catch(() => undefined)));
});
afterAll(async () => gateway[Symbol.asyncDispose]());

const example = {
  file_id: 'file_2Q8mTnXo1cVb5RkJ0wHs9LpE',
  filename: 'a.txt',
  content_type: 'text/plain',
  size_bytes: 5,
  url: 'https://tools.example.com/files/file_2Q8mTnXo1cVb5RkJ0wHs9LpE',
  expires_at: '2026-11-24T16:00:00.000Z',
};
const output = z.strictObject({ files: z.array(fileSchema) });
const oneOutput = { output, examples: [{ input: { text: 'a' }, output: { files: [example] } }] };
let used = 0;
const newName = () => `file_tool_${++used}`;
const filed = z.object({ data: z.object({ files: z.array(z.object(fileOutput)) }) });
const failed = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

async function serveFiles(make: (signal: AbortSignal) => readonly ToolFile[] | Promise<readonly ToolFile[]>): Promise<string> {
  const name = newName();
  const tool: Tool = handle({ ...contractOf(name), ...oneOutput }, async (_input, { signal }) => ({ files: [...(await make(signal))] }));
  workers.push(await startOwnWorker(gateway, { key, tool }));
  return name;
}

const call = async (name: string) => {
  const { status, body } = await gateway.post(`/tools/${name}`, { text: 'hello' });
  return { status, answer: JSON.parse(body) as unknown };
};
const read = async (link: string) => {
  const { pathname, search } = new URL(link);
  return gateway.send(pathname + search);
};
const rows = async () => gateway.app.get(Stores).database.file.findMany({ where: { tenantId: gateway.tenant.id } });
/** Files of the store, those that are half there among them. */
const stored = () => {
  const folder = gateway.app.get(Stores).settings.FILES_DIR;
  return existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length : 0;
};
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('a tool of a tenant', () => {
  test('gives files, which callers get as links, and small ones with their bytes', async () => {
    const name = await serveFiles(() => [
      file('first', plain),
      file(Buffer.from('second'), { ...plain, type: 'text/csv; charset=utf-8' }),
      file('', plain),
    ]);
    const { status, answer } = await call(name);
    expect(status).toBe(200);
    const { files } = filed.parse(answer).data;
    expect(files).toMatchObject([
      { filename: 'a.txt', content_type: 'text/plain', size_bytes: 5, content_base64: 'Zmlyc3Q=' },
      { filename: 'a.txt', content_type: 'text/csv; charset=utf-8', size_bytes: 6, content_base64: 'c2Vjb25k' },
      { filename: 'a.txt', size_bytes: 0, content_base64: '' },
    ]);
    const answers = await Promise.all(files.map(async ({ url }) => read(url)));
    expect(answers.map(({ status: http, body }) => [http, body])).toEqual([
      [200, 'first'],
      [200, 'second'],
      [200, ''],
    ]);
    expect(new Set(files.map(({ file_id }) => file_id)).size).toBe(3);
  });

  test('streams a file of many pieces, of which none is left over', async () => {
    const bytes = randomBytes(3 * megabyte + 17);
    const before = stored();
    const name = await serveFiles(() => [file(Readable.from(bytes.subarray(0)), { name: 'big.bin', type: 'application/octet-stream' })]);
    const [given] = filed.parse((await call(name)).answer).data.files;
    expect(given).toMatchObject({ size_bytes: bytes.length });
    expect(given?.content_base64).toBeUndefined();
    const [row] = (await rows()).filter(({ id }) => id === given?.file_id);
    expect(row).toMatchObject({ sizeBytes: bytes.length, sha256: digest(bytes), visibility: 'private' });
    expect(stored()).toBe(before + 1);
    const { pathname, search } = new URL(given?.url ?? '');
    const whole = await fetch(`http://127.0.0.1:${gateway.port}${pathname}${search}`);
    expect(digest(new Uint8Array(await whole.arrayBuffer()))).toBe(digest(bytes));
  });

  test.each([
    ['../../etc/passwd', 'etc passwd'],
    ['a/b\\c:d.txt', 'a b c d.txt'],
    ['报告.pdf', '报告.pdf'],
    ['😀.png', '😀.png'],
    ['a\0b.txt', 'a b.txt'],
    ['...', 'file'],
    [`${'x'.repeat(200)}.tar`, `${'x'.repeat(76)}.tar`],
    ['line\r\nX-Evil: 1', 'line X-Evil 1'],
  ])('gives a file of the name %j as %j', async (given, shown) => {
    const name = await serveFiles(() => [file('x', { ...plain, name: given })]);
    const [one] = filed.parse((await call(name)).answer).data.files;
    expect(one?.filename).toBe(shown);
    expect((await read(one?.url ?? '')).status).toBe(200);
  });

  test('whose stream breaks fails, and nothing is left of its files', async () => {
    const [before, rowsBefore] = [stored(), (await rows()).length];
    let isClosed = false;
    async function* broken(): AsyncGenerator<Uint8Array> {
      try {
        yield randomBytes(2 * megabyte);
        throw new Error('the source is gone');
      } finally {
        isClosed = true;
      }
    }
    const name = await serveFiles(() => [file('whole', plain), file(broken(), plain)]);
    const { status, answer } = await call(name);
    expect([status, failed.parse(answer).error.code]).toEqual([500, 'EXECUTION_ERROR']);
    await eventually(async () => stored() === before && (await rows()).length === rowsBefore);
    expect(isClosed).toBe(true);
  });

  test('is stopped in the middle of a file when its call is cancelled, and nothing is left', async () => {
    const before = stored();
    const closed = Promise.withResolvers<void>();
    async function* slow(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          yield randomBytes(megabyte);
          await sleep(20);
        }
      } finally {
        closed.resolve();
      }
    }
    const name = await serveFiles(() => [file(slow(), plain)]);
    const id = await begin(gateway, name);
    await eventually(async () => stored() > before + 2);
    await gateway.send(`/jobs/${id}`, { method: 'DELETE', authorization: gateway.user });
    await closed.promise;
    await eventually(async () => stored() === before);
  });

  test('of a tenant that has no room is refused in words, and costs nothing', async () => {
    const before = stored();
    const big = () =>
      file(Readable.from(Array.from({ length: 6 }, () => Buffer.alloc(megabyte))), { name: 'b.bin', type: 'application/octet-stream' });
    const name = await serveFiles(() => [big(), big()]);
    const { status, answer } = await call(name);
    expect([status, failed.parse(answer).error]).toEqual([
      429,
      expect.objectContaining({ code: 'QUOTA_EXCEEDED', message: expect.stringMatching(/TENANT_BYTES/) }),
    ]);
    await eventually(async () => stored() === before);
    // What is removed is free again.
    const small = await serveFiles(() => [file('x', plain)]);
    expect((await call(small)).status).toBe(200);
  });
});

describe('word by word', () => {
  const connect = async (name: string) => {
    const worker = await RawWorker.connect({
      url: `http://127.0.0.1:${gateway.port}`,
      key,
      concurrency: 1,
      tools: [toServedTool({ ...contractOf(name), ...oneOutput })],
    });
    raw.push(worker);
    return worker;
  };
  const piece = (attempt: string, text: string, more: object = {}) => ({
    type: 'file',
    attempt,
    number: 1,
    name: 'a.txt',
    content_type: 'text/plain',
    offset: 0,
    data: Buffer.from(text).toString('base64'),
    ...more,
  });
  const taken = z.object({ number: z.number(), received: z.number(), file: z.object(fileOutput).optional() });
  const done = (attempt: string, files: readonly unknown[]) => ({ type: 'done', attempt, data: { files } });

  test('pieces that are sent again are taken once, and the word of them is given again', async () => {
    const name = newName();
    const worker = await connect(name);
    const answer = call(name);
    const { attempt } = await worker.nextAttempt();
    const say = async (message: object) => {
      await worker.send([message]);
      return taken.parse(await worker.next('file'));
    };
    expect(await say(piece(attempt, 'one '))).toEqual({ number: 1, received: 4 });
    expect(await say(piece(attempt, 'one '))).toEqual({ number: 1, received: 4 });
    const last = piece(attempt, 'two', { offset: 4, last: true });
    const { file: whole } = await say(last);
    expect((await say(last)).file).toEqual(whole);
    await worker.send([done(attempt, [whole])]);
    const [given] = filed.parse((await answer).answer).data.files;
    expect((await read(given?.url ?? '')).body).toBe('one two');
  });

  test('a file that goes on where it has not come to ends the attempt', async () => {
    const name = newName();
    const worker = await connect(name);
    const gap = call(name);
    const first = await worker.nextAttempt();
    await worker.send([piece(first.attempt, 'x', { offset: 5 })]);
    expect((await gap).status).toBe(500);
  });

  test.each([
    ['what is no base64', { data: 'a*b' }],
    ['no media type', { content_type: 'html' }],
    ['a header in its type', { content_type: 'text/html\r\nx: y' }],
    ['too many of them', { number: 21 }],
    ['too large a piece', { data: Buffer.alloc(megabyte).toString('base64') }],
  ])('a piece with %s is refused by name', async (_what, more) => {
    const worker = await connect(newName());
    const response = await worker.send([piece('x', 'x', more)]);
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/messages\.0\.(data|content_type|number)/);
  });

  test('of another worker, or of no attempt of its own, nothing is taken', async () => {
    const name = newName();
    const worker = await connect(name);
    const answer = call(name);
    const { attempt } = await worker.nextAttempt();
    const other = await connect(newName());
    const said: unknown = await (await other.send([piece(attempt, 'evil', { last: true })])).json();
    expect(said).toMatchObject({ unknown: [attempt] });
    const stranger = await gateway.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
    expect((await worker.send([piece(attempt, 'evil', { last: true })], { key: stranger })).status).toBe(404);
    await worker.send([piece(attempt, 'good', { last: true })]);
    const { file: whole } = taken.parse(await worker.next('file'));
    await worker.send([done(attempt, [whole])]);
    const [given] = filed.parse((await answer).answer).data.files;
    expect((await read(given?.url ?? '')).body).toBe('good');
  });

  test('an answer that names a file of another call fails: nobody is given a new link to it', async () => {
    const name = newName();
    const worker = await connect(name);
    const first = call(name);
    const one = await worker.nextAttempt();
    await worker.send([piece(one.attempt, 'mine', { last: true })]);
    const { file: whole } = taken.parse(await worker.next('file'));
    await worker.send([done(one.attempt, [whole])]);
    expect((await first).status).toBe(200);
    const second = call(name);
    const two = await worker.nextAttempt();
    await worker.send([done(two.attempt, [whole])]);
    expect((await second).status).toBe(500);
    const third = call(name);
    const three = await worker.nextAttempt();
    await worker.send([done(three.attempt, [{ ...whole, url: 'https://elsewhere.example/files/x' }])]);
    const [given] = filed.parse((await third).answer).data.files;
    expect(given?.content_base64).toBeUndefined();
  });

  test('a worker that is lost leaves nothing, and the next attempt has files of its own', async () => {
    const name = newName();
    const before = stored();
    const worker = await connect(name);
    const answer = call(name);
    const one = await worker.nextAttempt();
    await worker.send([piece(one.attempt, 'whole', { last: true })]);
    const first = taken.parse(await worker.next('file'));
    await worker.send([piece(one.attempt, 'half', { number: 2 })]);
    await worker.next('file');
    expect(stored()).toBe(before + 2);
    const next = await connect(name);
    worker.cut();
    const two = await next.nextAttempt();
    await eventually(async () => stored() === before);
    expect((await worker.send([piece(one.attempt, 'late', { last: true, number: 3 })])).status).toBe(404);
    await next.send([piece(two.attempt, 'again', { last: true })]);
    const second = taken.parse(await next.next('file'));
    expect(second.file?.file_id).not.toBe(first.file?.file_id);
    await next.send([done(two.attempt, [second.file])]);
    expect((await answer).status).toBe(200);
    expect(stored()).toBe(before + 1);
  });

  test('what a worker says of its bytes does not count', async () => {
    const name = newName();
    const worker = await connect(name);
    const answer = call(name);
    const { attempt } = await worker.nextAttempt();
    await worker.send([{ ...done(attempt, []), facts: { file_bytes: -1_000_000_000 } }]);
    expect((await answer).status).toBe(200);
    const { redis, keys } = gateway.app.get(Stores);
    const partition = partitionOf(servedDomainName({ tenant: gateway.tenant.id, domain: 'sales' }));
    expect(Number(await redis.hget(keys.held(partition, gateway.tenant.id), 'sum'))).toBeGreaterThan(0);
  });
});
