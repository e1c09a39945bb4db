import { discardChanges } from '#lib/contracts';
import { stagingOperation } from '../operation.js';
import { stagedVersions } from '../store/reader.js';

export const handleDiscardChanges = stagingOperation(discardChanges, async ({ specificNodes }, draft) => {
  const staged = (await stagedVersions(draft.runner, draft.stageId)).map(({ nodeId }) => nodeId);
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
