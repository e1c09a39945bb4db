import { z } from 'zod';
import { sensitive } from '../../marks.js';
import { commitMessage, nodeId, workspaceField, relationOut, relationType, text } from './fields.js';
import { memotreeTool } from './memotree-tool.js';
import { memotreeLimits as limits } from './vocabulary.js';

/** link_nodes of the MemoTree document (C-70). */
export const linkNodes = memotreeTool({
  name: 'link_nodes',
  title: 'Link nodes',
  description: 'Relate one node to another with a type. The same relation again changes its description. Staged.',
  zh: {
    title: '关联节点',
    description: '以某一类型把一个节点关联到另一个节点。再次建立同一关系会更改其说明。更改先暂存。',
  },
  effect: 'write',
  input: z.strictObject({
    ...workspaceField,
    sourceId: nodeId().describe('Node that the relation starts from.'),
    targetId: nodeId().describe('Node that it points to.'),
    type: relationType().default('References').describe('References, InspiredBy, Contradicts, Extends or DependsOn.'),
    description: sensitive(text(limits.relationChars)).default('').describe('Why they are related, at most 500 characters.'),
    commitMessage: commitMessage(),
  }),
  output: relationOut,
  estimatedTokens: { input: 40, output: { min: 25, typical: 50, max: 150 } },
  examples: [
    {
      input: { sourceId: '3fa4c1d20b7e', targetId: '91c0ffee1234', type: 'DependsOn' },
      output: { relationId: 'a0b1c2d3e4f5', type: 'DependsOn', sourceId: '3fa4c1d20b7e', targetId: '91c0ffee1234', description: '' },
    },
  ],
});
