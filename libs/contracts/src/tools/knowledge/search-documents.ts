import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { upstreamRules } from '../../upstream-rules.js';
import { queryText } from './fields.js';

/** search_documents of the Tool Use document (TU-48…50, TU-102). */
export const searchDocuments = defineTool({
  name: 'search_documents',
  version: '2.1.0',
  changelog: { '2.1.0': 'Cursor pagination.' },
  title: 'Document search',
  description:
    'Search the document database and page through all documents that match, best first. A tenant with documents of its own looks through those; pages of one search stay the same while documents are added.',
  zh: {
    title: '文档检索',
    description: '检索文档库，并可翻阅全部匹配的文档，最相关的在前。有自己文档的租户检索自己的；添加文档期间，同一次检索的各页不变。',
  },
  domain: 'knowledge',
  effect: 'read',
  input: z.strictObject({
    query: queryText(500, 'Key words, 1–500 characters, in Chinese or English.'),
    limit: z.int().min(1).max(100).default(10).describe('Documents on a page, 1–100.'),
    cursor: z.string().max(8_192).optional().describe('next_cursor of the page before; absent on the first call.'),
  }),
  output: z.object({
    items: z.array(
      z.object({
        document_id: z.string().describe('For get_document.'),
        title: z.string(),
        collection: z.string(),
        section: z.string().describe('Title of the section that matches best.'),
        snippet: z.string(),
        link: z.string().optional(),
        tags: z.array(z.string()),
        last_updated: z.iso.datetime(),
      }),
    ),
    pagination: z.object({
      has_more: z.boolean(),
      next_cursor: z.string().nullable(),
      total_count: z.int().min(0).describe('Documents on all pages.'),
    }),
  }),
  errors: { INVALID_CURSOR: 'INVALID_PARAMS' },
  ...upstreamRules,
  priority: 1,
  estimatedTokens: { input: 100, output: { min: 200, max: 5_000, typical: 1_000 } },
  examples: [
    {
      input: { query: 'refund policy', limit: 1 },
      output: {
        items: [
          {
            document_id: '00000000-0000-4000-8000-000000000000',
            title: 'Refunds',
            collection: 'documents',
            section: 'How long a refund takes',
            snippet: 'A refund takes five to ten days.',
            tags: ['billing'],
            last_updated: '2026-11-01T00:00:00.000Z',
          },
        ],
        pagination: { has_more: true, next_cursor: 'eyJvIjoxfQ.c2lnbmF0dXJl', total_count: 7 },
      },
    },
  ],
});
