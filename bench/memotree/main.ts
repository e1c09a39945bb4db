// `npm run bench:memotree`: operations in the worker, without queue and gateway, on trees of several sizes.
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { sql } from '#lib/platform';
import { exitWithHelp } from '#lib/command-line';
import { versionsWhere } from '../../apps/memotree-worker/src/store/reader.js';
import { TestCanvas } from '../../apps/memotree-worker/src/test-canvas.js';
import { distinctTexts, findTree, growIndex, growTree, idOf } from './grow-tree.js';
import { Measurements } from './measurements.js';

exitWithHelp(`Times the memory tree by its size, on a migrated Postgres to throw away. A tree that it has grown stays there for the next run.

  DATABASE_URL=… npm run bench:memotree -- [--sizes 1000,100000] [--only expand] [--runs 100] [--vectors]

With --vectors those are made too, which takes minutes for 100,000 nodes: Semantic and Hybrid use them.
`);
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,100000,1000000' },
    only: { type: 'string', default: '' },
    runs: { type: 'string', default: '100' },
    vectors: { type: 'boolean', default: false },
  },
});
const url = process.env['DATABASE_URL'];
if (!url) throw new Error('DATABASE_URL is not set: name a Postgres to throw away');
const measured = new Measurements({ only: values.only, runs: Number(values.runs) });
await using canvas = new TestCanvas(url, 'bench');
const client = new Client({ connectionString: url });
await client.connect();

for (const size of values.sizes.split(',').map(Number)) {
  const workspace = `size-${size}`;
  const session = `bench-${Date.now()}`;
  const call = (operation: string, input: object = {}) => canvas.call(operation, { workspace, ...input }, { key: session });
  await call('list_changes');
  await grown(workspace, size);
  if (values.vectors) await withVectors();
  measured.begin(size);
  const any = (): string => idOf(Math.floor(Math.random() * size));

  await measured.run('expand_node Detail', () => call('expand_node', { nodeId: any() }));
  await measured.run('expand_node with children and relations', () =>
    call('expand_node', { nodeId: idOf(Math.floor((Math.random() * size) / 10)), includeChildren: true, includeRelations: true }),
  );
  await openView(call, size);
  await measured.run('render_view, 8000 tokens', () => call('render_view', { viewName: 'bench' }));
  await measured.run('create_node', () =>
    call('create_node', { parentId: idOf(Math.floor((size + Math.random() * size) / 2)), title: 'new', content: 'A short new note.' }),
  );
  await measured.run('update_node', () => call('update_node', { nodeId: any(), content: 'More of it.', mode: 'Append' }));
  await measured.run('move_node (a subtree)', () =>
    call('move_node', { nodeId: idOf(10 + Math.floor(Math.random() * 90)), parentId: idOf(Math.floor(Math.random() * 10)) }),
  );
  await call('discard_changes');
  for (const count of [1, 100, 1_000].filter((one) => one < size)) await measureCommit(count, size, call);
  await measured.run('create_branch', () => call('create_branch', { name: `b${Math.random().toString(36).slice(2)}` }), { times: 20 });
  const words = (): string => `plan depends ${Math.floor(Math.random() * 977)}`;
  for (const searchType of ['FullText', 'Semantic', 'Hybrid'])
    await measured.run(`search_nodes ${searchType}`, () => call('search_nodes', { query: words(), searchType }), { times: 40 });
  const related = (): string => idOf(Math.floor((Math.random() * size) / 100) * 50 + 3);
  await measured.run('search_nodes Relation, 3 hops', () => call('search_nodes', { query: related(), searchType: 'Relation', maxHops: 3 }));
  await measured.run('search_nodes in a subtree of 111', () =>
    call('search_nodes', { query: words(), scope: 'Subtree', scopeNodeId: idOf(Math.floor(size / 1_000) + 1) }),
  );
  await measured.run('search_nodes in a tenth of the tree', () =>
    call('search_nodes', { query: words(), scope: 'Subtree', scopeNodeId: idOf(1) }),
  );
  await measured.run('search_nodes by tag, newest first', () => call('search_nodes', { query: '', tags: ['t7'] }), { times: 40 });
}
await client.end();

type Call = (operation: string, input?: object) => Promise<unknown>;

async function grown(workspace: string, size: number): Promise<void> {
  const place = { tenantId: canvas.tenantId, workspace };
  if (await findTree(client, place)) return;
  const start = performance.now();
  const { layerId } = await growTree(client, place, size);
  const planted = performance.now();
  const { database, index } = canvas.services;
  const sample = Array.from({ length: distinctTexts }, (_, number) => idOf(number));
  const versions = await versionsWhere(database, sql`v.layer_id = ${layerId}::int AND v.node_id = ANY(${sample}::text[])`);
  await database.$sqlTransaction((runner) => index.publishVersions(runner, layerId, versions), { timeoutMs: 120_000 });
  if (size > distinctTexts) await growIndex(client, layerId, size);
  const seconds = (from: number, to: number): number => Math.round((to - from) / 1_000);
  console.error(`${size} nodes written in ${seconds(start, planted)} s, indexed in ${seconds(planted, performance.now())} s`);
}

async function withVectors(): Promise<void> {
  const start = performance.now();
  await canvas.services.index.embedMissing(new AbortController().signal);
  console.error(`vectors made in ${Math.round((performance.now() - start) / 1_000)} s`);
}

/** Forty nodes unfolded, of which some list their children: more than 8,000 tokens hold. */
async function openView(call: Call, size: number): Promise<void> {
  for (let number = 0; number < 40; number++)
    await call('expand_node', { nodeId: idOf(Math.floor((number * size) / 400)), viewName: 'bench', includeChildren: number % 2 === 0 });
}

async function measureCommit(count: number, size: number, call: Call): Promise<void> {
  const stage = async (run: number): Promise<void> => {
    const start = Math.floor(Math.random() * (size - count));
    for (let at = 0; at < count; at += 50) {
      const length = Math.min(50, count - at);
      await call('batch_update_nodes', {
        updates: Array.from({ length }, (_, n) => ({ nodeId: idOf(start + at + n), title: `run ${run} of ${count}` })),
      });
    }
  };
  const before = { before: stage, times: count === 1_000 ? 3 : 10 };
  await measured.run(`commit_changes, ${count}`, () => call('commit_changes', { message: 'bench' }), before);
}
