import { diffCommits } from '#lib/contracts';
import { differences } from '../history/diff.js';
import { findRef } from '../history/refs.js';
import { readOperation } from '../operation.js';

export const handleDiffCommits = readOperation(diffCommits, async ({ from, to, nodeId, maxResults }, { database, scope, reader }) => {
  const { workspaceId } = scope;
  const start = await findRef(database, workspaceId, from);
  const end = to ? (await findRef(database, workspaceId, to)).lineage : scope.committed;
  const found = await differences(database, { workspaceId, from: start.lineage, to: end, nodeId });
  const texts = nodeId
    ? await reader.texts(found.flatMap(({ before, after }) => [before?.detailHash ?? null, after?.detailHash ?? null]))
    : null;
  const [only] = found;
  const textOf = (version: { detailHash: string; deleted: boolean } | undefined) =>
    version && !version.deleted ? (texts?.get(version.detailHash) ?? '') : null;
  return {
    data: {
      total: found.length,
      changes: found.slice(0, maxResults).map(({ nodeId: id, kind, fields, before, after }) => ({
        nodeId: id,
        change: kind,
        title: (after ?? before)?.title ?? '',
        fields: [...fields],
      })),
      ...(texts && { before: textOf(only?.before), after: textOf(only?.after) }),
    },
    message: `${found.length} nodes differ`,
  };
});
