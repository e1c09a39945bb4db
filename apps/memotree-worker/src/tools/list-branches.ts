import { listBranches } from '#lib/contracts';
import { readOperation } from '../operation.js';

interface BranchRow {
  readonly name: string;
  readonly headCommitId: string | null;
  readonly from: string | null;
  readonly createdAt: Date;
}

export const handleListBranches = readOperation(listBranches, async (_input, { database, scope }) => {
  const branches = await database.$queryRaw<BranchRow[]>`
    SELECT l.name, c.hash AS "headCommitId", p.name AS from, l.created_at AS "createdAt" FROM memotree_layer l
    LEFT JOIN memotree_commit c ON c.seq = l.head_seq LEFT JOIN memotree_layer p ON p.id = l.parent_id
    WHERE l.workspace_id = ${scope.workspaceId}::int AND l.name IS NOT NULL ORDER BY l.id`;
  const tags = await database.$queryRaw<{ name: string; commitId: string }[]>`
    SELECT t.name, c.hash AS "commitId" FROM memotree_tag t JOIN memotree_commit c ON c.seq = t.seq
    WHERE t.workspace_id = ${scope.workspaceId}::int ORDER BY t.name`;
  return {
    data: {
      current: scope.branch.name,
      branches: branches.map((branch) => ({ ...branch, createdAt: branch.createdAt.toISOString() })),
      tags,
    },
    message: `${branches.length} branches; this session is on '${scope.branch.name}'`,
  };
});
