/** One step of the path from a node to the root. */
export interface PathStep {
  readonly nodeId: string;
  readonly parentId: string | null;
  readonly deleted: boolean;
  readonly title: string;
}

/**
 * The paths from some nodes to the root. The tree is stored as parent pointers only. A path has at most 20 steps, so it is read on
 * demand, and moving or deleting a subtree of any size is one row.
 */
export class Ancestry {
  readonly #steps: ReadonlyMap<string, PathStep>;

  constructor(steps: readonly PathStep[]) {
    this.#steps = new Map(steps.map((step) => [step.nodeId, step]));
  }

  /** The node first, the root last. The path ends early at a missing parent, and at a node that it has passed already. */
  *pathToRoot(nodeId: string): Generator<PathStep> {
    const seen = new Set<string>();
    for (let step = this.#steps.get(nodeId); step && !seen.has(step.nodeId); step = this.#steps.get(step.parentId ?? '')) {
      seen.add(step.nodeId);
      yield step;
    }
  }

  /** Whether the path reaches the root and nothing on it is deleted. */
  isLive(nodeId: string): boolean {
    let last: PathStep | undefined;
    for (const step of this.pathToRoot(nodeId)) {
      if (step.deleted) return false;
      last = step;
    }
    return last?.parentId === null;
  }

  isUnder(nodeId: string, topId: string): boolean {
    for (const step of this.pathToRoot(nodeId)) if (step.nodeId === topId) return true;
    return false;
  }

  /** The ancestors from the root down to the parent. */
  ancestors(nodeId: string): readonly PathStep[] {
    return [...this.pathToRoot(nodeId)].slice(1).toReversed();
  }

  /** The number of steps from the root; 0 for the root and for unknown nodes. */
  depth(nodeId: string): number {
    return Math.max(0, [...this.pathToRoot(nodeId)].length - 1);
  }
}
