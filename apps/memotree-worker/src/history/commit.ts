// Commits what a session has staged to its branch: all of it or nothing (MT-45…51, C-73).
import { memotreeLimits as limits } from '#lib/contracts';
import { codePoints, truncate } from '#lib/retrieval';
import type { Draft } from '../draft.js';
import { Rejection } from '../rejection.js';
import { differingFields, type NodeVersion } from '../store/node-state.js';
import { Reader, stagedVersions } from '../store/reader.js';
import { lockBranch, publish, publishStaged, type Author, type Committed } from './publish.js';

export interface CommitRequest {
  readonly message: string;
  readonly specificNodes?: readonly string[] | null | undefined;
  readonly author: Author;
}

/** Versions by node, as the branch has them. */
type Versions = ReadonlyMap<string, NodeVersion>;

export interface CommitOutcome {
  /** Null if there was nothing to commit. */
  readonly committed: Committed | null;
  readonly message: string;
  readonly published: readonly NodeVersion[];
  /** Nodes whose staged changes had no effect and were removed from the stage. */
  readonly obsolete: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Commits the staged changes, or those of some nodes. Removes changes without effect from the stage.
 * @throws Rejection CONFLICT if a change is stale, or if a node would lose its parent
 */
export async function commitStaged(draft: Draft, request: CommitRequest): Promise<CommitOutcome> {
  const { runner, scope } = draft;
  const parentSeq = await lockBranch(runner, scope.branch.id);
  const branch = new Reader(runner, scope.workspaceId, scope.committed);
  const staged = await stagedVersions(runner, draft.stageId);
  const warnings: string[] = [];
  const chosen = await selectStaged(draft, branch, { staged, asked: request.specificNodes, warnings });
  const present = await branch.versions(chosen.map(({ nodeId }) => nodeId));
  const { wanted, obsolete } = await splitObsolete(draft, present, chosen);
  if (obsolete.length > 0) await draft.unstage(obsolete);
  if (wanted.length === 0) {
    warnings.push('There was nothing to commit');
    return { committed: null, message: request.message, published: [], obsolete, warnings };
  }
  rejectStale(present, wanted);
  const message = request.message || defaultMessage(wanted);
  if (!request.message) warnings.push(`The commit had no message; it is '${message}'`);
  const committed = await publish(
    runner,
    { workspaceId: scope.workspaceId, branchId: scope.branch.id, parentSeq, message, author: request.author, committer: scope.principal },
    {
      states: wanted.map(({ nodeId, stateHash }) => ({ nodeId, stateHash })),
      write: (seq) =>
        publishStaged(runner, { stageId: draft.stageId, branchId: scope.branch.id, seq, nodeIds: wanted.map(({ nodeId }) => nodeId) }),
    },
  );
  await rejectUnrooted(branch, wanted);
  return { committed, message, published: wanted, obsolete, warnings };
}

interface Selection {
  readonly staged: readonly NodeVersion[];
  readonly asked: readonly string[] | null | undefined;
  readonly warnings: string[];
}

/** The staged changes that were asked for, with the uncommitted parents that they need. */
async function selectStaged(draft: Draft, branch: Reader, { staged, asked, warnings }: Selection): Promise<readonly NodeVersion[]> {
  if (!asked) return staged;
  const byId = new Map(staged.map((version) => [version.nodeId, version]));
  const chosen = new Set<string>();
  for (const id of new Set(asked)) {
    if (byId.has(id)) chosen.add(id);
    else warnings.push(`'${id}' has no staged change`);
  }
  const ancestry = await draft.reader.ancestry([...chosen]);
  const above = [...chosen]
    .flatMap((id) => ancestry.ancestors(id).map((step) => step.nodeId))
    .filter((id) => byId.has(id) && !chosen.has(id));
  const { nodes: there } = await branch.liveNodes(above);
  for (const id of new Set(above)) {
    if (there.has(id)) continue;
    chosen.add(id);
    warnings.push(`'${id}' is committed too: it is the parent of a named node and not committed yet`);
  }
  return staged.filter(({ nodeId }) => chosen.has(nodeId));
}

/** Separates changes without effect: below a node that this session deleted, and nodes that it created and deleted again. */
async function splitObsolete(
  draft: Draft,
  present: Versions,
  chosen: readonly NodeVersion[],
): Promise<{ wanted: readonly NodeVersion[]; obsolete: readonly string[] }> {
  const ids = chosen.map(({ nodeId }) => nodeId);
  const ancestry = await draft.reader.ancestry(ids);
  const deletedHere = new Set(chosen.filter(({ deleted }) => deleted).map(({ nodeId }) => nodeId));
  const isObsolete = ({ nodeId, deleted }: NodeVersion): boolean => {
    const isThere = present.has(nodeId) && present.get(nodeId)?.deleted === false;
    if (deleted && !isThere) return true;
    for (const step of ancestry.pathToRoot(nodeId)) if (step.nodeId !== nodeId && deletedHere.has(step.nodeId)) return true;
    return false;
  };
  return { wanted: chosen.filter((version) => !isObsolete(version)), obsolete: chosen.filter(isObsolete).map(({ nodeId }) => nodeId) };
}

export interface Stale {
  readonly nodeId: string;
  readonly title: string;
  /** Fields that others changed since. */
  readonly fields: readonly string[];
}

/** Staged changes of nodes that others have changed on the branch since. The same change made twice is not stale. */
export function staleChanges(present: Versions, staged: readonly NodeVersion[]): readonly Stale[] {
  const stale = staged.flatMap((mine) => {
    const theirs = present.get(mine.nodeId);
    if (!theirs || theirs.stateHash === mine.stateHash) return [];
    return theirs.layerId === mine.baseLayerId && theirs.seq === mine.baseSeq ? [] : [{ mine, theirs }];
  });
  return stale.map(({ mine, theirs }) => ({
    nodeId: mine.nodeId,
    title: theirs.title,
    fields: theirs.deleted === mine.deleted ? differingFields(mine, theirs) : ['deleted'],
  }));
}

/** @throws Rejection CONFLICT that lists the stale nodes and what others changed */
function rejectStale(present: Versions, wanted: readonly NodeVersion[]): void {
  const conflicts = staleChanges(present, wanted);
  if (conflicts.length === 0) return;
  const shown = conflicts.slice(0, 5).map(({ nodeId, fields }) => `'${nodeId}' (${fields.join(', ')})`);
  const more = conflicts.length > shown.length ? ` and ${conflicts.length - shown.length} more` : '';
  throw new Rejection(
    'CONFLICT',
    `Others have committed changes to the same nodes since: ${shown.join(', ')}${more}. Nothing was committed; discard_changes shows theirs`,
    { conflicts: conflicts.slice(0, 100) },
  );
}

/** Others may have deleted a parent, or moved it below its child. Checked after writing: a rejection rolls the transaction back. */
async function rejectUnrooted(branch: Reader, wanted: readonly NodeVersion[]): Promise<void> {
  const ids = wanted.filter(({ deleted }) => !deleted).map(({ nodeId }) => nodeId);
  const ancestry = await branch.ancestry(ids);
  const lost = ids.filter((id) => !ancestry.isLive(id));
  if (lost.length > 0) {
    const shown = lost.slice(0, 5).map((id) => `'${id}'`);
    throw new Rejection(
      'CONFLICT',
      `The place of ${shown.join(', ')} is no more: others deleted or moved what is above. Nothing was committed`,
      {
        conflicts: lost.slice(0, 100).map((nodeId) => ({ nodeId, fields: ['parentId'] })),
      },
    );
  }
  const deep = ids.find((id) => ancestry.depth(id) > limits.depth);
  if (deep) throw new Rejection('CONFLICT', `'${deep}' would come to lie deeper than ${limits.depth} steps. Nothing was committed`);
}

/** A message made of the messages of the staged changes, each once, cut at the limit. */
function defaultMessage(wanted: readonly NodeVersion[]): string {
  const said = [...new Set(wanted.map(({ message }) => message).filter(Boolean))].join('; ');
  const text = said || `Update ${wanted.length} nodes`;
  return codePoints(text) <= limits.messageChars ? text : `${truncate(text, limits.messageChars - 1)}…`;
}
