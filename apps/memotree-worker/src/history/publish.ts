// New versions into a branch, with the commit that made them. Whoever calls holds the branch.
import { hash } from 'node:crypto';
import type { SqlRunner } from '#lib/platform';
import { forever } from '../store/lineage.js';
import { stateHashOf } from '../store/node-state.js';
import { writeVersions, type NewVersion } from '../store/write-versions.js';

export interface Author {
  readonly name: string;
  readonly email: string;
  /** ISO 8601, with the offset that was given. */
  readonly timestamp: string;
}

export interface NewCommit {
  readonly workspaceId: number;
  readonly branchId: number;
  /** The branch's newest commit, as `holdBranch` told it. */
  readonly parentSeq: number;
  readonly message: string;
  readonly author: Author;
  readonly committer: string;
  readonly merged?: { readonly layerId: number; readonly seq: number };
}

export interface Committed {
  readonly seq: number;
  readonly commitId: string;
  readonly committedAt: Date;
}

/** Takes the branch for the rest of the transaction: its commits stand one after the other. @returns its newest commit, 0 for none */
export async function holdBranch(runner: SqlRunner, branchId: number): Promise<number> {
  const [branch] = await runner.$queryRaw<{ headSeq: number }[]>`
    SELECT head_seq AS "headSeq" FROM memotree_layer WHERE id = ${branchId}::int FOR UPDATE`;
  if (!branch) throw new Error(`there is no branch ${branchId}`);
  return branch.headSeq;
}

/** Writes the commit and the versions. Statements are as many for a thousand versions as for one. */
export async function publish(runner: SqlRunner, commit: NewCommit, versions: readonly NewVersion[]): Promise<Committed> {
  const committedAt = new Date();
  const { workspaceId, branchId, parentSeq, message, author, committer, merged } = commit;
  const [parent] = await runner.$queryRaw<{ hash: string }[]>`SELECT hash FROM memotree_commit WHERE seq = ${parentSeq}::int`;
  const states = versions.map((version) => [version.nodeId, stateHashOf(version)]).toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
  const content = [
    workspaceId,
    branchId,
    parent?.hash ?? '',
    message,
    author,
    committer,
    committedAt.toISOString(),
    merged ?? null,
    states,
  ];
  const commitId = hash('sha256', JSON.stringify(content), 'hex').slice(0, 40);
  const [row] = await runner.$queryRaw<{ seq: number }[]>`
    INSERT INTO memotree_commit (workspace_id, layer_id, hash, parent_seq, merged_layer, merged_seq, message, author_name, author_email,
      authored_at, committer, committed_at, changes)
    VALUES (${workspaceId}::int, ${branchId}::int, ${commitId}, ${parentSeq}::int, ${merged?.layerId ?? null}::int, ${merged?.seq ?? null}::int,
      ${message}, ${author.name}, ${author.email}, ${author.timestamp}, ${committer}, ${committedAt.toISOString()}::timestamptz, ${versions.length}::int)
    RETURNING seq`;
  if (!row) throw new Error('a commit was written and is not there');
  const ids = versions.map(({ nodeId }) => nodeId);
  await runner.$executeRaw`
    UPDATE memotree_version SET until_seq = ${row.seq}::int
    WHERE layer_id = ${branchId}::int AND node_id = ANY(${ids}::text[]) AND until_seq = ${forever}::int`;
  const fresh = versions.map((version) => ({ ...version, baseLayerId: null, baseSeq: null, message: '' }));
  await writeVersions(runner, { layerId: branchId, seq: row.seq }, fresh);
  await runner.$executeRaw`UPDATE memotree_layer SET head_seq = ${row.seq}::int WHERE id = ${branchId}::int`;
  return { seq: row.seq, commitId, committedAt };
}
