import { batchDeleteNodes } from '#lib/contracts';
import { batchMessage, batchWarnings, runBatch } from '../nodes/batch.js';
import { deleteOne } from '../nodes/delete.js';
import { stagingOperation } from '../operation.js';

export const handleBatchDeleteNodes = stagingOperation(batchDeleteNodes, async ({ nodes, atomic }, draft) => {
  const data = await runBatch(nodes, { atomic, each: (item) => deleteOne(draft, item) });
  return { data, message: batchMessage('Deleted', data), warnings: batchWarnings(data) };
});
