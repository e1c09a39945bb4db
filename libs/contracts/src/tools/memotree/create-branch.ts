import { z } from 'zod';
import { branchName, commitRef, workspaceField } from './fields.js';
import { memotreeTool } from './memotree-tool.js';

/** create_branch of the MemoTree document (MT-55). */
export const createBranch = memotreeTool({
  name: 'create_branch',
  title: 'Create branch',
  description: 'Begin a line of history of its own at a commit, tag or branch. Nothing is copied. The session stays where it is.',
  zh: {
    title: '创建分支',
    description: '从某次提交、标签或分支开始一条独立的历史。不复制任何内容，会话仍在原处。',
  },
  effect: 'write',
  input: z.strictObject({
    ...workspaceField,
    name: branchName().describe('Name of the new branch.'),
    from: commitRef().optional().describe('Commit, tag or branch to begin at; the head of the session’s branch when absent.'),
    switchTo: z.boolean().default(false).describe('Put the session on it at once.'),
  }),
  output: z.object({ branch: z.string(), from: z.string(), headCommitId: z.string().nullable() }),
  estimatedTokens: { input: 20, output: { min: 20, typical: 40, max: 120 } },
  examples: [{ input: { name: 'draft' }, output: { branch: 'draft', from: 'main', headCommitId: null } }],
});
