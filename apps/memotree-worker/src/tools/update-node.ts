import { updateNode } from '#lib/contracts';
import { updateOne } from '../nodes/update.js';
import { stagingOperation } from '../operation.js';

export const handleUpdateNode = stagingOperation(updateNode, async (input, draft) => {
  const warnings: string[] = [];
  const data = await updateOne(draft, input, (warning) => warnings.push(warning));
  const what = data.changed.length > 0 ? data.changed.join(', ') : 'nothing';
  return { data, warnings, message: `Changed ${what} of '${data.nodeId}'` };
});
