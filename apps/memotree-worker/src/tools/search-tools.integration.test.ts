import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { givenStores } from '#lib/testing';
import { memotreeLimits as limits } from '#lib/contracts';
import { TestCanvas, type Call } from '../test-canvas.js';
import { createNode, freshWorkspace, refusal } from '../test-workspace.js';

let canvas: TestCanvas;
beforeAll(() => void (canvas = new TestCanvas(givenStores().databaseUrl)));
afterAll(async () => canvas[Symbol.asyncDispose]());

interface Hit {
  readonly nodeId: string;
  readonly level: string;
  readonly score: number;
  readonly hops?: number;
  readonly staged: boolean;
}

async function search(call: Call, input: Record<string, unknown>): Promise<readonly Hit[]> {
  return (await call('search_nodes', input)).data['results'] as Hit[];
}
const ids = (hits: readonly Hit[]): readonly string[] => hits.map(({ nodeId }) => nodeId);

describe('filters', () => {
  test('narrow a search, and are combined with AND', async () => {
    const { a } = freshWorkspace(canvas);
    const plan = await createNode(a, { title: 'budget', type: 'Plan', tags: ['x', 'y'] });
    const memory = await createNode(a, { title: 'budget', type: 'Memory', tags: ['x'] });
    const found = async (filters: object) => ids(await search(a, { query: 'budget', ...filters })).toSorted();
    expect(await found({})).toEqual([plan, memory].toSorted());
    expect(await found({ nodeTypes: [] })).toEqual([plan, memory].toSorted());
    expect(await found({ nodeTypes: ['Plan', 'Code'] })).toEqual([plan]);
    expect(await found({ tags: ['x'] })).toEqual([plan, memory].toSorted());
    expect(await found({ tags: ['x', 'y'] })).toEqual([plan]);
    expect(await found({ nodeTypes: ['Memory'], tags: ['y'] })).toEqual([]);
  });

  test('alone list the newest first, without the root', async () => {
    const { a } = freshWorkspace(canvas);
    const nodes = [
      await createNode(a, { title: 'first' }),
      await createNode(a, { title: 'second' }),
      await createNode(a, { title: 'third' }),
    ];
    expect(ids(await search(a, { query: ' ' }))).toEqual(nodes.toReversed());
    expect(ids(await search(a, { maxResults: 2 }))).toEqual(nodes.toReversed().slice(0, 2));
    await a('update_node', { nodeId: nodes[0], title: 'newest now' });
    expect(ids(await search(a, {}))[0]).toBe(nodes[0]);
  });
});

describe('results', () => {
  test('are at most as many as were asked for, and as are given at all', async () => {
    const { a } = freshWorkspace(canvas);
    const nodes = Array.from({ length: 50 }, (_, n) => ({ title: `word ${n}` }));
    await a('batch_create_nodes', { nodes });
    await createNode(a, { title: 'word 50' });
    expect(await search(a, { query: 'word', maxResults: 3 })).toHaveLength(3);
    const { data, warnings } = await a('search_nodes', { query: 'word', maxResults: limits.results + 1 });
    expect([(data['results'] as Hit[]).length, warnings]).toEqual([limits.results, [`maxResults is capped at ${limits.results}`]]);
  });

  test('tell where the match is, what stands around it, and whether it is staged', async () => {
    const { a } = freshWorkspace(canvas);
    const parentId = await createNode(a, { title: 'Queue' });
    const nodeId = await createNode(a, { parentId, title: 'Rules', content: 'Each kind of failure has a budget.' });
    await a('commit_changes');
    const staged = await createNode(a, { title: 'budget' });
    const hits = await search(a, { query: 'budget' });
    expect(hits.find((hit) => hit.nodeId === nodeId)).toMatchObject({
      level: 'Detail',
      staged: false,
      preview: 'Each kind of failure has a budget.',
      highlightedTerms: ['budget'],
      path: ['MemoTree', 'Queue'],
    });
    expect(hits.find((hit) => hit.nodeId === staged)).toMatchObject({ level: 'Title', staged: true });
    const [bare] = await search(a, { query: 'failure', includePreview: false });
    expect(bare).not.toHaveProperty('preview');
  });

  test('have scores between 0 and 1, the best first', async () => {
    const { a } = freshWorkspace(canvas);
    await a('batch_create_nodes', { nodes: [{ title: 'retry budget' }, { title: 'retry' }, { content: 'a budget to retry' }] });
    for (const searchType of ['FullText', 'Semantic', 'Hybrid']) {
      const scores = (await search(a, { query: 'retry budget', searchType })).map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((x, y) => y - x));
      expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
    }
  });
});

describe('what was removed', () => {
  test('is not found: deleted, below something deleted, or replaced text', async () => {
    const { a, b } = freshWorkspace(canvas);
    const parentId = await createNode(a, { title: 'zebra parent' });
    await createNode(a, { parentId, title: 'zebra child' });
    const other = await createNode(a, { title: 'x', content: 'zebra' });
    await a('commit_changes');
    await a('delete_node', { nodeId: parentId, recursive: true });
    await a('update_node', { nodeId: other, content: 'horse', mode: 'Replace' });
    expect(await search(a, { query: 'zebra' })).toEqual([]);
    expect(await search(b, { query: 'zebra' })).toHaveLength(3);
    await a('commit_changes');
    expect(await search(b, { query: 'zebra' })).toEqual([]);
    expect(ids(await search(b, { query: 'horse' }))).toEqual([other]);
  });

  test('is found again after it is discarded or restored', async () => {
    const { a } = freshWorkspace(canvas);
    const nodeId = await createNode(a, { title: 'zebra' });
    await a('commit_changes', { createTag: true, tagName: 'v1' });
    await a('update_node', { nodeId, title: 'horse' });
    await a('discard_changes');
    expect(ids(await search(a, { query: 'zebra' }))).toEqual([nodeId]);
    await a('delete_node', { nodeId });
    await a('commit_changes');
    await a('restore_node', { nodeId, from: 'v1' });
    expect(ids(await search(a, { query: 'zebra' }))).toEqual([nodeId]);
  });
});

describe('a scope', () => {
  test('that needs a node takes the last that was unfolded, else the root, and says so', async () => {
    const { a } = freshWorkspace(canvas);
    const top = await createNode(a, { title: 'word top' });
    const inside = await createNode(a, { title: 'word inside', parentId: top });
    const outside = await createNode(a, { title: 'word outside' });
    const whole = await a('search_nodes', { query: 'word', scope: 'Subtree', viewName: 'unused' });
    expect(ids(whole.data['results'] as Hit[]).toSorted()).toEqual([top, inside, outside].toSorted());
    expect(whole.warnings).toEqual(["No scopeNodeId was given; the scope Subtree is that of 'root'"]);
    await a('expand_node', { nodeId: top });
    const part = await a('search_nodes', { query: 'word', scope: 'Subtree' });
    expect(ids(part.data['results'] as Hit[]).toSorted()).toEqual([top, inside].toSorted());
    expect(part.warnings.join()).toContain(top);
  });

  test('around a node that is not there is refused', async () => {
    const { a } = freshWorkspace(canvas);
    for (const scope of ['Subtree', 'Related'])
      await expect(a('search_nodes', { query: 'x', scope, scopeNodeId: 'ffffffffffff' })).rejects.toMatchObject(refusal('NODE_NOT_FOUND'));
  });

  test('of a view holds what the view lists', async () => {
    const { a } = freshWorkspace(canvas);
    const top = await createNode(a, { title: 'word top', initialLevel: 'Title' });
    const hidden = await createNode(a, { title: 'word hidden', parentId: top });
    await a('collapse_node', { nodeId: top });
    expect(ids(await search(a, { query: 'word', scope: 'CurrentView' }))).toEqual([top]);
    await a('expand_node', { nodeId: top, includeChildren: true });
    expect(ids(await search(a, { query: 'word', scope: 'CurrentView' })).toSorted()).toEqual([top, hidden].toSorted());
  });

  test('of a subtree too large to be listed is searched all the same', async () => {
    const { a } = freshWorkspace(canvas);
    const files = Array.from({ length: 1_000 }, (_, n) => ({ path: `top/f${n % 4}/n${n}.md`, text: n === 321 ? 'zebra' : `note ${n}` }));
    await a('import_markdown', { files });
    await a('import_markdown', {
      files: files.map(({ path, text }) => ({ path: path.replace('top/', 'top/more/'), text: text.replace('zebra', 'horse') })),
    });
    await createNode(a, { title: 'zebra outside' });
    const [top] = await search(a, { query: 'top', maxResults: 1 });
    const found = await search(a, { query: 'zebra', scope: 'Subtree', scopeNodeId: top?.nodeId });
    expect(found).toHaveLength(1);
    expect(ids(await search(a, { query: '', scope: 'Subtree', scopeNodeId: top?.nodeId, maxResults: 5 }))).toHaveLength(5);
  });
});

describe('relations', () => {
  /** A chain a → b → c → d of different relations, and e that points to b. */
  async function graph(call: Call) {
    const [d, e] = [await createNode(call, { title: 'dd' }), await createNode(call, { title: 'ee' })];
    const c = await createNode(call, { title: 'cc', content: `[[${d}]]` });
    const [b, a] = [await createNode(call, { title: 'bb' }), await createNode(call, { title: 'aa' })];
    await call('link_nodes', { sourceId: a, targetId: b, type: 'DependsOn' });
    await call('link_nodes', { sourceId: b, targetId: c, type: 'Extends' });
    await call('link_nodes', { sourceId: e, targetId: b, type: 'Contradicts' });
    return { a, b, c, d, e };
  }

  test('lead both ways, so many steps as were asked for, nearer ones first', async () => {
    const { a: call } = freshWorkspace(canvas);
    const { a, b, c, d, e } = await graph(call);
    const around = (maxHops: number) => search(call, { query: a, searchType: 'Relation', maxHops });
    expect(ids(await around(1))).toEqual([b]);
    expect(ids(await around(2)).toSorted()).toEqual([b, c, e].toSorted());
    const far = await around(3);
    expect(ids(far).toSorted()).toEqual([b, c, d, e].toSorted());
    expect(far.map(({ hops }) => hops)).toEqual([1, 2, 2, 3]);
  });

  test('of some types are the only ones that are followed', async () => {
    const { a: call } = freshWorkspace(canvas);
    const { a, b, c } = await graph(call);
    const along = async (...relationTypes: string[]) => ids(await search(call, { query: b, searchType: 'Relation', relationTypes }));
    expect(await along('DependsOn')).toEqual([a]);
    expect((await along('DependsOn', 'Extends')).toSorted()).toEqual([a, c].toSorted());
    expect(await along('InspiredBy')).toEqual([]);
  });

  test('are found by a type, by a link as it is written, and by words', async () => {
    const { a: call } = freshWorkspace(canvas);
    const { a, b, c, d } = await graph(call);
    const by = async (query: string) => ids(await search(call, { query, searchType: 'Relation' })).toSorted();
    expect(await by('dependson')).toEqual([a, b].toSorted());
    expect(await by(`[[${d}|words]]`)).toEqual([c]);
    expect(await by('dd')).toEqual([c]);
    expect(await by('nothing of that')).toEqual([]);
  });

  test('bound a search of words', async () => {
    const { a: call } = freshWorkspace(canvas);
    const { b, c } = await graph(call);
    const found = await search(call, { query: 'aa bb cc dd ee', scope: 'Related', scopeNodeId: b, maxHops: 1 });
    expect(ids(found)).toContain(c);
    expect(ids(found)).not.toContain(b);
  });

  test('and filters are combined', async () => {
    const { a: call } = freshWorkspace(canvas);
    const { a, b, e } = await graph(call);
    await call('update_node', { nodeId: e, type: 'Plan', tags: ['t'] });
    expect(ids(await search(call, { query: b, searchType: 'Relation', nodeTypes: ['Plan'] }))).toEqual([e]);
    expect(ids(await search(call, { query: b, searchType: 'Relation', tags: ['t'] }))).toEqual([e]);
    expect(ids(await search(call, { query: b, searchType: 'Relation', scope: 'Subtree', scopeNodeId: a }))).toEqual([a]);
  });

  test('in a circle end', async () => {
    const { a: call } = freshWorkspace(canvas);
    const { a, c } = await graph(call);
    await call('link_nodes', { sourceId: c, targetId: a, type: 'References' });
    expect(ids(await search(call, { query: a, searchType: 'Relation', maxHops: 3 }))).not.toContain(a);
  });
});

test('a workspace finds nothing of another', async () => {
  const [{ a: one }, { a: other }] = [freshWorkspace(canvas), freshWorkspace(canvas)];
  await createNode(one, { title: 'giraffe' });
  await one('commit_changes');
  expect(await search(other, { query: 'giraffe' })).toEqual([]);
  expect(await search(other, { query: 'giraffe', searchType: 'Semantic' })).toEqual([]);
});
