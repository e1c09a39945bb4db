// Which nodes a view shows, and where: the path to every unfolded node, and the children of expanded nodes.
import type { LodLevel } from '#lib/contracts';
import type { ListedNode } from '../store/node-state.js';
import type { Reader } from '../store/reader.js';
import type { View, ViewState } from '../views.js';

export interface ShownNode {
  readonly node: ListedNode;
  readonly depth: number;
  readonly level: LodLevel;
  readonly expanded: boolean;
  /** Rank by last use: higher is newer, −1 for a node without a state. */
  readonly used: number;
  readonly children: readonly ShownNode[];
}

/** Most children of one parent that are listed. */
const maxListed = 100;
/** Most children in total. Beyond it the children of the least recently unfolded nodes are left out. */
const maxChildren = 2_000;

/** Reads the nodes that a view shows, as a tree. Null if the top node does not exist. */
export async function layOutView(reader: Reader, view: View, topId: string): Promise<ShownNode | null> {
  const states = await view.states();
  const stateOf = new Map(states.map((state, used) => [state.nodeId, { ...state, used }]));
  const ways = await reader.ancestry([topId, ...states.map(({ nodeId }) => nodeId)]);
  if (!ways.isLive(topId)) return null;
  const open = states.filter(({ nodeId }) => ways.isLive(nodeId) && ways.isUnder(nodeId, topId) && !isHidden(nodeId, topId));
  const onTheWay = new Set(open.flatMap(({ nodeId }) => [...ways.pathToRoot(nodeId)].map((step) => step.nodeId)));
  const newestFirst = open.filter((state) => state.expanded).toReversed();
  const expanded = new Set([topId, ...newestFirst.map(({ nodeId }) => nodeId)]);
  for (const id of folded(states)) expanded.delete(id);
  const [listed, opened] = await Promise.all([
    reader.listedChildren([...expanded], maxListed, maxChildren),
    reader.listed([topId, ...onTheWay]),
  ]);
  const nodes = new Map([...opened, ...listed].map((node) => [node.nodeId, node]));
  const below = new Map<string, ListedNode[]>();
  for (const node of nodes.values()) {
    if (node.nodeId === topId || node.parentId === null || node.deleted) continue;
    below.set(node.parentId, [...(below.get(node.parentId) ?? []), node]);
  }
  return place(nodes.get(topId), 0);

  function isHidden(nodeId: string, top: string): boolean {
    for (const step of ways.pathToRoot(nodeId)) {
      if (step.nodeId !== nodeId && stateOf.get(step.nodeId)?.folded) return true;
      if (step.nodeId === top) return false;
    }
    return true;
  }

  function place(node: ListedNode | undefined, depth: number): ShownNode | null {
    if (!node) return null;
    const state: (ViewState & { used: number }) | undefined = stateOf.get(node.nodeId);
    const isFolded = state?.folded === true && node.nodeId !== topId;
    const own = isFolded ? [] : (below.get(node.nodeId) ?? []).toSorted(byPlace);
    const children = own.map((child) => place(child, depth + 1)).filter((child) => child !== null);
    return {
      node,
      depth,
      level: state?.level ?? 'Title',
      expanded: expanded.has(node.nodeId),
      used: state?.used ?? -1,
      children,
    };
  }
}

function folded(states: readonly ViewState[]): readonly string[] {
  return states.filter((state) => state.folded).map(({ nodeId }) => nodeId);
}

function byPlace(a: ListedNode, b: ListedNode): number {
  if (a.position !== b.position) return a.position < b.position ? -1 : 1;
  return a.nodeId < b.nodeId ? -1 : 1;
}

/** Every shown node, parents before their children, in order. */
export function* walkShown(top: ShownNode): Generator<ShownNode> {
  yield top;
  for (const child of top.children) yield* walkShown(child);
}
