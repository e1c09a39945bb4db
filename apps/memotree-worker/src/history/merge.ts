import type { SqlRunner } from '#lib/platform';
import { head, type Lineage } from '../store/lineage.js';
import type { NodeState } from '../store/node-state.js';
import { Reader } from '../store/reader.js';
import { lineageOf } from '../store/scope.js';
import type { NewVersion } from '../store/write-versions.js';
import { differences } from './diff.js';
import { threeWay, type FieldConflict, type Preference } from './three-way.js';

interface Side {
  readonly layerId: number;
  readonly seq: number;
  readonly lineage: Lineage;
}

interface Merge {
  readonly workspaceId: number;
  /** The branch that receives the changes. */
  readonly ours: Side;
  readonly theirs: Side;
  readonly prefer: Preference;
}

export type NodeConflict = FieldConflict & { readonly nodeId: string };

/** Plans a merge: what their branch changed since the last common state, as versions for our branch, with the conflicts. */
export async function planMerge(
  runner: SqlRunner,
  { workspaceId, ours, theirs, prefer }: Merge,
): Promise<{ versions: readonly NewVersion[]; conflicts: readonly NodeConflict[] }> {
  const base = await commonState(runner, ours, theirs);
  const theirChanges = await differences(runner, { workspaceId, from: base, to: theirs.lineage });
  const ids = theirChanges.map(({ nodeId }) => nodeId);
  const branch = new Reader(runner, workspaceId, ours.lineage);
  const present = await branch.versions(ids);
  const conflicts: NodeConflict[] = [];
  const versions: NewVersion[] = [];
  for (const { nodeId, before, after } of theirChanges) {
    const mine = present.get(nodeId);
    const add = (state: NodeState) => versions.push({ ...state, nodeId, baseLayerId: null, baseSeq: null, message: '' });
    if (!after || mine?.stateHash === after.stateHash) continue;
    if (!mine || mine.stateHash === before?.stateHash) {
      // They deleted a node that we never had: nothing to do.
      if (mine || !after.deleted) add(after);
      continue;
    }
    const merged = threeWay({ base: before, ours: mine, theirs: after }, prefer);
    conflicts.push(...merged.conflicts.map((conflict) => ({ nodeId, ...conflict })));
    add(merged.state);
  }
  const deletedTops = versions
    .filter(({ deleted, nodeId }) => deleted && present.get(nodeId)?.deleted === false)
    .map(({ nodeId }) => nodeId);
  if (deletedTops.length > 0 && prefer !== 'Theirs') {
    // They deleted a subtree in which we changed something: that is a conflict, or our change would be lost without notice.
    const ourChanges = await differences(runner, { workspaceId, from: base, to: ours.lineage });
    const changedIds = ourChanges.filter(({ kind }) => kind !== 'Deleted').map(({ nodeId }) => nodeId);
    const ancestry = await branch.ancestry(changedIds);
    for (const nodeId of changedIds) {
      const top = deletedTops.find((one) => one !== nodeId && ancestry.isUnder(nodeId, one));
      if (top) conflicts.push({ nodeId, field: 'deleted', base: 'there', ours: 'changed', theirs: `deleted with '${top}'` });
    }
  }
  return { versions, conflicts };
}

/** The newest common state: that of the last merge between the two branches in either direction, else where they forked. */
async function commonState(runner: SqlRunner, ours: Side, theirs: Side): Promise<Lineage> {
  const [last] = await runner.$queryRaw<{ layerId: number; seq: number }[]>`
    SELECT merged_layer AS "layerId", merged_seq AS seq FROM memotree_commit
    WHERE (layer_id = ${ours.layerId}::int AND merged_layer = ${theirs.layerId}::int)
       OR (layer_id = ${theirs.layerId}::int AND merged_layer = ${ours.layerId}::int)
    ORDER BY memotree_commit.seq DESC LIMIT 1`;
  if (last) return lineageOf(runner, last.layerId, last.seq);
  const here = new Map(ours.lineage.map(({ id, at }) => [id, at === head ? ours.seq : at]));
  for (const { id, at } of theirs.lineage) {
    const mine = here.get(id);
    if (mine !== undefined) return lineageOf(runner, id, Math.min(mine, at === head ? theirs.seq : at));
  }
  throw new Error('two branches of a workspace have no common layer');
}
