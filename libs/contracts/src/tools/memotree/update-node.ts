import { z } from 'zod';
import { workspaceField } from './fields.js';
import { memotreeTool } from './memotree-tool.js';
import { nodeUpdate, updatedOut } from './node-items.js';

/** update_node of the MemoTree document (MT-32…35, C-67, C-68). */
export const updateNode = memotreeTool({
  name: 'update_node',
  title: 'Update node',
  description: 'Change content, title, type or tags of a node. Fields not given stay. The change is staged for this session.',
  zh: {
    title: '更新节点',
    description: '更改节点的内容、标题、类型或标签。未给出的字段不变。更改在本会话暂存。',
  },
  effect: 'write',
  input: z.strictObject({ ...workspaceField, ...nodeUpdate }),
  output: updatedOut,
  maxInputBytes: 8 * 1024 * 1024,
  estimatedTokens: { input: 300, output: { min: 35, typical: 70, max: 210 } },
  examples: [
    {
      input: { nodeId: '3fa4c1d20b7e', content: '## Limits\nFour at most.' },
      output: {
        nodeId: '3fa4c1d20b7e',
        title: 'Retry rules',
        type: 'Concept',
        tags: ['queue'],
        parentId: 'root',
        changed: ['content'],
        freshness: 'stale',
      },
    },
  ],
});
