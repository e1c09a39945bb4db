// Random operations of several sessions against a model that is as simple as can be: two maps. Everything visible is compared.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { givenStores } from '#lib/testing';
import { TestCanvas, type Call } from './test-canvas.js';

let canvas: TestCanvas;
beforeAll(() => void (canvas = new TestCanvas(givenStores().databaseUrl)));
afterAll(async () => canvas[Symbol.asyncDispose]());

interface Node {
  readonly parentId: string;
  readonly title: string;
  readonly content: string;
}
type Tree = ReadonlyMap<string, Node>;

/** What one session sees: its own copy of what was committed when it first touched each node. */
class ModelSession {
  /** Null for a deletion. */
  readonly staged = new Map<string, { readonly base: Node | null; readonly now: Node | null }>();

  see(committed: Tree): Tree {
    const seen = new Map(committed);
    for (const [id, { now }] of this.staged) {
      if (now) seen.set(id, now);
      else seen.delete(id);
    }
    return alive(seen);
  }

  put(id: string, now: Node | null, committed: Tree): void {
    const base = this.staged.has(id) ? (this.staged.get(id)?.base ?? null) : (committed.get(id) ?? null);
    if (same(base, now)) this.staged.delete(id);
    else this.staged.set(id, { base, now });
  }
}

/** Without what hangs on nothing. */
function alive(tree: Tree): Tree {
  const isAlive = (id: string): boolean => {
    for (let at = id, steps = 0; at !== 'root'; steps++) {
      const node = tree.get(at);
      if (!node || steps > 30) return false;
      at = node.parentId;
    }
    return true;
  };
  return new Map([...tree].filter(([id]) => isAlive(id)));
}

function same(a: Node | null, b: Node | null): boolean {
  return a === b || (a !== null && b !== null && a.parentId === b.parentId && a.title === b.title && a.content === b.content);
}

function isUnder(tree: Tree, id: string, top: string): boolean {
  for (let at: string | undefined = id; at !== undefined && at !== 'root'; at = tree.get(at)?.parentId) if (at === top) return true;
  return false;
}

const step = fc.record({
  session: fc.constantFrom('a', 'b'),
  kind: fc.constantFrom('create', 'create', 'create', 'update', 'update', 'move', 'delete', 'commit', 'discard'),
  which: fc.nat(1_000),
  to: fc.nat(1_000),
  word: fc.constantFrom('ash', 'birch', 'cedar', '松树'),
});

let worlds = 0;

test('every session sees what the model says, whatever was done before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const workspace = `model-${++worlds}`;
      const calls = new Map(
        ['a', 'b'].map((key): [string, Call] => {
          const call = canvas.session(key);
          return [key, (operation, input = {}) => call(operation, { workspace, ...input })];
        }),
      );
      const sessions = new Map(['a', 'b'].map((key) => [key, new ModelSession()]));
      let committed: Tree = new Map();
      for (const { session, kind, which, to, word } of steps) {
        const call = present(calls.get(session));
        const model = present(sessions.get(session));
        const seen = model.see(committed);
        const ids = [...seen.keys()].toSorted();
        const id = ids[which % Math.max(1, ids.length)];
        const target = ['root', ...ids][to % (ids.length + 1)] ?? 'root';
        if (kind === 'create') {
          const { data } = await call('create_node', { parentId: target, title: word, content: word });
          model.put(String(data['nodeId']), { parentId: target, title: word, content: word }, committed);
        } else if (kind === 'commit') {
          committed = await commit(call, model, committed);
        } else if (kind === 'discard') {
          await call('discard_changes');
          model.staged.clear();
        } else if (id !== undefined) {
          const node = present(seen.get(id));
          if (kind === 'update') {
            await call('update_node', { nodeId: id, title: `${word} ${which % 3}`, content: word, mode: 'Replace' });
            model.put(id, { ...node, title: `${word} ${which % 3}`, content: word }, committed);
          } else if (kind === 'delete') {
            await call('delete_node', { nodeId: id, recursive: true });
            model.put(id, null, committed);
          } else if (isUnder(seen, target, id)) {
            await expect(call('move_node', { nodeId: id, parentId: target })).rejects.toMatchObject({ literal: 'INVALID_PARAMS' });
          } else if (node.parentId !== target) {
            await call('move_node', { nodeId: id, parentId: target });
            model.put(id, { ...node, parentId: target }, committed);
          }
        }
      }
      for (const [key, model] of sessions) expect(await treeOf(present(calls.get(key)))).toEqual(plain(model.see(committed)));
    }),
    { numRuns: 12, endOnFailure: true },
  );
}, 120_000);

/** All or nothing: refused when anything that the session changed was changed by others since, or has lost its place. */
async function commit(call: Call, model: ModelSession, committed: Tree): Promise<Tree> {
  const seen = model.see(committed);
  const changes = [...model.staged].filter(([id, { now }]) =>
    now ? seen.has(id) || !isDeletedAbove(model, id, committed) : committed.has(id),
  );
  const isStale = changes.some(([id, { base, now }]) => !same(committed.get(id) ?? null, base) && !same(committed.get(id) ?? null, now));
  const after = new Map(committed);
  for (const [id, { now }] of changes) {
    if (now) after.set(id, now);
    else after.delete(id);
  }
  const isUnrooted = changes.some(([id, { now }]) => now !== null && !alive(after).has(id));
  if (isStale || isUnrooted) {
    await expect(call('commit_changes')).rejects.toMatchObject({ literal: 'CONFLICT' });
    return committed;
  }
  await call('commit_changes');
  model.staged.clear();
  return after;
}

/** What the session itself deleted takes its own changes below with it. */
function isDeletedAbove(model: ModelSession, id: string, committed: Tree): boolean {
  const parentOf = (one: string): string | undefined =>
    (model.staged.has(one) ? (model.staged.get(one)?.now ?? committed.get(one)) : committed.get(one))?.parentId;
  for (let at = parentOf(id), steps = 0; at !== undefined && at !== 'root' && steps < 30; at = parentOf(at), steps++) {
    if (model.staged.has(at) && model.staged.get(at)?.now === null) return true;
  }
  return false;
}

async function treeOf(call: Call): Promise<Record<string, Node>> {
  const found: Record<string, Node> = {};
  const queue = ['root'];
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    const { data } = await call('expand_node', { nodeId: id, includeChildren: true });
    if (id !== 'root') found[id] = { parentId: String(data['parentId']), title: String(data['title']), content: String(data['content']) };
    for (const child of data['children'] as { nodeId: string }[]) queue.push(child.nodeId);
  }
  return found;
}

function plain(tree: Tree): Record<string, Node> {
  return Object.fromEntries(tree);
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the model lost something');
  return value;
}
