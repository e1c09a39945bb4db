import { createNode } from '#lib/contracts';
import { createOne } from '../nodes/create.js';
import { stagingOperation } from '../operation.js';

export const handleCreateNode = stagingOperation(createNode, async (input, draft) => {
  const warnings: string[] = [];
  const data = await createOne(draft, input, (warning) => warnings.push(warning));
  return { data, warnings, message: `Created '${data.nodeId}' under '${data.parentId}'; commit_changes publishes it` };
});
