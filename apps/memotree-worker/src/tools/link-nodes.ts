import { linkNodes } from '#lib/contracts';
import { linkOne } from '../nodes/link.js';
import { stages } from '../operation.js';

export const handleLinkNodes = stages(linkNodes, async (input, draft) => {
  const { id, type, targetId, description } = await linkOne(draft, input);
  const { sourceId } = input;
  return { data: { relationId: id, type, sourceId, targetId, description }, message: `'${sourceId}' ${type} '${targetId}'` };
});
