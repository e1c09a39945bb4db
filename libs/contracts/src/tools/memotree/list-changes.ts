import { z } from 'zod';
import { changeOut, workspaceField } from './fields.js';
import { memotreeTool } from './memotree-tool.js';

/** list_changes, an operation beside those of the MemoTree document. */
export const listChanges = memotreeTool({
  name: 'list_changes',
  title: 'List staged changes',
  description: 'What this session has staged and not committed, and which of it is stale because others changed the same since.',
  zh: {
    title: '暂存更改列表',
    description: '列出本会话已暂存而未提交的更改，以及其中因他人改过同一处而过时的部分。',
  },
  effect: 'read',
  input: z.strictObject({ ...workspaceField, maxResults: z.int().min(1).max(1_000).default(100).describe('At most so many, 1–1000.') }),
  output: z.object({
    branch: z.string(),
    total: z.int(),
    changes: z.array(changeOut.extend({ stale: z.boolean() })),
  }),
  estimatedTokens: { input: 10, output: { min: 100, typical: 200, max: 30_000 } },
  examples: [
    {
      input: {},
      output: {
        branch: 'main',
        total: 1,
        changes: [{ nodeId: '3fa4c1d20b7e', change: 'Modified', title: 'Retry rules', fields: ['content'], stale: false }],
      },
    },
  ],
});
