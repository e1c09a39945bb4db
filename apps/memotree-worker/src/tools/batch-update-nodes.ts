import { batchUpdateNodes } from '#lib/contracts';
import { batchMessage, batchWarnings, runBatch } from '../nodes/batch.js';
import { updateOne } from '../nodes/update.js';
import { stagingOperation } from '../operation.js';

export const handleBatchUpdateNodes = stagingOperation(batchUpdateNodes, async ({ updates, atomic }, draft) => {
  const warnings: string[] = [];
  const data = await runBatch(updates, { atomic, each: (item) => updateOne(draft, item, (warning) => warnings.push(warning)) });
  return { data, message: batchMessage('Updated', data), warnings: [...warnings, ...batchWarnings(data)] };
});
