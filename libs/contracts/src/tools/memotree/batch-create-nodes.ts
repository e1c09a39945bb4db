import { z } from 'zod';
import { batchOut, exampleNode, oneSucceeded } from './batch.js';
import { workspaceField } from './fields.js';
import { memotreeTool } from './memotree-tool.js';
import { createdOut, newNode } from './node-items.js';
import { memotreeLimits as limits } from './vocabulary.js';

/** batch_create_nodes of the MemoTree document (MT-56). */
export const batchCreateNodes = memotreeTool({
  name: 'batch_create_nodes',
  title: 'Create nodes',
  description: 'Create up to 50 nodes, one after the other. All or none unless atomic is false; each item has its own outcome.',
  zh: {
    title: '批量创建节点',
    description: '依次创建最多 50 个节点。除非 atomic 为 false，否则要么全部成功，要么全部不做；每一项都有各自的结果。',
  },
  effect: 'write',
  input: z.strictObject({
    ...workspaceField,
    nodes: z.array(z.strictObject(newNode)).min(1).max(limits.batch).describe('1–50 items, each as in create_node.'),
    atomic: z.boolean().default(true).describe('One failure undoes all.'),
  }),
  output: batchOut(createdOut),
  maxInputBytes: 8 * 1024 * 1024,
  timeoutMs: 60_000,
  estimatedTokens: { input: 500, output: { min: 150, typical: 300, max: 5_000 } },
  examples: [
    {
      input: { nodes: [{ title: 'One' }, { title: 'Two' }] },
      output: oneSucceeded({ ...exampleNode, level: 'Summary' as const }),
    },
  ],
});
