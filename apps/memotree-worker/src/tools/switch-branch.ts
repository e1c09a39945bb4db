import { switchBranch } from '#lib/contracts';
import { findBranch } from '../history/refs.js';
import { writeOperation } from '../operation.js';

export const handleSwitchBranch = writeOperation(switchBranch, async ({ name }, { runner, scope }) => {
  const branch = await findBranch(runner, scope.workspaceId, name);
  await runner.$executeRaw`UPDATE memotree_session SET branch_id = ${branch.layerId}::int WHERE id = ${scope.sessionId}::int`;
  const stagedOn = async (layerId: number): Promise<number> => {
    const [row] = await runner.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM memotree_layer l JOIN memotree_version v ON v.layer_id = l.id AND v.seq = 0
      WHERE l.session_id = ${scope.sessionId}::int AND l.parent_id = ${layerId}::int`;
    return row?.count ?? 0;
  };
  const left = scope.branch.id === branch.layerId ? 0 : await stagedOn(scope.branch.id);
  return {
    data: { branch: name, previous: scope.branch.name, headCommitId: branch.commitId, staged: await stagedOn(branch.layerId) },
    message: `This session is on '${name}'`,
    warnings: left > 0 ? [`${left} staged changes stay on '${scope.branch.name}'`] : [],
  };
});
