import { moveNode } from '#lib/contracts';
import { moveOne } from '../nodes/move.js';
import { stagingOperation } from '../operation.js';

export const handleMoveNode = stagingOperation(moveNode, async (input, draft) => {
  const data = await moveOne(draft, input);
  return { data, message: `Moved '${data.nodeId}' under '${data.parentId}'` };
});
