// What MemoTree promises, as simply as it can be said: branches are lists of trees, a session's stage is a map. For tests.
import { generateKeyBetween } from 'fractional-indexing';

export interface ModelNode {
  readonly deleted: boolean;
  readonly parentId: string;
  readonly position: string;
  readonly title: string;
  readonly content: string;
}

/** A state with where it was committed, by which later readers know that nobody changed it since. */
interface Version {
  readonly node: ModelNode;
  readonly branch: string;
  readonly seq: number;
}
type Tree = ReadonlyMap<string, Version>;
export type Nodes = ReadonlyMap<string, ModelNode>;

interface Branch {
  readonly parent: { readonly name: string; readonly seq: number } | null;
  /** Its states by commit, oldest first. */
  readonly states: { readonly seq: number; readonly commitId: string | null; readonly tree: Tree }[];
}

interface Staged {
  readonly base: Version | undefined;
  readonly now: ModelNode;
}

export class ModelWorld {
  readonly branches = new Map<string, Branch>([['main', { parent: null, states: [{ seq: 0, commitId: null, tree: new Map() }] }]]);
  readonly #merges: { readonly into: string; readonly from: string; readonly seq: number }[] = [];
  #seq = 0;

  head(branch: string): Tree {
    return last(present(this.branches.get(branch)).states).tree;
  }

  headSeq(branch: string): number {
    return last(present(this.branches.get(branch)).states).seq;
  }

  /** Every commit, by its id. */
  commits(): ReadonlyMap<string, Nodes> {
    const states = [...this.branches.values()].flatMap((branch) => branch.states);
    return new Map(states.flatMap(({ commitId, tree }) => (commitId ? [[commitId, nodesOf(tree)]] : [])));
  }

  begin(name: string, parent: string): void {
    const seq = this.headSeq(parent);
    this.branches.set(name, { parent: { name: parent, seq }, states: [{ seq, commitId: null, tree: this.head(parent) }] });
  }

  commit(branch: string, changes: ReadonlyMap<string, ModelNode>, commitId: string): void {
    const seq = ++this.#seq;
    const tree = new Map(this.head(branch));
    for (const [id, node] of changes) tree.set(id, { node, branch, seq });
    present(this.branches.get(branch)).states.push({ seq, commitId, tree });
  }

  /** What a merge brings, or null where it must be refused. */
  merge(into: string, from: string, prefer: 'Neither' | 'Ours' | 'Theirs'): ReadonlyMap<string, ModelNode> | null {
    const [base, ours, theirs] = [this.#common(into, from), nodesOf(this.head(into)), nodesOf(this.head(from))];
    const changes = new Map<string, ModelNode>();
    for (const [id, after] of theirs) {
      const [before, mine] = [base.get(id), ours.get(id)];
      if (same(before, after) || (before?.deleted !== false && after.deleted) || same(mine, after)) continue;
      if (!mine || same(mine, before)) {
        if (mine || !after.deleted) changes.set(id, after);
        continue;
      }
      const merged = three({ base: before, ours: mine, theirs: after }, prefer);
      if (!merged) return null;
      changes.set(id, merged);
    }
    const tops = [...changes].filter(([id, node]) => node.deleted && ours.get(id)?.deleted === false).map(([id]) => id);
    if (prefer !== 'Theirs') {
      const mineToo = [...ours].filter(([id, node]) => !node.deleted && !same(base.get(id), node));
      if (mineToo.some(([id]) => tops.some((top) => top !== id && isUnder(ours, id, top)))) return null;
    }
    const after = new Map([...ours, ...changes]);
    return [...changes].every(([id, node]) => node.deleted || isAlive(after, id)) ? changes : null;
  }

  merged({ into, from }: { into: string; from: string }, changes: ReadonlyMap<string, ModelNode>, commitId: string): void {
    this.#merges.push({ into, from, seq: this.headSeq(from) });
    this.commit(into, changes, commitId);
  }

  /** The state of the last merge between two branches, else that where their ways part. */
  #common(a: string, b: string): Nodes {
    const merge = this.#merges.findLast(({ into, from }) => (into === a && from === b) || (into === b && from === a));
    if (merge) return this.#at(merge.from, merge.seq);
    const here = new Map(this.#way(a));
    for (const [name, seq] of this.#way(b)) {
      const mine = here.get(name);
      if (mine !== undefined) return this.#at(name, Math.min(mine, seq));
    }
    throw new Error('two branches have nothing in common');
  }

  #way(branch: string): [string, number][] {
    const way: [string, number][] = [[branch, this.headSeq(branch)]];
    for (let parent = this.branches.get(branch)?.parent; parent; parent = this.branches.get(parent.name)?.parent)
      way.push([parent.name, parent.seq]);
    return way;
  }

  #at(branch: string, seq: number): Nodes {
    const state = present(this.branches.get(branch)).states.findLast((one) => one.seq <= seq);
    // A branch did not exist before it began; what it shows of then is its parent's.
    return nodesOf(state ? state.tree : new Map());
  }
}

export class ModelSession {
  readonly #world: ModelWorld;
  readonly #stages = new Map<string, Map<string, Staged>>();
  branch = 'main';
  /** Levels of one view. */
  readonly levels = new Map<string, string>();

  constructor(world: ModelWorld) {
    this.#world = world;
  }

  get #staged(): Map<string, Staged> {
    const stage = this.#stages.get(this.branch) ?? new Map<string, Staged>();
    this.#stages.set(this.branch, stage);
    return stage;
  }

  /** Everything that this session sees, what is deleted included. */
  sees(): Nodes {
    return new Map([
      ...nodesOf(this.#world.head(this.branch)),
      ...[...this.#staged].map(([id, { now }]): [string, ModelNode] => [id, now]),
    ]);
  }

  /** What is really there. */
  alive(): Nodes {
    const seen = this.sees();
    return new Map([...seen].filter(([id]) => isAlive(seen, id)));
  }

  /** Where one more child of a parent stands. */
  end(parentId: string, without?: string): string {
    const siblings = [...this.sees()].filter(([id, node]) => node.parentId === parentId && !node.deleted && id !== without);
    const positions = siblings.map(([, { position }]) => position).toSorted((a, b) => (a < b ? -1 : 1));
    return generateKeyBetween(positions.at(-1) ?? null, null);
  }

  put(id: string, now: ModelNode): void {
    const staged = this.#staged.get(id);
    const base = staged ? staged.base : this.#world.head(this.branch).get(id);
    if (base && same(base.node, now)) this.#staged.delete(id);
    else this.#staged.set(id, { base, now });
  }

  discard(): void {
    this.#staged.clear();
  }

  /** What a commit holds; null where it must be refused. Once it is made, `discard` empties the stage. */
  toCommit(): ReadonlyMap<string, ModelNode> | null {
    const [head, seen] = [this.#world.head(this.branch), this.sees()];
    const isMoot = (id: string, { now }: Staged): boolean =>
      (now.deleted && head.get(id)?.node.deleted !== false) ||
      [...wayUp(seen, id)].slice(1).some((above) => this.#staged.get(above)?.now.deleted === true);
    const wanted = [...this.#staged].filter(([id, staged]) => !isMoot(id, staged));
    const isStale = wanted.some(([id, { base, now }]) => {
      const theirs = head.get(id);
      return theirs && !same(theirs.node, now) && (theirs.branch !== base?.branch || theirs.seq !== base.seq);
    });
    const changes = new Map(wanted.map(([id, { now }]) => [id, now]));
    const after = new Map([...nodesOf(head), ...changes]);
    return isStale || [...changes].some(([id, node]) => !node.deleted && !isAlive(after, id)) ? null : changes;
  }
}

interface Sides {
  readonly base: ModelNode | undefined;
  readonly ours: ModelNode;
  readonly theirs: ModelNode;
}

/** Field by field; null where both sides changed one differently. Without a common state every difference is such a field. */
function three({ base, ours, theirs }: Sides, prefer: string): ModelNode | null {
  if (!base || ours.deleted || theirs.deleted) {
    if (ours.deleted && theirs.deleted) return ours;
    return prefer === 'Ours' ? ours : prefer === 'Theirs' ? theirs : null;
  }
  const clash = (['title', 'content', 'parentId'] as const).some(
    (field) => ours[field] !== theirs[field] && ours[field] !== base[field] && theirs[field] !== base[field],
  );
  if (clash && prefer === 'Neither') return null;
  const side = (field: keyof ModelNode): ModelNode => {
    if (theirs[field] === base[field] || ours[field] === theirs[field]) return ours;
    if (ours[field] === base[field]) return theirs;
    return prefer === 'Theirs' ? theirs : ours;
  };
  const place = ours.parentId !== theirs.parentId ? side('parentId') : ours.position === base.position ? theirs : ours;
  return {
    deleted: false,
    title: side('title').title,
    content: side('content').content,
    parentId: place.parentId,
    position: place.position,
  };
}

function* wayUp(nodes: Nodes, id: string): Generator<string> {
  const passed = new Set<string>();
  for (let at = id; at !== 'root' && nodes.has(at) && !passed.has(at); at = present(nodes.get(at)).parentId) {
    passed.add(at);
    yield at;
  }
}

export function isUnder(nodes: Nodes, id: string, top: string): boolean {
  return [...wayUp(nodes, id)].includes(top);
}

export function isAlive(nodes: Nodes, id: string): boolean {
  const way = [...wayUp(nodes, id)];
  return way.every((one) => nodes.get(one)?.deleted === false) && nodes.get(way.at(-1) ?? '')?.parentId === 'root';
}

function same(a: ModelNode | undefined, b: ModelNode | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && JSON.stringify(inOrder(a)) === JSON.stringify(inOrder(b)));
}

function inOrder({ deleted, parentId, position, title, content }: ModelNode): readonly unknown[] {
  return [deleted, parentId, position, title, content];
}

function nodesOf(tree: Tree): Nodes {
  return new Map([...tree].map(([id, { node }]) => [id, node]));
}

function last<Item>(items: readonly Item[]): Item {
  const item = items.at(-1);
  if (item === undefined) throw new Error('the model lost something');
  return item;
}

export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the model lost something');
  return value;
}
