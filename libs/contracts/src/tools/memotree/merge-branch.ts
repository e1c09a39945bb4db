import { z } from 'zod';
import { sensitive } from '../../marks.js';
import { branchName, conflictOut, workspaceField, text, looseEnum } from './fields.js';
import { memotreeTool } from './memotree-tool.js';
import { memotreeLimits as limits } from './vocabulary.js';

/** merge_branch of the MemoTree document (MT-55). */
export const mergeBranch = memotreeTool({
  name: 'merge_branch',
  title: 'Merge branch',
  description:
    'Bring the commits of another branch into the branch of this session, field by field. Conflicts are reported, none half-merged.',
  zh: {
    title: '合并分支',
    description: '把另一分支的提交逐字段并入本会话的分支。冲突会列出，不会只合并一半。',
  },
  effect: 'write',
  input: z.strictObject({
    ...workspaceField,
    source: branchName().describe('Branch to take from.'),
    message: sensitive(text(limits.messageChars)).default('').describe('Message of the merge commit.'),
    prefer: looseEnum(['Neither', 'Ours', 'Theirs'])
      .default('Neither')
      .describe('Who wins where both changed the same field: Ours (this branch), Theirs (source) or Neither.'),
    dryRun: z.boolean().default(false).describe('Only tell what would happen.'),
  }),
  output: z.object({
    merged: z.boolean(),
    commitId: z.string().nullable(),
    mergedNodes: z.array(z.string()),
    conflicts: z.array(conflictOut),
  }),
  timeoutMs: 60_000,
  estimatedTokens: { input: 25, output: { min: 75, typical: 150, max: 10_000 } },
  examples: [
    { input: { source: 'draft' }, output: { merged: true, commitId: '5d41402abc4b', mergedNodes: ['3fa4c1d20b7e'], conflicts: [] } },
  ],
});
