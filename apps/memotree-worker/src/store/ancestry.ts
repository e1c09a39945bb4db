/** One step of the way up. */
export interface PathStep {
  readonly nodeId: string;
  readonly parentId: string | null;
  readonly deleted: boolean;
  readonly title: string;
}

/**
 * The ways from some nodes up to the root. The tree is stored as parent pointers alone: a way has at most 20 steps, so it is
 * climbed whenever somebody asks, and moving or deleting a million nodes is writing one row.
 */
export class Ancestry {
  readonly #steps: ReadonlyMap<string, PathStep>;

  constructor(steps: readonly PathStep[]) {
    this.#steps = new Map(steps.map((step) => [step.nodeId, step]));
  }

  /** Itself first, the top last; without the root's own row being there the way is broken. */
  *pathToRoot(nodeId: string): Generator<PathStep> {
    const seen = new Set<string>();
    for (let step = this.#steps.get(nodeId); step && !seen.has(step.nodeId); step = this.#steps.get(step.parentId ?? '')) {
      seen.add(step.nodeId);
      yield step;
    }
  }

  /** Neither it nor anything above it is deleted or missing, and the way ends at the root. */
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

  /** Ancestors from the root down to the parent. */
  ancestors(nodeId: string): readonly PathStep[] {
    return [...this.pathToRoot(nodeId)].slice(1).toReversed();
  }

  /** Steps from the root; 0 for the root. */
  depth(nodeId: string): number {
    return Math.max(0, [...this.pathToRoot(nodeId)].length - 1);
  }
}
