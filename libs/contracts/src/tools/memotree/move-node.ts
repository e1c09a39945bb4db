import { z } from 'zod';
import { commitMessage, nodeId, workspaceField } from './fields.js';
import { memotreeTool } from './memotree-tool.js';

/** move_node, an operation beside those of the MemoTree document. */
export const moveNode = memotreeTool({
  name: 'move_node',
  title: 'Move node',
  description: 'Put a node, with everything below it, under another parent or at another place among its siblings. Staged.',
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
