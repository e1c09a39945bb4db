import { z } from 'zod';
import { sensitive } from '../../marks.js';
import { commitMessage, nodeId, workspaceField, text } from './fields.js';
import { memotreeTool } from './memotree-tool.js';
import { memotreeLimits as limits } from './vocabulary.js';

/** import_markdown, an operation beside those of the MemoTree document. */
export const importMarkdown = memotreeTool({
  name: 'import_markdown',
  title: 'Import Markdown',
  description:
    'Make nodes of Markdown files (a folder, an Obsidian vault): folders and headings become nodes, links become relations. Staged.',
  zh: {
    title: '导入 Markdown',
    description: '把 Markdown 文件（一个文件夹或 Obsidian 库）变成节点：文件夹和标题成为节点，链接成为关系。更改先暂存。',
  },
  effect: 'write',
  streaming: true,
  input: z.strictObject({
    ...workspaceField,
    parentId: nodeId().optional().describe('Where the folder hangs; the root when absent.'),
    files: z
      .array(
        z.strictObject({
          path: z
            .string()
            .regex(/^(?!\/)(?!.*(?:^|\/)\.\.?(?:\/|$))[^\\\0]{1,1000}\.md$/iu, 'must be a relative path with / that ends in .md')
            .describe('Relative path.'),
          text: sensitive(text(limits.contentChars)).describe('What the file says.'),
        }),
      )
      .min(1)
      .max(1_000)
      .describe('1–1000 files, together at most 8 MB.'),
    headings: z.boolean().default(true).describe('Headings become nodes; without it a file is one node.'),
    commitMessage: commitMessage(),
  }),
  output: z.object({
    created: z.int(),
    updated: z.int(),
    unchanged: z.int(),
    links: z.int().describe('Links that found their node.'),
    unresolved: z.array(z.string()).describe('Up to 50 link targets that no node has; they stay as they are.'),
  }),
  timeoutMs: 90_000,
  maxInputBytes: 8 * 1024 * 1024,
  estimatedTokens: { input: 5_000, output: { min: 30, typical: 60, max: 180 } },
  examples: [
    {
      input: { files: [{ path: 'queue/retries.md', text: '# Retry rules\nSee [[Backoff]].' }] },
      output: { created: 3, updated: 0, unchanged: 0, links: 0, unresolved: ['Backoff'] },
    },
  ],
});
