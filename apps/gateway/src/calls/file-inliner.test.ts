import { expect, test } from '@jest/globals';
import { inlineFileBytes } from '#lib/contracts';
import type { StoredFile } from '#lib/files';
import type { Answer } from './answer.js';
import { FileInliner } from './file-inliner.js';

const file: StoredFile = {
  id: 'file_1',
  tenantId: 't',
  userId: 'u',
  filename: 'report.html',
  contentType: 'text/html',
  sizeBytes: 3,
  sha256: 'aa',
  visibility: 'private',
  createdAt: new Date('2026-11-22'),
  expiresAt: new Date('2026-12-01'),
};

function inliner(find: () => Promise<StoredFile | null>) {
  const warnings: unknown[] = [];
  const files = { find, bytes: async () => Buffer.from('hi!') };
  const log = { warn: (...line: unknown[]) => void warnings.push(line) };
  const links = { fileOf: (link: string) => (link.endsWith('?signed') ? 'file_1' : null) };
  return { inliner: new FileInliner({ log }, files, links), warnings };
}

function answer(data: unknown, hasFiles = true): Answer {
  return { outcome: { ok: true, data }, facts: { toolName: 'generate_report', traceId: 'trace_1', timestamp: 1 }, hasFiles };
}

const data = { file_id: 'file_1', size_bytes: 3, url: 'https://invoq.example.com/files/file_1?signed' };

test('a small file comes with its bytes, beside its link', async () => {
  const { inliner: one } = inliner(async () => file);
  expect((await one.inlined(answer(data))).outcome).toEqual({ ok: true, data: { ...data, content_base64: 'aGkh' } });
});

test.each<[string, Answer]>([
  ['of 1 MiB', answer({ ...data, size_bytes: inlineFileBytes })],
  ['of a tool that returns no file', answer(data, false)],
  ['without an id', answer({ size_bytes: 3, url: data.url })],
  ['that is a refusal', { ...answer(null), outcome: { ok: false, error: { code: 'TIMEOUT', family: 'TIMEOUT', message: 'late' } } }],
])('an answer %s stays as it is', async (_what, given) => {
  const { inliner: one } = inliner(() => Promise.reject(new Error('not to be asked for')));
  expect(await one.inlined(given)).toBe(given);
});

test('a file one byte below the limit is inlined', async () => {
  const { inliner: one } = inliner(async () => file);
  const { outcome } = await one.inlined(answer({ ...data, size_bytes: inlineFileBytes - 1 }));
  expect(outcome).toMatchObject({ data: { content_base64: 'aGkh' } });
});

test('files anywhere in an answer are inlined, while they are together below the limit', async () => {
  const { inliner: one } = inliner(async () => file);
  const given = answer({ pages: [{ front: data }, { back: { ...data, size_bytes: inlineFileBytes } }] });
  expect((await one.inlined(given)).outcome).toEqual({
    ok: true,
    data: {
      pages: [{ front: { ...data, content_base64: 'aGkh' } }, { back: { ...data, size_bytes: inlineFileBytes, content_base64: 'aGkh' } }],
    },
  });
});

test.each([
  ['without a signature of ours', { ...data, url: 'https://invoq.example.com/files/file_1' }],
  ['of another file', { ...data, file_id: 'file_2' }],
])('a link %s brings no bytes of the file that it names', async (_what, named) => {
  const { inliner: one } = inliner(async () => file);
  const given = answer(named);
  expect(await one.inlined(given)).toBe(given);
});

test('a file that has been removed leaves the link', async () => {
  const { inliner: one, warnings } = inliner(async () => null);
  const given = answer(data);
  expect(await one.inlined(given)).toBe(given);
  expect(warnings).toEqual([]);
});

test('a store that fails leaves the link and a warning with the cause', async () => {
  const cause = new Error('the bucket is away');
  const { inliner: one, warnings } = inliner(() => Promise.reject(cause));
  const given = answer(data);
  expect(await one.inlined(given)).toBe(given);
  expect(warnings).toEqual([[expect.objectContaining({ event: 'file-unread', trace_id: 'trace_1', err: cause }), expect.any(String)]]);
});
