import { unlinkNodes } from '#lib/contracts';
import { unlinkOne } from '../nodes/link.js';
import { stagingOperation } from '../operation.js';

export const handleUnlinkNodes = stagingOperation(unlinkNodes, async (input, draft) => {
  const removed = await unlinkOne(draft, input);
  const message = `Took ${removed} relations from '${input.sourceId}' to '${input.targetId}' away`;
  return { data: { removed }, message, warnings: removed === 0 ? ['There was no such relation'] : [] };
});
