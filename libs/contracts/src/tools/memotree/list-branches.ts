import { z } from 'zod';
import { workspaceField } from './fields.js';
import { memotreeTool } from './memotree-tool.js';

/** list_branches of the MemoTree document (MT-55). */
export const listBranches = memotreeTool({
  name: 'list_branches',
  title: 'List branches',
  description: 'Branches and tags of the workspace, and the branch that this session is on.',
  zh: {
    title: '分支列表',
    description: '列出工作区的分支和标签，以及本会话所在的分支。',
  },
  effect: 'read',
  input: z.strictObject({ ...workspaceField }),
  output: z.object({
    current: z.string(),
    branches: z.array(
      z.object({
        name: z.string(),
        headCommitId: z.string().nullable(),
        from: z.string().nullable().describe('The branch that it began on.'),
        createdAt: z.iso.datetime(),
      }),
    ),
    tags: z.array(z.object({ name: z.string(), commitId: z.string() })),
  }),
  estimatedTokens: { input: 10, output: { min: 75, typical: 150, max: 5_000 } },
  examples: [
    {
      input: {},
      output: {
        current: 'main',
        branches: [{ name: 'main', headCommitId: null, from: null, createdAt: '2026-11-21T12:00:00.000Z' }],
        tags: [],
      },
    },
  ],
});
