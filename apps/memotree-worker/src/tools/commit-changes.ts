import { commitChanges } from '#lib/contracts';
import type { SqlRunner } from '#lib/platform';
import { Draft } from '../draft.js';
import { commitStaged } from '../history/commit.js';
import { writeOperation } from '../operation.js';
import { Rejection } from '../rejection.js';

export const handleCommitChanges = writeOperation(commitChanges, async (input, { runner, scope, embed }, { index }) => {
  const warnings: string[] = [];
  const tag = input.createTag ? (input.tagName ?? '') : null;
  if (tag === '') throw new Rejection('TAG_NAME_REQUIRED', 'createTag needs a tagName');
  if (!input.createTag && input.tagName) warnings.push(`The tagName '${input.tagName}' is ignored: createTag is not set`);
  const draft = await Draft.open(runner, scope);
  if (tag !== null && (await hasTag(runner, scope.workspaceId, tag)))
    throw new Rejection('TAG_ALREADY_EXISTS', `There is a tag '${tag}' already`);
  const author = {
    name: input.author ? input.author.name : scope.principal,
    email: input.author?.email ?? '',
    timestamp: input.author?.timestamp ?? new Date().toISOString(),
  };
  const outcome = await commitStaged(draft, { message: input.message, specificNodes: input.specificNodes, author });
  const { committed, published, obsolete } = outcome;
  const nodeIds = published.map(({ nodeId }) => nodeId);
  await index.remove(runner, draft.stageId, obsolete);
  if (committed) {
    const place = { workspaceId: scope.workspaceId, branchId: scope.branch.id, stageId: draft.stageId, seq: committed.seq };
    embed(await index.publishStaged(runner, { ...place, published }));
  }
  if (committed && tag !== null)
    await runner.$executeRaw`INSERT INTO memotree_tag (workspace_id, name, seq) VALUES (${scope.workspaceId}::int, ${tag}, ${committed.seq}::int)`;
  if (!committed && tag !== null) warnings.push(`The tag '${tag}' was not made: there is no new commit`);
  return {
    data: {
      commitId: committed?.commitId ?? null,
      branch: scope.branch.name,
      message: outcome.message,
      committedNodes: nodeIds,
      tag: committed ? tag : null,
      author: committed ? author : null,
      committer: scope.principal,
      committedAt: committed?.committedAt.toISOString() ?? null,
    },
    message: committed
      ? `Committed ${nodeIds.length} nodes to '${scope.branch.name}' as ${committed.commitId.slice(0, 12)}`
      : 'There was nothing to commit',
    warnings: [...warnings, ...outcome.warnings],
  };
});

async function hasTag(runner: SqlRunner, workspaceId: number, name: string): Promise<boolean> {
  const found = await runner.$queryRaw<unknown[]>`SELECT 1 FROM memotree_tag WHERE workspace_id = ${workspaceId}::int AND name = ${name}`;
  return found.length > 0;
}
