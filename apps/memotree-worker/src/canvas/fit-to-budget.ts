import { estimateTokens, lodLevels, type LodLevel } from '#lib/contracts';
import { walkShown, type ShownNode } from './layout.js';

/** What a level of a node costs beside its title, in tokens. */
export interface Costs {
  readonly Brief: number;
  readonly Summary: number;
  readonly Detail: number;
}

export interface Fitted {
  readonly levels: ReadonlyMap<string, LodLevel>;
  /** Nodes at a lower level than the view keeps. */
  readonly lowered: readonly string[];
  /** How many nodes are listed; later ones are left out, with all that is below them. */
  readonly listed: ReadonlySet<string>;
}

/** Indentation, id, brackets, what folding says. */
const lineTokens = 16;

/**
 * The levels that fit into a budget. Detail is lowered first to summaries, then to briefs, then to titles, each time beginning
 * with what was used longest ago; when titles alone are too many, the last and deepest are left out.
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
  // From the end: a node is left out before its parent. What has no state goes before what was unfolded.
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
