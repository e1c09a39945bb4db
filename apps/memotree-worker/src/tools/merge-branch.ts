import { mergeBranch } from '#lib/contracts';
import type { SqlRunner } from '#lib/platform';
import { planMerge, type NodeConflict } from '../history/merge.js';
import { lockBranch, publish } from '../history/publish.js';
import { findBranch } from '../history/refs.js';
import { writeOperation } from '../operation.js';
import { Rejection } from '../rejection.js';
import { stateHashOf } from '../store/node-state.js';
import { Reader } from '../store/reader.js';
import { writeVersions } from '../store/write-versions.js';

export const handleMergeBranch = writeOperation(
  mergeBranch,
  async ({ source, message, prefer, dryRun }, { runner, scope, embed }, { index }) => {
    const theirs = await findBranch(runner, scope.workspaceId, source);
    if (theirs.layerId === scope.branch.id)
      throw new Rejection('INVALID_PARAMS', `This session is on '${source}' itself; switch to the branch that is to get the changes`);
    const parentSeq = await lockBranch(runner, scope.branch.id);
    const ours = { layerId: scope.branch.id, seq: parentSeq, lineage: scope.committed };
    const { versions, conflicts } = await planMerge(runner, { workspaceId: scope.workspaceId, ours, theirs, prefer });
    const nodeIds = versions.map(({ nodeId }) => nodeId);
    if (conflicts.length > 0) return conflictAnswer(conflicts);
    if (versions.length === 0)
      return {
        data: { merged: !dryRun, commitId: null, mergedNodes: [], conflicts: [] },
        message: `'${scope.branch.name}' has all of '${source}'`,
        warnings: ['There was nothing to merge'],
      };

    // Whether a node would lose its parent shows only after writing, so the writes are rolled back to a savepoint if so.
    await runner.$executeRaw`SAVEPOINT merge`;
    const committed = await publish(
      runner,
      {
        workspaceId: scope.workspaceId,
        branchId: scope.branch.id,
        parentSeq,
        message: message || `Merge '${source}' into '${scope.branch.name}'`,
        author: { name: scope.principal, email: '', timestamp: new Date().toISOString() },
        committer: scope.principal,
        merged: { layerId: theirs.layerId, seq: theirs.seq },
      },
      {
        states: versions.map((version) => ({ nodeId: version.nodeId, stateHash: stateHashOf(version) })),
        write: (seq) => writeVersions(runner, { layerId: scope.branch.id, seq }, versions),
      },
    );
    const lost = await unrootedNodes(runner);
    if (lost.length > 0 || dryRun) await runner.$executeRaw`ROLLBACK TO SAVEPOINT merge`;
    if (lost.length > 0) return conflictAnswer(lost);
    if (dryRun)
      return {
        data: { merged: false, commitId: null, mergedNodes: nodeIds, conflicts: [] },
        message: `${nodeIds.length} nodes would be merged`,
      };
    embed(await index.publishMerged(runner, { workspaceId: scope.workspaceId, branchId: scope.branch.id, seq: committed.seq, nodeIds }));
    return {
      data: { merged: true, commitId: committed.commitId, mergedNodes: nodeIds, conflicts: [] },
      message: `Merged ${nodeIds.length} nodes of '${source}' into '${scope.branch.name}'`,
    };

    async function unrootedNodes(sqlRunner: SqlRunner): Promise<NodeConflict[]> {
      const ids = versions.filter(({ deleted }) => !deleted).map(({ nodeId }) => nodeId);
      const ancestry = await new Reader(sqlRunner, scope.workspaceId, scope.committed).ancestry(ids);
      const gone = ids.filter((id) => !ancestry.isLive(id));
      return gone.map((nodeId) => ({
        nodeId,
        field: 'parentId',
        base: null,
        ours: 'deleted or moved',
        theirs: versions.find((one) => one.nodeId === nodeId)?.parentId ?? null,
      }));
    }
  },
);

/** The answer of a merge that was not made. Conflicts are data and not an error, so that a caller can resolve them. */
function conflictAnswer(conflicts: readonly NodeConflict[]) {
  return {
    data: { merged: false, commitId: null, mergedNodes: [], conflicts: [...conflicts] },
    message: `Nothing was merged: ${conflicts.length} conflicts`,
    warnings: [`${conflicts.length} conflicts; nothing was merged. Change one side, or say whom to prefer`],
  };
}
