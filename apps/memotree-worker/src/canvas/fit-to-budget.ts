import { estimateTokens, lodLevels, type LodLevel } from '#lib/contracts';
import { walkShown, type ShownNode } from './layout.js';

/** What the text of each level costs, in tokens; the title is counted with its line. */
export interface Costs {
  readonly Brief: number;
  readonly Summary: number;
  readonly Detail: number;
}

export interface Fitted {
  readonly levels: ReadonlyMap<string, LodLevel>;
  /** Nodes that are shown at a lower level than the view keeps. */
  readonly lowered: readonly string[];
  /** Nodes that are shown. A node that is not listed is left out with everything below it. */
  readonly listed: ReadonlySet<string>;
}

/** What a line costs besides its title: indentation, id, brackets, and the note on what is folded. */
const lineTokens = 16;

/**
 * Chooses the levels that fit into a token budget. Detail is lowered to summaries first, then to briefs, then to titles, each time
 * starting with the least recently used node. If titles alone are too many, nodes are left out from the end.
 */
export function fitToBudget(top: ShownNode, costOf: (shown: ShownNode) => Costs, maxTokens: number): Fitted {
  const all = [...walkShown(top)];
  const levels = new Map(all.map((shown) => [shown.node.nodeId, shown.level]));
  const cost = (shown: ShownNode, level: LodLevel): number => (level === 'Title' ? 0 : costOf(shown)[level]);
  const lines = new Map(all.map((shown) => [shown.node.nodeId, lineTokens + shown.depth + estimateTokens(shown.node.title)]));
  let total = all.reduce((sum, shown) => sum + (lines.get(shown.node.nodeId) ?? 0) + cost(shown, shown.level), 2 * lineTokens);
  const lowered = new Set<string>();
  const oldestFirst = all.toSorted((a, b) => a.used - b.used);
  for (const to of ['Summary', 'Brief', 'Title'] as const) {
    for (const shown of oldestFirst) {
      if (total <= maxTokens) break;
      const { nodeId } = shown.node;
      const from = levels.get(nodeId) ?? 'Title';
      if (lodLevels.indexOf(from) <= lodLevels.indexOf(to)) continue;
      total -= cost(shown, from) - cost(shown, to);
      levels.set(nodeId, to);
      lowered.add(nodeId);
    }
  }
  const listed = new Set(all.map((shown) => shown.node.nodeId));
  // From the end, so that a node is left out before its parent. Nodes without a state go before those that were unfolded.
  for (const keepUsed of [true, false]) {
    for (const shown of all.toReversed()) {
      if (total <= maxTokens) break;
      const { nodeId } = shown.node;
      if (shown === top || (keepUsed && shown.used >= 0) || shown.children.some((child) => listed.has(child.node.nodeId))) continue;
      if (listed.delete(nodeId)) total -= lines.get(nodeId) ?? 0;
    }
  }
  return { levels, lowered: [...lowered].filter((id) => listed.has(id)), listed };
}
