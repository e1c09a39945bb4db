import { z } from 'zod';
import { batchOut, oneSucceeded } from './batch.js';
import { workspaceField } from './fields.js';
import { memotreeTool } from './memotree-tool.js';
import { deletedOut, nodeDeletion } from './node-items.js';
import { memotreeLimits as limits } from './vocabulary.js';

/** batch_delete_nodes of the MemoTree document (MT-56). */
export const batchDeleteNodes = memotreeTool({
  name: 'batch_delete_nodes',
  title: 'Delete nodes',
  description: 'Delete up to 50 nodes, one after the other. All or none unless atomic is false; each item has its own outcome.',
  zh: {
    title: '批量删除节点',
    description: '依次删除最多 50 个节点。除非 atomic 为 false，否则要么全部成功，要么全部不做；每一项都有各自的结果。',
  },
  effect: 'write',
  input: z.strictObject({
    ...workspaceField,
    nodes: z.array(z.strictObject(nodeDeletion)).min(1).max(limits.batch).describe('1–50 items, each as in delete_node.'),
    atomic: z.boolean().default(true).describe('One failure undoes all.'),
  }),
  output: batchOut(deletedOut),
  timeoutMs: 60_000,
  estimatedTokens: { input: 500, output: { min: 150, typical: 300, max: 5_000 } },
  examples: [
    {
      input: { nodes: [{ nodeId: '3fa4c1d20b7e' }] },
      output: oneSucceeded({ nodeId: '3fa4c1d20b7e', deleted: true as const }),
    },
  ],
});
