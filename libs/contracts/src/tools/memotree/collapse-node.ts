import { z } from 'zod';
import { nodeId, workspaceField, viewName } from './fields.js';
import { memotreeTool } from './memotree-tool.js';
import { lodLevels } from './vocabulary.js';

/** collapse_node of the MemoTree document (MT-23). */
export const collapseNode = memotreeTool({
  name: 'collapse_node',
  title: 'Collapse node',
  description: 'Fold a node to its title in the view; what is stored stays as it is. Recursive folds everything below it too.',
  zh: {
    title: '折叠节点',
    description: '在视图中把节点折叠为标题；已保存的内容不变。recursive 会把其下的节点一并折叠。',
  },
  effect: 'write',
  input: z.strictObject({
    ...workspaceField,
    viewName: viewName(),
    nodeId: nodeId().describe('Node to collapse.'),
    recursive: z.boolean().default(false).describe('Fold all descendants too.'),
  }),
  output: z.object({
    nodeId: z.string(),
    level: z.enum(lodLevels),
    folded: z.int().describe('Nodes whose level fell, this one included.'),
  }),
  estimatedTokens: { input: 25, output: { min: 12, typical: 25, max: 75 } },
  examples: [{ input: { nodeId: '3fa4c1d20b7e', recursive: true }, output: { nodeId: '3fa4c1d20b7e', level: 'Title', folded: 4 } }],
});
