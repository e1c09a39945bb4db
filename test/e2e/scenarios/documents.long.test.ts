import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { acceptedShape, jobShape, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { Invoq } from '#lib/client';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { importAll, startKnowledge } from '../knowledge-system.js';
import { verifies } from '../verifies.js';

const pageShape = z.object({
  items: z.array(z.object({ document_id: z.string(), title: z.string() })),
  pagination: z.object({ has_more: z.boolean(), next_cursor: z.string().nullable(), total_count: z.int() }),
});
const documentShape = z.object({
  content: z.string(),
  truncated: z.boolean(),
  truncation_info: z.object({ original_length: z.int(), returned_length: z.int(), summary: z.string().optional() }).optional(),
});

describe('documents', () => {
  let system: System;
  let user: HttpCaller;
  let admin: HttpCaller;
  const search = async (params: object) => pageShape.parse(expectSuccess((await user.call('search_documents', params)).envelope));
  const idOf = async (query: string) => (await search({ query, limit: 1 })).items[0]?.document_id ?? '';
  const read = async (params: object) => documentShape.parse(expectSuccess((await user.call('get_document', params)).envelope));

  beforeAll(async () => {
    system = await startKnowledge();
    [user, admin] = await Promise.all([system.caller(), system.admin()]);
    await importAll(
      admin,
      'documents',
      Array.from({ length: 25 }, (_, n) => ({
        path: `guide-${n}.md`,
        content: `# Guide ${n}\n\n${'Some words. '.repeat(n)}\n\n## Part\n\nThe manual says ${n}.\n\n## More\n\nAgain the manual.`,
      })),
    );
  }, startTimeoutMs);
  afterAll(async () => system?.[Symbol.asyncDispose]());

  verifies(['TU-48', 'TU-49', 'TU-50', 'TU-102'], 'are found page by page, each once, whatever is added meanwhile', async () => {
    const first = await search({ query: 'manual' });
    expect(first).toMatchObject({ pagination: { has_more: true, next_cursor: expect.any(String), total_count: 25 } });
    expect(first.items).toHaveLength(10);
    await importAll(admin, 'documents', [{ path: 'late.md', content: '# Late\n\nmanual manual manual' }]);
    const second = await search({ query: 'manual', limit: 8, cursor: first.pagination.next_cursor });
    const third = await search({ query: 'manual', limit: 100, cursor: second.pagination.next_cursor });
    expect(third.pagination).toEqual({ has_more: false, next_cursor: null, total_count: 25 });
    const ids = [first, second, third].flatMap(({ items }) => items.map(({ document_id }) => document_id));
    expect([ids.length, new Set(ids).size]).toEqual([25, 25]);
    expect((await search({ query: 'manual' })).pagination.total_count).toBe(26);
  });

  verifies(['TU-49'], 'refuse cursors that are garbage, of another question, or of another caller', async () => {
    const { next_cursor } = (await search({ query: 'manual' })).pagination;
    const refused = { status: 400, code: 'INVALID_PARAMS', native: 'INVALID_CURSOR', paths: ['cursor'] };
    for (const cursor of ['garbage', 'eyJvZmZzZXQiOjEwfQ==', `${next_cursor ?? ''}x`, '', '.'])
      expectRefusal(await user.call('search_documents', { query: 'manual', cursor }), refused);
    expectRefusal(await user.call('search_documents', { query: 'other', cursor: next_cursor }), refused);
    const other = await system.caller({ userId: 'user_other' });
    expectRefusal(await other.call('search_documents', { query: 'manual', cursor: next_cursor }), refused);
  });

  verifies(['TU-50', 'TU-102'], 'come ten to a page, or as many as asked, up to 100', async () => {
    expect((await search({ query: 'manual', limit: 100 })).items.length).toBeGreaterThanOrEqual(25);
    for (const limit of [0, 101, 1.5])
      expectRefusal(await user.call('search_documents', { query: 'manual', limit }), {
        status: 400,
        code: 'INVALID_PARAMS',
        paths: ['limit'],
      });
    const definition = (await user.get('/tools/search_documents')).as(z.looseObject({ parameters: z.looseObject({}) }));
    expect(definition).toMatchObject({
      version: '2.1.0',
      strict: true,
      estimated_tokens: { input: 100, output: { min: 200, max: 5_000, typical: 1_000 } },
      parameters: {
        required: ['query'],
        additionalProperties: false,
        properties: {
          query: { type: 'string' },
          limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
          cursor: { type: 'string' },
        },
      },
    });
  });

  verifies(['TU-54', 'TU-55', 'TU-56'], 'that are long are cut, by code points, with a summary unless it is not wanted', async () => {
    const sentence = '钙是骨骼的主要成分，每天要吃够。';
    const long = sentence.repeat(1_000).slice(0, 15_000);
    await importAll(admin, 'documents', [
      { path: 'long.txt', content: long },
      { path: 'emoji.txt', content: `emojidocument ${'😀'.repeat(200)}` },
      { path: 'short.txt', content: 'A shortdocument of few words.' },
    ]);
    const document_id = await idOf('骨骼 主要成分');
    expect(await read({ document_id })).toEqual({
      content: long.slice(0, 2_000),
      truncated: true,
      truncation_info: { original_length: 15_000, returned_length: 2_000, summary: expect.stringContaining('骨骼') },
    });
    expect((await read({ document_id, return_summary: false })).truncation_info).toEqual({
      original_length: 15_000,
      returned_length: 2_000,
    });
    const emoji = await read({ document_id: await idOf('emojidocument'), max_length: 50 });
    expect([Array.from(emoji.content).length, emoji.content.isWellFormed()]).toEqual([50, true]);
    expect(await read({ document_id: await idOf('shortdocument') })).toEqual({
      content: 'A shortdocument of few words.',
      truncated: false,
    });
    for (const max_length of [0, -1, 1.5])
      expectRefusal(await user.call('get_document', { document_id, max_length }), {
        status: 400,
        code: 'INVALID_PARAMS',
        paths: ['max_length'],
      });
  });

  verifies(['TU-54'], 'that do not exist, or belong to another tenant, are not found, after one attempt', async () => {
    for (const document_id of ['nothing', '00000000-0000-4000-8000-000000000000', "'; --"]) {
      const refused = expectRefusal(await user.call('get_document', { document_id }), {
        status: 404,
        code: 'RESOURCE_NOT_FOUND',
        native: 'DOCUMENT_NOT_FOUND',
      });
      expect(refused.metadata.attempts).toBe(1);
    }
    await using elsewhere = await startKnowledge({ workers: 0, gateways: 0 });
    const stranger = user.with({ authorization: `Bearer ${await elsewhere.tenant.key()}` });
    const reply = await stranger.call('get_document', { document_id: await idOf('manual') });
    expectRefusal(reply, { status: 404, code: 'RESOURCE_NOT_FOUND', native: 'DOCUMENT_NOT_FOUND' });
  });

  verifies(['TU-96'], 'are fetched whole by the helper and the command, 1,000 unless told otherwise', async () => {
    await importAll(
      admin,
      'archive',
      Array.from({ length: 1_100 }, (_, n) => ({ path: `a${n}.txt`, content: `An archived paper, number ${n}.` })),
    );
    const where = { url: system.gateway.url, key: await system.tenant.key() };
    const invoq = new Invoq(where);
    expect(await invoq.fetchAllPages('search_documents', { query: 'archived' })).toHaveLength(1_000);
    expect(await invoq.fetchAllPages('search_documents', { query: 'archived' }, { maxItems: 5_000 })).toHaveLength(1_100);
    expect(await invoq.fetchAllPages('search_documents', { query: 'shortdocument' })).toHaveLength(1);
    await expect(invoq.fetchAllPages('search_documents', { query: '' })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringContaining('query'),
    });
    const env = { ...process.env, INVOQ_DATA_DIR: '/nowhere/at/all', INVOQ_URL: where.url, INVOQ_API_KEY: where.key };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['dist/apps/cli/src/main.js', 'call', 'search_documents', '--query', 'archived', '--all', '--max-items', '120'],
      { env },
    );
    expect(stdout.trim().split('\n')).toHaveLength(120);
  });

  verifies(['TU-102'], 'are imported by administrators alone, with progress, and what cannot be read is skipped and named', async () => {
    expectRefusal(await user.call('import_documents', { collection: 'documents', documents: [{ path: 'a.md', content: 'x' }] }), {
      status: 403,
      code: 'PERMISSION_DENIED',
    });
    const base64 = (bytes: Uint8Array) => ({ content: Buffer.from(bytes).toString('base64'), encoding: 'base64' });
    const documents = [
      { path: 'good.html', content: '<html><title>T</title><body><h1 id="top">Heading</h1><p>Unicornpage text.</p></body></html>' },
      { path: 'broken.pdf', ...base64(Buffer.from('%PDF-1.4 not really')) },
      { path: 'latin1.txt', ...base64(Buffer.from('caf\xe9', 'latin1')) },
      { path: 'empty.md', content: '---\ntitle: Nothing\n---\n' },
      { path: 'bad.md', content: '---\ntype: secret\n---\nText' },
      { path: 'strange.docx', content: 'x' },
      {
        path: 'lines.jsonl',
        content: '{"id":"one","title":"One","text":"Dragonline one."}\nnot json\n{"id":"two","text":"Dragonline two."}',
      },
    ];
    await using stream = await user
      .with({ authorization: `Bearer ${await system.tenant.key({ userId: null, scopes: ['*'] })}` })
      .stream('/tools/import_documents/sse', { method: 'POST', json: { collection: 'documents', documents } });
    const events = await stream.rest();
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['tool_progress', 'tool_result']));
    const result = z.looseObject({
      data: z.looseObject({ skipped: z.array(z.object({ path: z.string(), reason: z.string() })), added: z.int() }),
    });
    const { data } = result.parse(events.at(-1)?.data);
    expect(data.added).toBe(3);
    expect(data.skipped.map(({ path }) => path)).toEqual([
      'broken.pdf',
      'latin1.txt',
      'empty.md',
      'bad.md',
      'strange.docx',
      'lines.jsonl:2',
    ]);
    for (const word of ['unicornpage', 'dragonline']) expect((await search({ query: word })).pagination.total_count).toBeGreaterThan(0);
  });

  describe('an import that would remove documents', () => {
    const asked = z.looseObject({ input_requests: z.array(z.looseObject({ id: z.string(), job_id: z.string(), message: z.string() })) });
    const kept = { path: 'kept.md', content: '# Kept\n\nIt stays.' };
    const start = async (collection: string) => {
      await importAll(admin, collection, [kept, { path: 'gone.md', content: '# Gone\n\nIt goes.' }]);
      const call = { collection, documents: [kept, { path: 'new.md', content: '# New' }], prune: true, confirm: true };
      const accepted = (await admin.post('/tools/import_documents', call)).as(acceptedShape);
      return { jobId: accepted.job_id, requestId: accepted.rest?.input_request ?? '' };
    };
    const answer = async (requestId: string, action: string) => admin.post(`/input-requests/${requestId}`, { action });
    const ended = async (jobId: string) => (await admin.get(`/jobs/${jobId}?wait=20`)).as(jobShape);

    test('asks its caller before anything is done, and removes them after a yes', async () => {
      const { jobId, requestId } = await start('asked');
      const [request] = (await admin.get('/input-requests?state=open&kind=question')).as(asked).input_requests;
      expect(request).toMatchObject({ id: requestId, job_id: jobId, message: expect.stringContaining('gone.md') });
      expect((await user.get(`/input-requests/${requestId}`)).status).toBe(404);
      expect((await answer(requestId, 'accept')).status).toBe(200);
      expect(await ended(jobId)).toMatchObject({ state: 'completed', result: { data: { added: 1, unchanged: 1, removed: 1 } } });
    });

    test('leaves them after a no, and says so', async () => {
      const { jobId, requestId } = await start('kept');
      await answer(requestId, 'decline');
      const { result } = await ended(jobId);
      expect(result).toMatchObject({
        data: { added: 1, removed: 0 },
        metadata: { warnings: ['Nothing was removed: you did not say yes.'] },
      });
    });

    test('asks nothing where nothing would be removed', async () => {
      const call = { collection: 'fresh', documents: [kept], prune: true, confirm: true };
      expect(expectSuccess((await admin.call('import_documents', call)).envelope)).toMatchObject({ added: 1, removed: 0 });
    });
  });
});
