import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { longTextParameters, truncationInfo } from '../../long-text.js';

/** get_document of the Tool Use document. Long content is cut, with a summary of the whole (TU-54…56). */
export const getDocument = defineTool({
  name: 'get_document',
  version: '1.0.0',
  changelog: { '1.0.0': 'First version.' },
  title: 'One document',
  description:
    'Read one document by its id. Content longer than max_length is cut there, and a summary in the document’s own sentences stands for the rest.',
  zh: {
    title: '单个文档',
    description: '按 ID 读取一个文档。超过 max_length 的内容会在该处截断，其余部分以文档原句组成的摘要代替。',
  },
  domain: 'knowledge',
  effect: 'read',
  input: z.strictObject({
    document_id: z.string().min(1).max(128).describe('Id from search_documents or search_knowledge.'),
    ...longTextParameters,
  }),
  output: z.object({
    document_id: z.string(),
    title: z.string(),
    collection: z.string(),
    tags: z.array(z.string()),
    last_updated: z.iso.datetime(),
    content: z.string(),
    truncated: z.boolean(),
    truncation_info: truncationInfo.optional(),
  }),
  errors: { DOCUMENT_NOT_FOUND: 'RESOURCE_NOT_FOUND' },
  timeoutMs: 10_000,
  retry: { network: { times: 3, baseMs: 2_000 }, timeout: { times: 2, baseMs: 2_000 }, 'rate-limit': { times: 3, baseMs: 1_000 } },
  priority: 1,
  estimatedTokens: { input: 40, output: { min: 50, typical: 900, max: 60_000 } },
  examples: [
    {
      input: { document_id: '00000000-0000-4000-8000-000000000000', max_length: 10 },
      output: {
        document_id: '00000000-0000-4000-8000-000000000000',
        title: 'Refunds',
        collection: 'documents',
        tags: [],
        last_updated: '2026-11-01T00:00:00.000Z',
        content: 'A refund t',
        truncated: true,
        truncation_info: { original_length: 32, returned_length: 10, summary: 'A refund takes five to ten days.' },
      },
    },
  ],
});
