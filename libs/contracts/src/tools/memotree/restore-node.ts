import { z } from 'zod';
import { commitMessage, commitRef, nodeFactsOut, nodeId, workspaceField } from './fields.js';
import { memotreeTool } from './memotree-tool.js';

/** restore_node, an operation beside those of the MemoTree document. */
export const restoreNode = memotreeTool({
  name: 'restore_node',
  title: 'Restore node',
  description: 'Stage a node as it was in a commit, tag or branch; a deleted one comes back. Commit to publish it.',
  zh: {
    title: '恢复节点',
    description: '把节点恢复到某次提交、标签或分支中的样子并暂存；已删除的会回来。提交后才发布。',
  },
  effect: 'write',
  input: z.strictObject({
    ...workspaceField,
    nodeId: nodeId().describe('Node to restore.'),
    from: commitRef().describe('Commit id (or 7 digits and more of it), tag or branch.'),
    commitMessage: commitMessage(),
  }),
  output: z.object({ ...nodeFactsOut, changed: z.array(z.string()) }),
  estimatedTokens: { input: 30, output: { min: 30, typical: 60, max: 180 } },
  examples: [
    {
      input: { nodeId: '3fa4c1d20b7e', from: 'v1' },
      output: { nodeId: '3fa4c1d20b7e', title: 'Retry rules', type: 'Concept', tags: [], parentId: 'root', changed: ['title'] },
    },
  ],
});
