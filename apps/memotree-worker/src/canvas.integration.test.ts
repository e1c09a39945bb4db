import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { givenStores } from '#lib/testing';
import { TestCanvas, type Call } from './test-canvas.js';
import { createNode as create, freshWorkspace } from './test-workspace.js';
import { deleteOldStates } from './views.js';

let canvas: TestCanvas;
beforeAll(() => void (canvas = new TestCanvas(givenStores().databaseUrl)));
afterAll(async () => canvas[Symbol.asyncDispose]());

const fresh = () => freshWorkspace(canvas);

describe('views', () => {
  test('keep what is unfolded, and fold the least used to fit', async () => {
    const { a } = fresh();
    const long = await create(a, { title: 'long', content: `${'words and words. '.repeat(400)}` });
    const short = await create(a, { title: 'short', content: 'brief words' });
    await a('expand_node', { nodeId: long });
    await a('expand_node', { nodeId: short });
    const whole = await a('render_view');
    expect(whole.data['markdown']).toContain('words and words. words');
    expect(whole.data).toMatchObject({ foldedToFit: [] });
    const tight = await a('render_view', { maxTokens: 300 });
    expect(tight.data).toMatchObject({ foldedToFit: [long] });
    expect(tight.data['markdown']).toContain('brief words');
    expect(Number(tight.data['tokens'])).toBeLessThanOrEqual(300);
    expect(tight.data['markdown']).toMatch(/long \[[0-9a-f]{12}\] \(\+\d+ chars\)/);
    await a('collapse_node', { nodeId: short });
    expect((await a('render_view')).data['markdown']).not.toContain('brief words');
    expect((await a('render_view', { viewName: 'other' })).data['markdown']).toContain('long');
  });

  test('hide what is below a folded node until something there is unfolded', async () => {
    const { a } = fresh();
    const top = await create(a, { title: 'top' });
    const below = await create(a, { title: 'below', parentId: top, content: 'deep' });
    await a('expand_node', { nodeId: below });
    expect((await a('render_view')).data['markdown']).toContain('deep');
    await a('collapse_node', { nodeId: top });
    expect((await a('render_view')).data['markdown']).not.toContain('below');
    await a('expand_node', { nodeId: below });
    expect((await a('render_view')).data['markdown']).toContain('deep');
    expect((await a('collapse_node', { nodeId: top, recursive: true })).data).toMatchObject({ folded: 1 });
    expect((await a('expand_node', { nodeId: top, level: 'Title', includeChildren: true })).data).toMatchObject({
      children: [{ level: 'Title' }],
    });
  });

  test('forget what nobody has set for so many days, and nothing that is younger', async () => {
    const { a } = fresh();
    const old = await create(a, { title: 'old', content: 'of last year' });
    const young = await create(a, { title: 'young', content: 'of yesterday' });
    const many = Array.from({ length: 1_500 }, (_, n) => `n${n}`);
    for (const nodeId of [old, young]) await a('expand_node', { nodeId });
    const { database } = canvas.services;
    const age = async (nodeId: string, minutes: number) => database.$executeRaw`
      UPDATE memotree_view_state SET touched_at = now() - make_interval(days => 365, mins => ${minutes}::int) WHERE node_id = ${nodeId}`;
    await age(old, 1);
    await age(young, -1);
    await database.$executeRaw`
      INSERT INTO memotree_view_state SELECT session_id, view, id, level, expanded, folded, touched_at
      FROM memotree_view_state, unnest(${many}::text[]) AS more (id) WHERE node_id = ${old}`;
    await Promise.all([deleteOldStates(database, 365), deleteOldStates(database, 365)]);
    await deleteOldStates(database, 365);
    const { markdown } = (await a('render_view')).data;
    expect(markdown).toContain('of yesterday');
    expect(markdown).not.toContain('of last year');
    const left = await database.memotreeViewState.count({ where: { nodeId: { in: [old, young, ...many] } } });
    expect(left).toBe(1);
  });
});

describe('search', () => {
  test('finds words, Chinese too, in what the session sees', async () => {
    const { a, b } = fresh();
    const english = await create(a, { title: 'Retry rules', content: 'Each kind of failure has a budget of its own.', tags: ['queue'] });
    const chinese = await create(a, { title: '认知画布', content: '记忆树把知识折叠成节点。', type: 'Plan' });
    const find = async (call: Call, input: object) => {
      const { data } = await call('search_nodes', { ...input });
      return (data['results'] as { nodeId: string; staged: boolean }[]).map(({ nodeId }) => nodeId);
    };
    expect(await find(a, { query: 'failure budget' })).toEqual([english]);
    expect(await find(a, { query: '折叠' })).toEqual([chinese]);
    expect(await find(b, { query: 'budget' })).toEqual([]);
    await a('commit_changes');
    expect(await find(b, { query: 'budget' })).toEqual([english]);
    expect(await find(b, { query: 'budget', searchType: 'Hybrid' })).toEqual([english]);
    expect(await find(b, { query: 'budgets failing', searchType: 'Semantic' })).toContain(english);
    expect(await find(b, { query: '', nodeTypes: ['Plan'] })).toEqual([chinese]);
    expect(await find(b, { query: '', tags: ['queue'] })).toEqual([english]);
    await b('update_node', { nodeId: english, content: 'Something else.', mode: 'Replace' });
    expect(await find(b, { query: 'budget' })).toEqual([]);
    expect(await find(a, { query: 'budget' })).toEqual([english]);
    const { data } = await a('search_nodes', { query: 'budget', previewLength: 20 });
    expect(data['results']).toMatchObject([
      { preview: expect.stringContaining('budget'), highlightedTerms: ['budget'], level: 'Detail', path: ['MemoTree'] },
    ]);
  });

  test('a branch finds what it forked from', async () => {
    const { a, b } = fresh();
    const nodeId = await create(a, { title: 'old words', content: 'zebra' });
    await a('commit_changes', { createTag: true, tagName: 'v1' });
    await a('create_branch', { name: 'fork', switchTo: true });
    await b('update_node', { nodeId, content: 'giraffe', mode: 'Replace' });
    await b('commit_changes');
    const find = async (call: Call, query: string) => ((await call('search_nodes', { query })).data['results'] as unknown[]).length;
    expect([await find(a, 'zebra'), await find(a, 'giraffe'), await find(b, 'zebra'), await find(b, 'giraffe')]).toEqual([1, 0, 0, 1]);
    await b('create_branch', { name: 'late', from: 'v1', switchTo: true });
    expect([await find(b, 'zebra'), await find(b, 'giraffe')]).toEqual([1, 0]);
  });

  test('scopes and relations', async () => {
    const { a } = fresh();
    const top = await create(a, { title: 'top word' });
    const inside = await create(a, { title: 'inside word', parentId: top });
    const outside = await create(a, { title: 'outside word', content: `see [[${inside}]]` });
    const far = await create(a, { title: 'far' });
    await a('link_nodes', { sourceId: far, targetId: outside, type: 'dependsOn' });
    const find = async (input: object) =>
      ((await a('search_nodes', input as Record<string, unknown>)).data['results'] as { nodeId: string }[])
        .map(({ nodeId }) => nodeId)
        .toSorted();
    expect(await find({ query: 'word', scope: 'Subtree', scopeNodeId: top })).toEqual([top, inside].toSorted());
    expect(await find({ query: 'word', scope: 'Related', scopeNodeId: outside })).toEqual([inside]);
    expect(await find({ query: 'outside', searchType: 'Relation' })).toEqual([far, inside].toSorted());
    expect(await find({ query: 'inside', searchType: 'Relation', maxHops: 2 })).toEqual([far, outside].toSorted());
    expect(await find({ query: 'DependsOn', searchType: 'Relation' })).toEqual([far, outside].toSorted());
    await a('collapse_node', { nodeId: top });
    expect(await find({ query: 'word', scope: 'CurrentView' })).toEqual([outside, top].toSorted());
    const relations = (await a('expand_node', { nodeId: outside, includeRelations: true })).data['relations'];
    expect(relations).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'References', sourceId: outside, targetId: inside }),
        expect.objectContaining({ type: 'DependsOn', sourceId: far, targetId: outside }),
      ]),
    );
    expect((await a('unlink_nodes', { sourceId: far, targetId: outside })).data).toEqual({ removed: 1 });
  });
});

test('what points to a node is listed in the order of ids, however it was written', async () => {
  const { a } = fresh();
  const target = await create(a, { title: 'target' });
  const sources: string[] = [];
  for (let n = 0; n < 40; n++) sources.push(await create(a, { title: `${n}`, content: `[[${target}]]` }));
  const { relations } = (await a('expand_node', { nodeId: target, includeRelations: true })).data;
  expect((relations as { sourceId: string }[]).map(({ sourceId }) => sourceId)).toEqual(sources.toSorted());
});

describe('summaries', () => {
  const long = Array.from({ length: 30 }, (_, n) => `Sentence ${n} tells of retries and their budgets.`).join(' ');

  test('are there at once, made in the background, and stale when the content changes', async () => {
    const { a } = fresh();
    const nodeId = await create(a, { content: long });
    const now = await a('expand_node', { nodeId, level: 'Summary' });
    expect(now.data).toMatchObject({ freshness: 'pending' });
    expect(String(now.data['content']).length).toBeGreaterThan(0);
    expect(String(now.data['content']).length).toBeLessThan(long.length);
    await canvas.summaries.runDue(AbortSignal.timeout(5_000));
    const made = await a('expand_node', { nodeId, level: 'Summary' });
    expect(made.data).toMatchObject({ freshness: 'fresh', content: now.data['content'] });
    const { data, warnings } = await a('update_node', { nodeId, content: 'More.', mode: 'Append' });
    expect(data).toMatchObject({ freshness: 'stale' });
    expect(warnings.join()).toContain('regenerateSummary');
    expect((await a('expand_node', { nodeId, level: 'Summary' })).data).toMatchObject({ content: now.data['content'], freshness: 'stale' });
    expect((await a('update_node', { nodeId, regenerateSummary: true })).data).toMatchObject({ freshness: 'pending' });
  });

  test('are not made where they are not wanted', async () => {
    const { a } = fresh();
    const nodeId = await create(a, { content: long, autoGenerateSummary: false });
    const { data, warnings } = await a('expand_node', { nodeId, level: 'Summary' });
    expect(data).toMatchObject({ freshness: 'none', content: long });
    expect(warnings.join()).toContain('summary');
  });
});

describe('Markdown', () => {
  test('a folder becomes a tree, comes out, and goes in again the same', async () => {
    const { a } = fresh();
    const files = [
      { path: 'queue.md', text: '---\ntags: [ops]\nauthor: me\n---\nAll about queues. See [[Backoff]].' },
      {
        path: 'queue/retries.md',
        text: '# Retry rules\n\nEach kind.\n\n## Limits\n\nTen.\n\n### Hard\n\nReally.\n\n## See also\n\n[b](backoff.md) and [[Nowhere]]',
      },
      { path: 'queue/backoff.md', text: '# Backoff\n\nLonger each time. [[retries#Limits]]' },
    ];
    const first = await a('import_markdown', { files });
    expect(first.data).toEqual({ created: 6, updated: 0, unchanged: 0, links: 3, unresolved: ['Nowhere'] });
    expect((await a('import_markdown', { files })).data).toMatchObject({ created: 0, updated: 0, unchanged: 6 });
    const out = await a('export_markdown');
    expect(out.data).toMatchObject({ nodes: 6, cursor: null });
    const exported = out.data['files'] as { path: string; text: string }[];
    expect(exported.map(({ path }) => path)).toEqual([
      'queue.md',
      'queue/Backoff.md',
      'queue/Retry rules.md',
      'queue/Retry rules/Limits.md',
      'queue/Retry rules/Limits/Hard.md',
      'queue/Retry rules/See also.md',
    ]);
    expect(exported[0]?.text).toContain('author: me');
    const { a: other } = fresh();
    await other('import_markdown', { files: exported });
    expect((await other('export_markdown')).data['files']).toEqual(exported);
  });

  test('pages of an export make up the whole', async () => {
    const { a } = fresh();
    const files = Array.from({ length: 700 }, (_, n) => ({ path: `f${n % 7}/n${n}.md`, text: `note ${n}` }));
    await a('import_markdown', { files });
    const paths: string[] = [];
    let cursor: unknown = null;
    do {
      const { data } = await a('export_markdown', { cursor });
      paths.push(...(data['files'] as { path: string }[]).map(({ path }) => path));
      cursor = data['cursor'];
    } while (cursor !== null);
    expect(paths).toHaveLength(707);
    expect(new Set(paths).size).toBe(707);
  });
});
