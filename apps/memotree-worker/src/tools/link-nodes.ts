import { linkNodes } from '#lib/contracts';
import { linkOne } from '../nodes/link.js';
import { stagingOperation } from '../operation.js';

export const handleLinkNodes = stagingOperation(linkNodes, async (input, draft) => {
  const { id, type, targetId, description } = await linkOne(draft, input);
  const { sourceId } = input;
  return { data: { relationId: id, type, sourceId, targetId, description }, message: `'${sourceId}' ${type} '${targetId}'` };
});
