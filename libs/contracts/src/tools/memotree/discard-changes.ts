import { z } from 'zod';
import { nodeId, workspaceField } from './fields.js';
import { memotreeTool } from './memotree-tool.js';

/** discard_changes, an operation beside those of the MemoTree document. */
export const discardChanges = memotreeTool({
  name: 'discard_changes',
  title: 'Discard staged changes',
  description: 'Throw staged changes of this session away: those of the nodes named, or all. What was committed is not touched.',
  zh: {
    title: '放弃暂存的更改',
    description: '丢弃本会话暂存的更改：指定节点的，或全部。已提交的内容不受影响。',
  },
  effect: 'write',
  input: z.strictObject({
    ...workspaceField,
    specificNodes: z.array(nodeId()).max(1_000).optional().describe('Only the changes of these nodes.'),
  }),
  output: z.object({ discardedNodes: z.array(z.string()) }),
  estimatedTokens: { input: 10, output: { min: 20, typical: 40, max: 10_000 } },
  examples: [{ input: { specificNodes: ['3fa4c1d20b7e'] }, output: { discardedNodes: ['3fa4c1d20b7e'] } }],
});
