import { z } from 'zod';
import { workspaceField } from './fields.js';
import { memotreeTool } from './memotree-tool.js';
import { createdOut, newNode } from './node-items.js';

/** create_node of the MemoTree document (MT-24…31). */
export const createNode = memotreeTool({
  name: 'create_node',
  title: 'Create node',
  description: 'Create a node under a parent. It is staged: visible to this session at once, to others after commit_changes.',
  zh: {
    title: '创建节点',
    description: '在上级节点下创建一个节点。更改先暂存：本会话立即可见，他人在 commit_changes 之后可见。',
  },
  effect: 'write',
  input: z.strictObject({ ...workspaceField, ...newNode }),
  output: createdOut,
  maxInputBytes: 8 * 1024 * 1024,
  estimatedTokens: { input: 300, output: { min: 30, typical: 60, max: 180 } },
  examples: [
    {
      input: { title: 'Retry rules', content: 'Each kind of failure has a budget of its own.', tags: ['queue'] },
      output: {
        nodeId: '3fa4c1d20b7e',
        title: 'Retry rules',
        type: 'Concept',
        tags: ['queue'],
        parentId: 'root',
        level: 'Summary',
        freshness: 'fresh',
      },
    },
  ],
});
