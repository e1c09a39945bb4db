import { z } from 'zod';
import { sensitive } from '../../marks.js';
import { childOut, freshnessOut, level, nodeFactsOut, nodeId, workspaceField, relationOut, viewName } from './fields.js';
import { memotreeTool } from './memotree-tool.js';
import { lodLevels } from './vocabulary.js';

/** expand_node of the MemoTree document (MT-17…22). */
export const expandNode = memotreeTool({
  name: 'expand_node',
  title: 'Expand node',
  description: 'Read a node at a level of detail and unfold it in the view. Children and relations are given on request.',
  zh: {
    title: '展开节点',
    description: '以某一细节层次读取节点，并在视图中展开。可按需给出子节点和关系。',
  },
  effect: 'write',
  input: z.strictObject({
    ...workspaceField,
    viewName: viewName(),
    nodeId: nodeId().describe('Node to expand; `root` is the top.'),
    level: level().default('Detail').describe('Title, Brief, Summary or Detail.'),
    includeChildren: z.boolean().default(false).describe('Give the children, in their order.'),
    includeRelations: z.boolean().default(false).describe('Give the relations from and to the node.'),
  }),
  output: z.object({
    ...nodeFactsOut,
    level: z.enum(lodLevels),
    content: sensitive(z.string()).describe('The text at that level.'),
    freshness: freshnessOut,
    childCount: z.int(),
    children: z.array(childOut).optional(),
    relations: z.array(relationOut).optional(),
  }),
  estimatedTokens: { input: 30, output: { min: 40, typical: 400, max: 20_000 } },
  examples: [
    {
      input: { nodeId: '3fa4c1d20b7e', level: 'Summary' },
      output: {
        nodeId: '3fa4c1d20b7e',
        title: 'Retry rules',
        type: 'Concept',
        tags: ['queue'],
        parentId: 'root',
        level: 'Summary',
        content: 'Each kind of failure has a budget of its own.',
        freshness: 'fresh',
        childCount: 2,
      },
    },
  ],
});
