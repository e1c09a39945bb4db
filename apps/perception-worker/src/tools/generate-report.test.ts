import { describe, expect, test } from '@jest/globals';
import { runTool } from '#lib/handlers';
import { TooComplex } from '../report/report.js';
import type { PerceptionServices } from '../services.js';
import { handleGenerateReport } from './generate-report.js';

const expiresAt = new Date('2026-11-22T01:00:00Z');
type Keep = Parameters<PerceptionServices['reportFiles']['keep']>;
type NewFile = Keep[1] & { readonly owner: Keep[0] };

/** Runs the tool with a renderer that answers so. The files that it saves are kept in the list. */
async function run(
  title: string,
  render: PerceptionServices['reports']['render'] = async () => ({ bytes: Buffer.from('bytes'), warnings: [] }),
  jobId = 'job-1',
) {
  const saved: NewFile[] = [];
  const steps: number[] = [];
  const unused = () => Promise.reject(new Error('not used'));
  const services: PerceptionServices = {
    weather: { searchPlaces: unused, current: unused, airQuality: unused },
    reports: { render },
    reportFiles: {
      keep: async (owner, file) => {
        saved.push({ ...file, owner });
        return {
          file_id: file.id,
          filename: file.filename,
          content_type: file.contentType,
          size_bytes: 5,
          url: `https://gateway.example/files/${file.id}`,
          expires_at: expiresAt.toISOString(),
        };
      },
      visibility: 'private',
    },
  };
  const attempt = {
    jobId,
    number: 1,
    input: { title, content: '# c', format: 'pdf' },
    caller: { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' } as const,
    sessionId: null,
    stop: new AbortController().signal,
    onProgress: (percent: number) => void steps.push(percent),
  };
  return { result: await runTool(handleGenerateReport, services, attempt), saved, steps };
}

test('a report is stored for its caller, and answered with a link', async () => {
  const { result, saved } = await run('周报');
  expect(saved).toMatchObject([
    { owner: { tenantId: 't', userId: 'u' }, filename: '周报.pdf', contentType: 'application/pdf', visibility: 'private' },
  ]);
  expect(result).toMatchObject({
    kind: 'done',
    data: {
      file_id: saved[0]?.id,
      size_bytes: 5,
      url: `https://gateway.example/files/${saved[0]?.id}`,
      expires_at: '2026-11-22T01:00:00.000Z',
    },
  });
});

test('another attempt of the same call replaces the file, another call does not', async () => {
  const ids = [await run('a'), await run('a'), await run('a', undefined, 'job-2')].map(({ saved }) => saved[0]?.id);
  expect(ids[0]).toBe(ids[1]);
  expect(ids[2]).not.toBe(ids[0]);
});

describe('the name of the file', () => {
  test.each([
    ['Sales 2026', 'Sales 2026.pdf'],
    ['a/b\\c:d*e?f"g<h>i|j', 'a b c d e f g h i j.pdf'],
    ['line\nbreak\tand\u2028more', 'line break and more.pdf'],
    ['...hidden...', 'hidden.pdf'],
    ['../../etc/passwd', 'etc passwd.pdf'],
    ['???', 'report.pdf'],
    ['x'.repeat(100), `${'x'.repeat(80)}.pdf`],
    ['😀'.repeat(100), `${'😀'.repeat(80)}.pdf`],
    ['\u202Eevil', 'evil.pdf'],
  ])('of %j is %j', async (title, filename) => expect((await run(title)).saved[0]?.filename).toBe(filename));
});

test('progress grows to 100, rendering being the first nine tenths', async () => {
  const { steps } = await run('t', async (_request, { onProgress }) => {
    onProgress(50, 'half');
    onProgress(100, 'whole');
    return { bytes: Buffer.from('x'), warnings: [] };
  });
  expect(steps).toEqual([45, 90, 92, 100]);
});

test('what is not in the file as it was written is told', async () => {
  const { result } = await run('t', async () => ({ bytes: Buffer.from('x'), warnings: ['No font has U+10FFFD.'] }));
  expect(result).toMatchObject({ kind: 'done', warnings: ['No font has U+10FFFD.'] });
});

test('what is too complex is refused, and nothing is stored', async () => {
  const { result, saved } = await run('t', () => Promise.reject(new TooComplex('The Markdown is nested more than 40 deep')));
  expect(result).toMatchObject({
    kind: 'refused',
    error: { code: 'INVALID_PARAMS', message: 'The Markdown is nested more than 40 deep' },
  });
  expect(saved).toEqual([]);
});

test('a renderer that fails is a fault of ours', async () => {
  expect((await run('t', () => Promise.reject(new Error('Rendering failed')))).result).toMatchObject({
    kind: 'failed',
    failure: 'internal',
  });
});
