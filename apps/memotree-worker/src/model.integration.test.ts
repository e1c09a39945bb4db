// Random operations of three sessions against a model in memory (test-model.ts). Everything visible is compared.
// MEMOTREE_MODEL_SECONDS=600 looks for longer; a failure tells its seed and path, which MEMOTREE_MODEL_SEED and …_PATH run again.
// What a world takes is mostly the database's, so the time is given and not the number of worlds.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { givenStores } from '#lib/testing';
import { TestCanvas, type Call } from './test-canvas.js';
import { isAlive, isUnder, ModelSession, ModelWorld, present, type ModelNode } from './test-model.js';

const seconds = Number(process.env['MEMOTREE_MODEL_SECONDS'] ?? 20);
const seed = process.env['MEMOTREE_MODEL_SEED'];
const path = process.env['MEMOTREE_MODEL_PATH'];
const words = ['ash', 'birch', 'cedar', '松树'];
const levels = ['Title', 'Brief', 'Summary', 'Detail'] as const;

let canvas: TestCanvas;
beforeAll(() => void (canvas = new TestCanvas(givenStores().databaseUrl)));
afterAll(async () => canvas[Symbol.asyncDispose]());

const step = fc.record({
  session: fc.constantFrom('a', 'b', 'c'),
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('create', 'update', 'commit') },
    { weight: 6, arbitrary: fc.constantFrom('branch', 'merge', 'switch', 'restore', 'move', 'delete') },
    { weight: 1, arbitrary: fc.constantFrom('discard', 'search', 'expand', 'collapse') },
  ),
  which: fc.nat(1_000),
  to: fc.nat(1_000),
  word: fc.constantFrom(...words),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

class Play {
  readonly #world = new ModelWorld();
  readonly #sessions: ReadonlyMap<string, { readonly call: Call; readonly model: ModelSession }>;

  constructor(workspace: string) {
    const session = (key: string) => {
      const call = canvas.session(key);
      return { call: (operation: string, input = {}) => call(operation, { workspace, ...input }), model: new ModelSession(this.#world) };
    };
    this.#sessions = new Map(['a', 'b', 'c'].map((key) => [key, session(key)]));
  }

  async do({ session, kind, which, to, word }: Step): Promise<void> {
    const { call, model } = present(this.#sessions.get(session));
    const alive = model.alive();
    const ids = [...alive.keys()].toSorted();
    const id = ids[which % Math.max(1, ids.length)];
    const target = present(['root', ...ids][to % (ids.length + 1)]);
    switch (kind) {
      case 'create': {
        const { data } = await call('create_node', { parentId: target, title: word, content: word });
        model.put(String(data['nodeId']), { deleted: false, parentId: target, position: model.end(target), title: word, content: word });
        return;
      }
      case 'commit':
        return this.#commit(call, model);
      case 'discard':
        await call('discard_changes');
        return model.discard();
      case 'branch':
        return this.#begin(call, model, to % 2 === 0);
      case 'switch':
        model.branch = present([...this.#world.branches.keys()][which % this.#world.branches.size]);
        return void (await call('switch_branch', { name: model.branch }));
      case 'merge':
        return this.#merge(call, model, { which, prefer: present((['Neither', 'Neither', 'Ours', 'Theirs'] as const)[to % 4]) });
      case 'restore':
        return this.#restore(call, model, { which, to });
      case 'search':
        return compareSearch(call, model, word);
      case 'update':
      case 'delete':
      case 'move':
      case 'expand':
      case 'collapse':
        if (id !== undefined) await this.#change({ call, model }, { kind, id, node: present(alive.get(id)), target, word, which });
    }
  }

  /** What each session sees at the end: the tree with its order, levels, and what words find. */
  async compare(): Promise<void> {
    for (const { call, model } of this.#sessions.values()) {
      const expected = [...model.alive()].toSorted(([, a], [, b]) => (a.position < b.position ? -1 : 1));
      const shown = await shownTree(call, model);
      expect(shown).toEqual(new Map(expected.map(([id, { parentId, title, content }]) => [id, { parentId, title, content }])));
      for (const parentId of ['root', ...shown.keys()]) {
        const inOrder = [...shown].filter(([, node]) => node.parentId === parentId).map(([id]) => present(model.alive().get(id)).position);
        expect(inOrder).toEqual(inOrder.toSorted((a, b) => (a < b ? -1 : 1)));
      }
      for (const word of words) await compareSearch(call, model, word);
    }
  }

  async #change({ call, model }: { call: Call; model: ModelSession }, given: Change): Promise<void> {
    const { kind, id, node, target, word, which } = given;
    switch (kind) {
      case 'update': {
        const title = `${word} ${which % 3}`;
        const content = which % 2 === 0 ? word : node.content;
        await call('update_node', { nodeId: id, title, content, mode: 'Replace' });
        return model.put(id, { ...node, title, content });
      }
      case 'delete':
        await call('delete_node', { nodeId: id, recursive: true });
        return model.put(id, { ...node, deleted: true });
      case 'move': {
        const moving = call('move_node', { nodeId: id, parentId: target });
        if (isUnder(model.sees(), target, id)) return expect(moving).rejects.toMatchObject({ literal: 'INVALID_PARAMS' });
        await moving;
        return model.put(id, { ...node, parentId: target, position: model.end(target, id) });
      }
      case 'expand': {
        const level = present(levels[which % 4]);
        await call('expand_node', { nodeId: id, viewName: 'v', level });
        return void model.levels.set(id, level);
      }
      case 'collapse': {
        const recursive = which % 2 === 0;
        await call('collapse_node', { nodeId: id, viewName: 'v', recursive });
        const seen = model.sees();
        if (recursive) for (const one of model.levels.keys()) if (isUnder(seen, one, id)) model.levels.delete(one);
        return void model.levels.set(id, 'Title');
      }
    }
  }

  async #commit(call: Call, model: ModelSession): Promise<void> {
    const changes = model.toCommit();
    const committing = call('commit_changes');
    if (!changes) return expect(committing).rejects.toMatchObject({ literal: 'CONFLICT' });
    const { commitId } = (await committing).data;
    expect(commitId === null).toBe(changes.size === 0);
    if (typeof commitId === 'string') this.#world.commit(model.branch, changes, commitId);
    model.discard();
  }

  async #begin(call: Call, model: ModelSession, switchTo: boolean): Promise<void> {
    if (this.#world.branches.size >= 4) return;
    const name = `branch-${this.#world.branches.size}`;
    await call('create_branch', { name, switchTo });
    this.#world.begin(name, model.branch);
    if (switchTo) model.branch = name;
  }

  async #merge(
    call: Call,
    model: ModelSession,
    { which, prefer }: { which: number; prefer: 'Neither' | 'Ours' | 'Theirs' },
  ): Promise<void> {
    const others = [...this.#world.branches.keys()].filter((name) => name !== model.branch);
    const source = others[which % Math.max(1, others.length)];
    if (source === undefined) return;
    const changes = this.#world.merge(model.branch, source, prefer);
    const { data } = await call('merge_branch', { source, prefer });
    expect({ source, into: model.branch, merged: data['merged'] }).toEqual({ source, into: model.branch, merged: changes !== null });
    const { commitId } = data;
    expect(commitId === null).toBe(!changes || changes.size === 0);
    if (changes && typeof commitId === 'string') this.#world.merged({ into: model.branch, from: source }, changes, commitId);
  }

  async #restore(call: Call, model: ModelSession, { which, to }: { which: number; to: number }): Promise<void> {
    const commits = [...this.#world.commits()];
    const [from, nodes] = commits[which % Math.max(1, commits.length)] ?? [];
    if (!from || !nodes || nodes.size === 0) return;
    const id = present([...nodes.keys()].toSorted()[to % nodes.size]);
    const restoring = call('restore_node', { nodeId: id, from });
    if (!isAlive(nodes, id)) return expect(restoring).rejects.toMatchObject({ literal: 'NODE_NOT_FOUND' });
    const then = present(nodes.get(id));
    const seen = model.sees();
    const hasPlace = then.parentId === 'root' || (isAlive(seen, then.parentId) && !isUnder(seen, then.parentId, id));
    if (!hasPlace) return expect(restoring).rejects.toMatchObject({ literal: 'PARENT_NOT_FOUND' });
    await restoring;
    model.put(id, then);
  }
}

interface Change {
  readonly kind: 'update' | 'delete' | 'move' | 'expand' | 'collapse';
  readonly id: string;
  readonly node: ModelNode;
  readonly target: string;
  readonly word: string;
  readonly which: number;
}

async function compareSearch(call: Call, model: ModelSession, word: string): Promise<void> {
  const { data } = await call('search_nodes', { query: word, searchType: 'FullText', maxResults: 100 });
  const found = (data['results'] as { nodeId: string }[]).map(({ nodeId }) => nodeId);
  const expected = [...model.alive()].filter(([, node]) => `${node.title} ${node.content}`.includes(word)).map(([id]) => id);
  expect({ word, found: found.toSorted() }).toEqual({ word, found: expected.toSorted() });
}

/** Children in their order, level by level. */
async function shownTree(call: Call, model: ModelSession): Promise<Map<string, Pick<ModelNode, 'parentId' | 'title' | 'content'>>> {
  const shown = new Map<string, Pick<ModelNode, 'parentId' | 'title' | 'content'>>();
  const queue = ['root'];
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    const { data } = await call('expand_node', { nodeId: id, viewName: 'v', includeChildren: true });
    if (id !== 'root')
      shown.set(id, { parentId: String(data['parentId']), title: String(data['title']), content: String(data['content']) });
    for (const child of data['children'] as { nodeId: string; level: string }[]) {
      expect({ id: child.nodeId, level: child.level }).toEqual({ id: child.nodeId, level: model.levels.get(child.nodeId) ?? 'Title' });
      queue.push(child.nodeId);
    }
  }
  return shown;
}

let worlds = 0;
/** More than there is time for. */
const mostWorldsASecond = 20;

test(
  'every session sees what the model says, whatever was done before',
  async () => {
    const until = performance.now() + seconds * 1_000;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 80, size: 'max' }), async (steps) => {
        if (performance.now() > until) return;
        const play = new Play(`model-${++worlds}`);
        for (const one of steps) await play.do(one);
        await play.compare();
      }),
      {
        numRuns: seconds * mostWorldsASecond,
        ...(seed !== undefined && { seed: Number(seed) }),
        ...(path !== undefined && { path }),
      },
    );
    if (path === undefined) expect(worlds).toBeGreaterThan(seconds / 10);
  },
  (seconds + 120) * 1_000,
);
