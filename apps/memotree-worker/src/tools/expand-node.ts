import { expandNode, memotreeLimits as limits } from '#lib/contracts';
import { NodeTexts } from '../nodes/node-text.js';
import { relationsAround } from '../nodes/relations.js';
import { readOperation } from '../operation.js';
import { Rejection } from '../rejection.js';
import { View } from '../views.js';

export const handleExpandNode = readOperation(expandNode, async (input, { database, scope, reader }) => {
  const { nodeId, level, includeChildren } = input;
  const { nodes, ancestry } = await reader.liveNodes([nodeId]);
  const node = nodes.get(nodeId);
  if (!node) throw new Rejection('NODE_NOT_FOUND', `There is no node '${nodeId}'`);
  const view = new View(database, scope.sessionId, input.viewName);
  const way = ancestry.ancestors(nodeId).map((step) => step.nodeId);
  const [texts, counts, children, relations] = await Promise.all([
    NodeTexts.load(reader, [{ node, level }]),
    reader.childCounts([nodeId]),
    includeChildren ? reader.listedChildren([nodeId], limits.children) : [],
    input.includeRelations ? relationsAround(reader, node) : null,
    view.set({ nodeId, level, expanded: level === 'Detail' || includeChildren, folded: false }, way),
  ]);
  const { text, freshness, warning } = texts.at(node, level);
  const [grandchildren, states] = includeChildren
    ? await Promise.all([reader.childCounts(children.map((child) => child.nodeId)), view.statesOf(children.map((child) => child.nodeId))])
    : [new Map<string, number>(), new Map<string, { level: typeof level }>()];
  const listed = children.map((child) => ({
    nodeId: child.nodeId,
    title: child.title,
    type: child.type,
    level: states.get(child.nodeId)?.level ?? ('Title' as const),
    childCount: grandchildren.get(child.nodeId) ?? 0,
  }));
  return {
    data: {
      nodeId,
      title: node.title,
      type: node.type,
      tags: [...node.tags],
      parentId: node.parentId,
      level,
      content: text,
      freshness,
      childCount: counts.get(nodeId) ?? 0,
      ...(includeChildren && { children: listed }),
      ...(relations && { relations }),
    },
    message: `'${nodeId}' stands at ${level} in the view '${input.viewName}'`,
    warnings: [
      ...(warning ? [warning] : []),
      ...(level !== 'Detail' && freshness === 'stale' ? ['The summary is of earlier content'] : []),
    ],
  };
});
