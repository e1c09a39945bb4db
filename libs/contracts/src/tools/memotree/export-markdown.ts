import { z } from 'zod';
import { sensitive } from '../../marks.js';
import { commitRef, nodeId, workspaceField } from './fields.js';
import { memotreeTool } from './memotree-tool.js';

/** export_markdown, an operation beside those of the MemoTree document. */
export const exportMarkdown = memotreeTool({
  name: 'export_markdown',
  title: 'Export Markdown',
  description: 'Markdown files of a subtree that import_markdown reads back to the same. Go on with the cursor until it is null.',
  zh: {
    title: '导出 Markdown',
    description: '把一棵子树导出为 Markdown 文件，import_markdown 可原样读回。用 cursor 继续，直到它为 null。',
  },
  effect: 'read',
  streaming: true,
  input: z.strictObject({
    ...workspaceField,
    nodeId: nodeId().optional().describe('Top of what is exported; the root when absent.'),
    at: commitRef().optional().describe('As of a commit, tag or branch; else as this session sees it.'),
    cursor: z.string().max(2_000).optional().describe('From the previous answer.'),
  }),
  output: z.object({
    files: z.array(z.object({ path: z.string(), text: sensitive(z.string()) })),
    nodes: z.int(),
    cursor: z.string().nullable(),
  }),
  timeoutMs: 90_000,
  estimatedTokens: { input: 20, output: { min: 50, typical: 5_000, max: 300_000 } },
  examples: [{ input: {}, output: { files: [{ path: 'Retry rules.md', text: '# Retry rules\n' }], nodes: 1, cursor: null } }],
});
