import { z } from 'zod';
import { branchName, workspaceField } from './fields.js';
import { memotreeTool } from './memotree-tool.js';

/** switch_branch of the MemoTree document (MT-55). */
export const switchBranch = memotreeTool({
  name: 'switch_branch',
  title: 'Switch branch',
  description: 'Put this session on another branch. Staged changes stay with the branch that they were made on.',
  zh: {
    title: '切换分支',
    description: '让本会话转到另一个分支。暂存的更改留在它们所在的分支。',
  },
  effect: 'write',
  input: z.strictObject({ ...workspaceField, name: branchName().describe('Branch to go to.') }),
  output: z.object({ branch: z.string(), previous: z.string(), headCommitId: z.string().nullable(), staged: z.int() }),
  estimatedTokens: { input: 15, output: { min: 20, typical: 40, max: 120 } },
  examples: [{ input: { name: 'draft' }, output: { branch: 'draft', previous: 'main', headCommitId: null, staged: 0 } }],
});
