import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { collectionName } from './fields.js';

const count = z.int().min(0);

/** Imports the same documents as `npx invoq import knowledge`, sent in the call. */
export const importDocuments = defineTool({
  name: 'import_documents',
  version: '1.1.0',
  changelog: {
    '1.1.0': 'With confirm it asks before documents are removed.',
    '1.0.1': 'The administrator of one tenant may call it.',
    '1.0.0': 'First version.',
  },
  title: 'Import documents',
  description:
    'Bring documents into a collection of your tenant: Markdown with front matter, HTML, plain text, PDF, JSONL. What is unchanged is left alone, what cannot be read is skipped and named; safe to run again.',
  zh: {
    title: '导入文档',
    description:
      '把文档导入本租户的一个集合：带 front matter 的 Markdown、HTML、纯文本、PDF、JSONL。未变的保持不动，读不了的跳过并列出；可放心重复执行。',
  },
  domain: 'knowledge',
  effect: 'write',
  scopes: ['tenant:admin'],
  input: z.strictObject({
    collection: collectionName,
    documents: z
      .array(
        z.strictObject({
          path: z
            .string()
            .min(1)
            .max(500)
            .regex(/\.[a-z0-9]+$/i, 'must end in .md, .html, .txt, .pdf or .jsonl')
            .describe('Its name in the collection; the ending tells the format.'),
          content: z.string().describe('Text, or base64 of the file.'),
          encoding: z.enum(['utf-8', 'base64']).default('utf-8').describe('base64 for PDF and for files as they are.'),
        }),
      )
      .min(1)
      .max(2_000)
      .describe('1–2000 documents.'),
    prune: z.boolean().default(false).describe('Removes documents of the collection that are not named here.'),
    confirm: z
      .boolean()
      .default(false)
      .describe('With prune: asks you before anything is removed or written. The call rests until you answer its input request.'),
  }),
  output: z.object({
    collection: z.string(),
    added: count,
    changed: count,
    unchanged: count,
    removed: count,
    sections_written: count,
    sections_kept: count,
    sections_removed: count,
    skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
    notes: z.array(z.object({ path: z.string(), note: z.string() })).describe('Stored, but not as it was sent.'),
  }),
  errors: {},
  timeoutMs: 240_000,
  retry: { network: { times: 1, baseMs: 1_000 } },
  streaming: true,
  priority: 10,
  maxInputBytes: 16 * 1_024 * 1_024,
  estimatedTokens: { input: 2_000, output: { min: 60, typical: 120, max: 4_000 } },
  examples: [
    {
      input: { collection: 'documents', documents: [{ path: 'refunds.md', content: '# Refunds\n\nA refund takes five to ten days.' }] },
      output: {
        collection: 'documents',
        added: 1,
        changed: 0,
        unchanged: 0,
        removed: 0,
        sections_written: 1,
        sections_kept: 0,
        sections_removed: 0,
        skipped: [],
        notes: [],
      },
    },
  ],
});
