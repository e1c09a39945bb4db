import { z } from 'zod';
import { sensitive } from '../../marks.js';
import { nodeId, workspaceField, viewName } from './fields.js';
import { memotreeTool } from './memotree-tool.js';
import { memotreeLimits as limits } from './vocabulary.js';

/** render_view, an operation beside those of the MemoTree document. */
export const renderView = memotreeTool({
  name: 'render_view',
  title: 'Render view',
  description: 'The canvas as Markdown within a token budget: ids, what is folded, and how many characters unfolding costs.',
  zh: {
    title: '渲染视图',
    description: '在 token 预算内以 Markdown 呈现画布：各节点的 ID、哪些已折叠，以及展开需要多少字符。',
  },
  effect: 'read',
  input: z.strictObject({
    ...workspaceField,
    viewName: viewName(),
    nodeId: nodeId().optional().describe('Top of what is shown; the root when absent.'),
    maxTokens: z
      .int()
      .min(100)
      .max(100_000)
      .default(limits.renderTokens)
      .describe('Budget, 100–100000; least recently used detail is folded to fit.'),
  }),
  output: z.object({
    markdown: sensitive(z.string()),
    tokens: z.int().describe('Estimate for the Markdown.'),
    expandedNodes: z.int(),
    shownNodes: z.int(),
    foldedToFit: z.array(z.string()).describe('Nodes shown at a lower level than the view keeps.'),
  }),
  estimatedTokens: { input: 20, output: { min: 50, typical: 4_000, max: 100_000 } },
  examples: [
    {
      input: {},
      output: {
        markdown: '# MemoTree [root] (1/2 nodes expanded, 58 chars)\n- Retry rules [3fa4c1d20b7e] (+46 chars)\n',
        tokens: 24,
        expandedNodes: 1,
        shownNodes: 2,
        foldedToFit: [],
      },
    },
  ],
});
