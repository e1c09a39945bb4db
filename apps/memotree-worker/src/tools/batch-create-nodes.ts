import { batchCreateNodes } from '#lib/contracts';
import { batchMessage, batchWarnings, inBatch } from '../nodes/batch.js';
import { createOne } from '../nodes/create.js';
import { stages } from '../operation.js';

export const handleBatchCreateNodes = stages(batchCreateNodes, async ({ nodes, atomic }, draft) => {
  const warnings: string[] = [];
  const data = await inBatch(nodes, { atomic, each: (item) => createOne(draft, item, (warning) => warnings.push(warning)) });
  return { data, message: batchMessage('Created', data), warnings: [...warnings, ...batchWarnings(data)] };
});
