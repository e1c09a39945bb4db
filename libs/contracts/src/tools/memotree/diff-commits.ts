import { z } from 'zod';
import { sensitive } from '../../marks.js';
import { changeOut, commitRef, nodeId, workspaceField } from './fields.js';
import { memotreeTool } from './memotree-tool.js';

/** diff_commits, an operation beside those of the MemoTree document. */
export const diffCommits = memotreeTool({
  name: 'diff_commits',
  title: 'Diff commits',
  description: 'What differs between two states: commits, tags or branches. With nodeId also the text of that node on both sides.',
  zh: {
    title: '比较提交',
    description: '比较两个状态的差异：提交、标签或分支。给出 nodeId 时还会列出该节点两边的文本。',
  },
  effect: 'read',
  input: z.strictObject({
    ...workspaceField,
    from: commitRef().describe('Commit id (or 7 digits and more of it), tag or branch.'),
    to: commitRef().optional().describe('The same; the head of the session’s branch when absent.'),
    nodeId: nodeId().optional().describe('Only this node, with its text.'),
    maxResults: z.int().min(1).max(1_000).default(100).describe('At most so many changes, 1–1000.'),
  }),
  output: z.object({
    total: z.int(),
    changes: z.array(changeOut),
    before: sensitive(z.string()).nullable().optional(),
    after: sensitive(z.string()).nullable().optional(),
  }),
  estimatedTokens: { input: 30, output: { min: 150, typical: 300, max: 40_000 } },
  examples: [
    {
      input: { from: 'v1' },
      output: { total: 1, changes: [{ nodeId: '3fa4c1d20b7e', change: 'Modified', title: 'Retry rules', fields: ['title'] }] },
    },
  ],
});
