import { batchDeleteNodes } from '#lib/contracts';
import { batchMessage, batchWarnings, inBatch } from '../nodes/batch.js';
import { deleteOne } from '../nodes/delete.js';
import { stages } from '../operation.js';

export const handleBatchDeleteNodes = stages(batchDeleteNodes, async ({ nodes, atomic }, draft) => {
  const data = await inBatch(nodes, { atomic, each: (item) => deleteOne(draft, item) });
  return { data, message: batchMessage('Deleted', data), warnings: batchWarnings(data) };
});
