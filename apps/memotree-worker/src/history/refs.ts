import type { SqlRunner } from '#lib/platform';
import { Rejection } from '../rejection.js';
import { head, type Lineage } from '../store/lineage.js';
import { lineageOf } from '../store/scope.js';

/** A state of the tree, named by a commit, a tag or a branch. */
export interface Ref {
  readonly layerId: number;
  /** The number of its newest commit; 0 before the first. */
  readonly seq: number;
  readonly commitId: string | null;
  readonly branch: string;
  readonly lineage: Lineage;
}

interface Row {
  readonly layerId: number;
  readonly seq: number;
  readonly commitId: string | null;
  readonly branch: string;
  readonly isBranch: boolean;
}

/**
 * Finds a branch, else a tag, else a commit by at least 7 digits of its id.
 * @throws Rejection INVALID_PARAMS if nothing has that name, or if more than one commit id begins with it
 */
export async function findRef(runner: SqlRunner, workspaceId: number, name: string): Promise<Ref> {
  const digits = /^[0-9a-f]{7,40}$/.test(name) ? `${name}%` : null;
  const rows = await runner.$queryRaw<Row[]>`
    SELECT l.id AS "layerId", l.head_seq AS seq, (SELECT hash FROM memotree_commit WHERE seq = l.head_seq) AS "commitId", l.name AS branch,
      true AS "isBranch", 1 AS rank
    FROM memotree_layer l WHERE l.workspace_id = ${workspaceId}::int AND l.name = ${name}
    UNION ALL
    SELECT c.layer_id, c.seq, c.hash, l.name, false, 2 FROM memotree_tag t JOIN memotree_commit c ON c.seq = t.seq JOIN memotree_layer l ON l.id = c.layer_id
    WHERE t.workspace_id = ${workspaceId}::int AND t.name = ${name}
    UNION ALL
    (SELECT c.layer_id, c.seq, c.hash, l.name, false, 3 FROM memotree_commit c JOIN memotree_layer l ON l.id = c.layer_id
     WHERE c.workspace_id = ${workspaceId}::int AND c.hash LIKE ${digits} LIMIT 2)
    ORDER BY rank`;
  const [first, second] = rows;
  if (!first) throw new Rejection('INVALID_PARAMS', `There is no commit, tag or branch '${name}'`);
  if (second && !first.isBranch && second.commitId !== first.commitId)
    throw new Rejection('INVALID_PARAMS', `'${name}' begins more than one commit id`);
  const { layerId, seq, commitId, branch } = first;
  return { layerId, seq, commitId, branch, lineage: await lineageOf(runner, layerId, first.isBranch ? head : seq) };
}

/** Finds a branch. @throws Rejection INVALID_PARAMS if there is none of that name */
export async function findBranch(runner: SqlRunner, workspaceId: number, name: string): Promise<Ref> {
  const [row] = await runner.$queryRaw<Omit<Row, 'isBranch'>[]>`
    SELECT l.id AS "layerId", l.head_seq AS seq, (SELECT hash FROM memotree_commit WHERE seq = l.head_seq) AS "commitId", l.name AS branch
    FROM memotree_layer l WHERE l.workspace_id = ${workspaceId}::int AND l.name = ${name}`;
  if (!row) throw new Rejection('INVALID_PARAMS', `There is no branch '${name}'; see list_branches`);
  return { ...row, lineage: await lineageOf(runner, row.layerId, head) };
}
