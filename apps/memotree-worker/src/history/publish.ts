// Writes new versions into a branch together with their commit. The caller must hold the branch (`lockBranch`).
import { hash } from 'node:crypto';
import type { SqlRunner } from '#lib/platform';

export interface Author {
  readonly name: string;
  readonly email: string;
  /** ISO 8601, with the offset that the caller gave. */
  readonly timestamp: string;
}

export interface NewCommit {
  readonly workspaceId: number;
  readonly branchId: number;
  /** The newest commit of the branch, as `lockBranch` returned it; 0 for none. */
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

/**
 * Locks the branch until the end of the transaction, so that its commits come one after the other.
 * @returns the number of its newest commit, 0 for none
 */
export async function lockBranch(runner: SqlRunner, branchId: number): Promise<number> {
  const [branch] = await runner.$queryRaw<{ headSeq: number }[]>`
    SELECT head_seq AS "headSeq" FROM memotree_layer WHERE id = ${branchId}::int FOR UPDATE`;
  if (!branch) throw new Error(`there is no branch ${branchId}`);
  return branch.headSeq;
}

/** The content of a commit. `write` writes its versions, once the commit has its number. */
interface Content {
  readonly states: readonly { readonly nodeId: string; readonly stateHash: string }[];
  readonly write: (seq: number) => Promise<void>;
}

/**
 * Writes the commit and its versions, in the same number of statements for one version as for a thousand. The id of the commit is a
 * hash over its content and its parent's id, as in Git.
 */
export async function publish(runner: SqlRunner, commit: NewCommit, { states, write }: Content): Promise<Committed> {
  const committedAt = new Date();
  const { workspaceId, branchId, parentSeq, message, author, committer, merged } = commit;
  const [parent] = await runner.$queryRaw<{ hash: string }[]>`SELECT hash FROM memotree_commit WHERE seq = ${parentSeq}::int`;
  const content = [
    workspaceId,
    branchId,
    parent?.hash ?? '',
    message,
    author,
    committer,
    committedAt.toISOString(),
    merged ?? null,
    states.map(({ nodeId, stateHash }) => [nodeId, stateHash]).toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  ];
  const commitId = hash('sha256', JSON.stringify(content), 'hex').slice(0, 40);
  const [row] = await runner.$queryRaw<{ seq: number }[]>`
    WITH made AS (
      INSERT INTO memotree_commit (workspace_id, layer_id, hash, parent_seq, merged_layer, merged_seq, message, author_name, author_email,
        authored_at, committer, committed_at, changes)
      VALUES (${workspaceId}::int, ${branchId}::int, ${commitId}, ${parentSeq}::int, ${merged?.layerId ?? null}::int, ${merged?.seq ?? null}::int,
        ${message}, ${author.name}, ${author.email}, ${author.timestamp}, ${committer}, ${committedAt.toISOString()}::timestamptz, ${states.length}::int)
      RETURNING seq
    ), replaced AS (
      UPDATE memotree_version v SET until_seq = made.seq FROM made
      WHERE v.layer_id = ${branchId}::int AND v.node_id = ANY(${states.map(({ nodeId }) => nodeId)}::text[]) AND v.until_seq = 2147483647
    )
    UPDATE memotree_layer SET head_seq = made.seq FROM made WHERE id = ${branchId}::int RETURNING made.seq`;
  if (!row) throw new Error('a commit was written and is not there');
  await write(row.seq);
  return { seq: row.seq, commitId, committedAt };
}

interface Staged {
  readonly stageId: number;
  readonly branchId: number;
  readonly seq: number;
  readonly nodeIds: readonly string[];
}

/** Moves staged versions from the stage into the branch. */
export async function publishStaged(runner: SqlRunner, { stageId, branchId, seq, nodeIds }: Staged): Promise<void> {
  await runner.$executeRaw`
    UPDATE memotree_version SET layer_id = ${branchId}::int, seq = ${seq}::int, base_layer_id = NULL, base_seq = NULL, message = '', changed_at = now()
    WHERE layer_id = ${stageId}::int AND node_id = ANY(${[...nodeIds]}::text[]) AND until_seq = 2147483647`;
}
