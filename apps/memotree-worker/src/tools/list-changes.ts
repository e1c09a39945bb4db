import { listChanges } from '#lib/contracts';
import { staleChanges } from '../history/commit.js';
import { readOperation } from '../operation.js';
import { changeBetween } from '../store/node-state.js';
import { stagedVersions } from '../store/reader.js';

export const handleListChanges = readOperation(listChanges, async ({ maxResults }, { database, scope, reader }) => {
  const { stageId, branch } = scope;
  const staged = stageId === null ? [] : await stagedVersions(database, stageId);
  const committed = reader.through(scope.committed);
  const present = await committed.versions(staged.map(({ nodeId }) => nodeId));
  const stale = new Set(staleChanges(present, staged).map(({ nodeId }) => nodeId));
  const changes = staged.flatMap((version) => {
    const change = changeBetween(present.get(version.nodeId), version);
    return change
      ? [
          {
            nodeId: version.nodeId,
            change: change.kind,
            title: version.title,
            fields: [...change.fields],
            stale: stale.has(version.nodeId),
          },
        ]
      : [];
  });
  return {
    data: { branch: branch.name, total: changes.length, changes: changes.slice(0, maxResults) },
    message: `${changes.length} staged changes on '${branch.name}'`,
    warnings: stale.size > 0 ? [`${stale.size} of them are stale: others committed changes to the same nodes`] : [],
  };
});
