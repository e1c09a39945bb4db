import { createBranch } from '#lib/contracts';
import { findRef } from '../history/refs.js';
import { writeOperation } from '../operation.js';
import { Rejection } from '../rejection.js';

export const handleCreateBranch = writeOperation(createBranch, async ({ name, from, switchTo }, { runner, scope }, { index }) => {
  const start = await findRef(runner, scope.workspaceId, from ?? scope.branch.name);
  const [made] = await runner.$queryRaw<{ id: number }[]>`
    INSERT INTO memotree_layer (workspace_id, parent_id, parent_seq, name, head_seq)
    VALUES (${scope.workspaceId}::int, ${start.layerId}::int, ${start.seq}::int, ${name}, ${start.seq}::int) ON CONFLICT DO NOTHING RETURNING id`;
  if (!made) throw new Rejection('CONFLICT', `There is a branch '${name}' already`);
  await index.indexPast(runner, start);
  if (switchTo) await runner.$executeRaw`UPDATE memotree_session SET branch_id = ${made.id}::int WHERE id = ${scope.sessionId}::int`;
  return {
    data: { branch: name, from: from ?? scope.branch.name, headCommitId: start.commitId },
    message: `The branch '${name}' begins at '${from ?? scope.branch.name}'`,
  };
});
