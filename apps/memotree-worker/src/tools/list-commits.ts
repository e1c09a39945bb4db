import { listCommits } from '#lib/contracts';
import { joinSql, sql } from '#lib/platform';
import { findBranch, findRef } from '../history/refs.js';
import { readOperation } from '../operation.js';

interface Row {
  readonly commitId: string;
  readonly message: string;
  readonly name: string;
  readonly email: string;
  readonly timestamp: string;
  readonly committer: string;
  readonly committedAt: Date;
  readonly changes: number;
  readonly tags: string[];
  readonly mergedFrom: string | null;
}

export const handleListCommits = readOperation(listCommits, async ({ branch, nodeId, before, maxResults }, { database, scope }) => {
  const lineage = branch ? (await findBranch(database, scope.workspaceId, branch)).lineage : scope.committed;
  const upTo = before ? (await findRef(database, scope.workspaceId, before)).seq : null;
  const inLineage = joinSql(
    lineage.map(({ id, at }) => sql`(c.layer_id = ${id}::int AND c.seq <= ${at}::int)`),
    ' OR ',
  );
  const touching = nodeId
    ? sql`AND EXISTS (SELECT FROM memotree_version v WHERE v.layer_id = c.layer_id AND v.node_id = ${nodeId} AND v.seq = c.seq)`
    : sql``;
  const older = upTo === null ? sql`` : sql`AND c.seq < ${upTo}::int`;
  const rows = await database.$queryRaw<Row[]>(
    sql`SELECT c.hash AS "commitId", c.message, c.author_name AS name, c.author_email AS email, c.authored_at AS timestamp, c.committer,
          c.committed_at AS "committedAt", c.changes, (SELECT hash FROM memotree_commit m WHERE m.seq = c.merged_seq) AS "mergedFrom",
          ARRAY(SELECT t.name FROM memotree_tag t WHERE t.seq = c.seq ORDER BY t.name) AS tags
        FROM memotree_commit c WHERE (${inLineage}) ${touching} ${older} ORDER BY c.seq DESC LIMIT ${maxResults}::int`,
  );
  const commits = rows.map(({ name, email, timestamp, committedAt, ...rest }) => ({
    ...rest,
    author: { name, email, timestamp },
    committedAt: committedAt.toISOString(),
  }));
  return {
    data: { branch: branch ?? scope.branch.name, commits },
    message: `${commits.length} commits of '${branch ?? scope.branch.name}'`,
  };
});
