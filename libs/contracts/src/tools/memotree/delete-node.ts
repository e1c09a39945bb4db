import { z } from 'zod';
import { workspaceField } from './fields.js';
import { memotreeTool } from './memotree-tool.js';
import { deletedOut, nodeDeletion } from './node-items.js';

/** delete_node of the MemoTree document (MT-56, C-77). */
export const deleteNode = memotreeTool({
  name: 'delete_node',
  title: 'Delete node',
  description: 'Delete a node, with everything below it when recursive. Staged for this session; history keeps what was committed.',
  zh: {
    title: '删除节点',
    description: '删除一个节点；recursive 时连同其下的全部节点。更改在本会话暂存；已提交的内容保留在历史中。',
  },
  effect: 'write',
  input: z.strictObject({ ...workspaceField, ...nodeDeletion }),
  output: deletedOut,
  estimatedTokens: { input: 20, output: { min: 10, typical: 20, max: 60 } },
  examples: [{ input: { nodeId: '3fa4c1d20b7e', recursive: true }, output: { nodeId: '3fa4c1d20b7e', deleted: true } }],
});
