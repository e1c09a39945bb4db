import { collapseNode } from '#lib/contracts';
import { readOperation } from '../operation.js';
import { Rejection } from '../rejection.js';
import { View } from '../views.js';

export const handleCollapseNode = readOperation(collapseNode, async ({ nodeId, viewName, recursive }, { database, scope, reader }) => {
  const { nodes } = await reader.liveNodes([nodeId]);
  if (!nodes.has(nodeId)) throw new Rejection('NODE_NOT_FOUND', `There is no node '${nodeId}'`);
  const view = new View(database, scope.sessionId, viewName);
  const before = (await view.statesOf([nodeId])).get(nodeId);
  let folded = before && before.level !== 'Title' ? 1 : 0;
  if (recursive) {
    // Nodes without a state show their title already, so the states of the view are searched and not the tree.
    const states = (await view.states()).filter((state) => state.nodeId !== nodeId);
    const ancestry = await reader.ancestry(states.map((state) => state.nodeId));
    const below = states.filter((state) => ancestry.isUnder(state.nodeId, nodeId));
    await view.remove(below.map((state) => state.nodeId));
    folded += below.filter((state) => state.level !== 'Title').length;
  }
  await view.set({ nodeId, level: 'Title', expanded: false, folded: true }, []);
  return { data: { nodeId, level: 'Title' as const, folded }, message: `'${nodeId}' is folded in the view '${viewName}'` };
});
