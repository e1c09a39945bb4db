import { batchCreateNodes } from '#lib/contracts';
import { batchMessage, batchWarnings, runBatch } from '../nodes/batch.js';
import { createOne } from '../nodes/create.js';
import { stagingOperation } from '../operation.js';

export const handleBatchCreateNodes = stagingOperation(batchCreateNodes, async ({ nodes, atomic }, draft) => {
  const warnings: string[] = [];
  const data = await runBatch(nodes, { atomic, each: (item) => createOne(draft, item, (warning) => warnings.push(warning)) });
  return { data, message: batchMessage('Created', data), warnings: [...warnings, ...batchWarnings(data)] };
});
