import { deleteNode } from '#lib/contracts';
import { deleteOne } from '../nodes/delete.js';
import { stagingOperation } from '../operation.js';

export const handleDeleteNode = stagingOperation(deleteNode, async (input, draft) => ({
  data: await deleteOne(draft, input),
  message: `Deleted '${input.nodeId}'${input.recursive ? ' and what was below it' : ''}; commit_changes publishes it`,
}));
