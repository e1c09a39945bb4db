// `DATABASE_URL=… npm run bench:memotree -- [--sizes 1000,100000,1000000] [--indexed 100000]`: operations in the worker, without queue and
// gateway, on trees of several sizes. Needs a migrated Postgres to throw away; what it writes stays there.
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { sql } from '#lib/platform';
import { versionsWhere } from '../../apps/memotree-worker/src/store/reader.js';
import { TestCanvas } from '../../apps/memotree-worker/src/test-canvas.js';
import { growTree, type GrownTree } from './grow-tree.js';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,100000,1000000' },
    indexed: { type: 'string', default: '100000' },
    runs: { type: 'string', default: '100' },
  },
});
const url = process.env['DATABASE_URL'];
if (!url) throw new Error('DATABASE_URL is not set: name a Postgres to throw away');
const runs = Number(values.runs);
await using canvas = new TestCanvas(url);
const client = new Client({ connectionString: url });
await client.connect();

console.log('| nodes | operation | p50 ms | p95 ms |\n| --- | --- | --- | --- |');
for (const size of values.sizes.split(',').map(Number)) {
  const workspace = `size-${size}`;
  const call = (operation: string, input: object = {}) => canvas.call(operation, { workspace, ...input }, { key: 'bench' });
  await call('list_changes');
  const tree = await growTree(client, canvas.tenantId, size);
  const any = (): string => tree.idOf(Math.floor(Math.random() * size));

  await measure({ size, name: 'expand_node Detail' }, () => call('expand_node', { nodeId: any() }));
  await measure({ size, name: 'expand_node with children and relations' }, () =>
    call('expand_node', { nodeId: tree.idOf(Math.floor((Math.random() * size) / 10)), includeChildren: true, includeRelations: true }),
  );
  await measure({ size, name: 'render_view, 8000 tokens' }, () => call('render_view'));
  await measure({ size, name: 'create_node' }, () =>
    call('create_node', {
      parentId: tree.idOf(Math.floor(size / 2 + Math.random() * (size / 2))),
      title: 'new',
      content: 'A short new note.',
    }),
  );
  await measure({ size, name: 'update_node' }, () => call('update_node', { nodeId: any(), content: 'More of it.', mode: 'Append' }));
  await measure({ size, name: 'move_node (a subtree)' }, () =>
    call('move_node', {
      nodeId: tree.idOf(10 + Math.floor(Math.random() * 90)),
      parentId: tree.idOf(Math.floor(Math.random() * 10)),
    }).catch(() => undefined),
  );
  await call('discard_changes');
  for (const count of [1, 100, 1_000].filter((one) => one < size)) await measureCommit({ size, count }, tree, call);
  await measure({ size, name: 'create_branch', times: 20 }, () =>
    call('create_branch', { name: `b${Math.random().toString(36).slice(2)}` }),
  );
  await search(size, tree, call);
}
await client.end();

type Call = (operation: string, input?: object) => Promise<unknown>;

async function measureCommit(
  { size, count }: { readonly size: number; readonly count: number },
  tree: GrownTree,
  call: Call,
): Promise<void> {
  const times: number[] = [];
  for (let run = 0; run < (count === 1 ? 20 : 5); run++) {
    const start = Math.floor(Math.random() * (size - count));
    for (let at = 0; at < count; at += 50) {
      const updates = Array.from({ length: Math.min(50, count - at) }, (_, n) => ({
        nodeId: tree.idOf(start + at + n),
        title: `run ${run} of ${count}`,
      }));
      await call('batch_update_nodes', { updates });
    }
    times.push(await timed(() => call('commit_changes', { message: 'bench' })));
  }
  report(size, `commit_changes, ${count}`, times);
}

/** The index is filled as commits fill it; that takes minutes for large trees, so `--indexed` bounds it. */
async function search(size: number, tree: GrownTree, call: Call): Promise<void> {
  const indexed = Math.min(size, Number(values.indexed));
  const { database, index } = canvas.services;
  const started = performance.now();
  for (let at = 0; at < indexed; at += 2_000) {
    const ids = Array.from({ length: Math.min(2_000, indexed - at) }, (_, n) => tree.idOf(at + n));
    const present = await versionsWhere(
      database,
      sql`v.layer_id = ${tree.layerId}::int AND v.node_id = ANY(${ids}::text[]) AND v.until_seq = 2147483647`,
    );
    await database.$transaction((runner) => index.publishVersions(runner, tree.layerId, present), { timeout: 120_000 });
  }
  console.log(`| ${size} | (indexing ${indexed} nodes: ${Math.round((performance.now() - started) / 1_000)} s) | | |`);
  await client.query('ANALYZE retrieval_posting, retrieval_unit, retrieval_term');
  const words = () => `plan depends ${Math.floor(Math.random() * 977)}`;
  for (const searchType of ['FullText', 'Semantic', 'Relation', 'Hybrid'])
    await measure({ size, name: `search_nodes ${searchType}`, times: 30 }, () => call('search_nodes', { query: words(), searchType }));
  const scoped = { scope: 'Subtree', scopeNodeId: tree.idOf(11) };
  await measure({ size, name: 'search_nodes FullText in a subtree', times: 30 }, () => call('search_nodes', { query: words(), ...scoped }));
}

interface Measured {
  readonly size: number;
  readonly name: string;
  readonly times?: number;
}

async function measure({ size, name, times = runs }: Measured, work: () => Promise<unknown>): Promise<void> {
  await work();
  const all: number[] = [];
  for (let run = 0; run < times; run++) all.push(await timed(work));
  report(size, name, all);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function report(size: number, name: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
  console.log(`| ${size} | ${name} | ${at(0.5)} | ${at(0.95)} |`);
}
