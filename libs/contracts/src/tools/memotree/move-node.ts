import { z } from 'zod';
import { commitMessage, nodeId, workspaceField } from './fields.js';
import { memotreeTool } from './memotree-tool.js';

/** move_node, an operation beside those of the MemoTree document. */
export const moveNode = memotreeTool({
  name: 'move_node',
  title: 'Move node',
  description: 'Put a node, with everything below it, under another parent or at another place among its siblings. Staged.',
  zh: {
    title: '移动节点',
    description: '把一个节点连同其下的全部节点移到另一上级之下，或移到同级中的另一位置。更改先暂存。',
  },
  effect: 'write',
  input: z.strictObject({
    ...workspaceField,
    nodeId: nodeId().describe('Node to move.'),
    parentId: nodeId().optional().describe('New parent; the present one when absent.'),
    beforeId: nodeId().optional().describe('Sibling to stand before; last when absent.'),
    commitMessage: commitMessage(),
  }),
  output: z.object({ nodeId: z.string(), parentId: z.string() }),
  estimatedTokens: { input: 30, output: { min: 12, typical: 25, max: 75 } },
  examples: [{ input: { nodeId: '3fa4c1d20b7e', parentId: 'root' }, output: { nodeId: '3fa4c1d20b7e', parentId: 'root' } }],
});
