import { batchUpdateNodes } from '#lib/contracts';
import { batchMessage, batchWarnings, inBatch } from '../nodes/batch.js';
import { updateOne } from '../nodes/update.js';
import { stages } from '../operation.js';

export const handleBatchUpdateNodes = stages(batchUpdateNodes, async ({ updates, atomic }, draft) => {
  const warnings: string[] = [];
  const data = await inBatch(updates, { atomic, each: (item) => updateOne(draft, item, (warning) => warnings.push(warning)) });
  return { data, message: batchMessage('Updated', data), warnings: [...warnings, ...batchWarnings(data)] };
});
