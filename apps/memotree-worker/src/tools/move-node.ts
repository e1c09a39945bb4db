import { moveNode } from '#lib/contracts';
import { moveOne } from '../nodes/move.js';
import { stages } from '../operation.js';

export const handleMoveNode = stages(moveNode, async (input, draft) => {
  const data = await moveOne(draft, input);
  return { data, message: `Moved '${data.nodeId}' under '${data.parentId}'` };
});
