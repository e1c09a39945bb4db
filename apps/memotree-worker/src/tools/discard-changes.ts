import { discardChanges } from '#lib/contracts';
import { sql } from '#lib/platform';
import { stages } from '../operation.js';
import { versionsWhere } from '../store/reader.js';

export const handleDiscardChanges = stages(discardChanges, async ({ specificNodes }, draft) => {
  const staged = (await versionsWhere(draft.runner, sql`v.layer_id = ${draft.stageId}::int`)).map(({ nodeId }) => nodeId);
  const asked = specificNodes && new Set(specificNodes);
  const discarded = asked ? staged.filter((id) => asked.has(id)) : staged;
  await draft.unstage(discarded);
  const unknown = specificNodes?.filter((id) => !staged.includes(id)) ?? [];
  return {
    data: { discardedNodes: discarded },
    message: `Discarded the changes of ${discarded.length} nodes`,
    warnings: unknown.map((id) => `'${id}' has no staged change`),
  };
});
