import { z } from 'zod';
import { commitMessage, nodeId, workspaceField, relationType } from './fields.js';
import { memotreeTool } from './memotree-tool.js';

/** unlink_nodes, an operation beside those of the MemoTree document. */
export const unlinkNodes = memotreeTool({
  name: 'unlink_nodes',
  title: 'Unlink nodes',
  description: 'Take the relations from one node to another away, all or those of a type. Links in the content stay. Staged.',
  zh: {
    title: '取消关联',
    description: '取消一个节点到另一个节点的关系：全部，或某一类型的。内容中的链接保留。更改先暂存。',
  },
  effect: 'write',
  input: z.strictObject({
    ...workspaceField,
    sourceId: nodeId().describe('Node that the relation starts from.'),
    targetId: nodeId().describe('Node that it points to.'),
    type: relationType().optional().describe('Only this type.'),
    commitMessage: commitMessage(),
  }),
  output: z.object({ removed: z.int() }),
  estimatedTokens: { input: 30, output: { min: 5, typical: 10, max: 30 } },
  examples: [{ input: { sourceId: '3fa4c1d20b7e', targetId: '91c0ffee1234' }, output: { removed: 1 } }],
});
