import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { KnowledgeBase, type KnowledgeQuery } from './knowledge-base.js';
import { loadSections } from './sections.js';
import { page, TestKnowledge } from './test-knowledge.js';

const given = new TestKnowledge();
const { tenantId, otherTenantId } = given;
const knowledge = new KnowledgeBase({ pool: given.pool, vectors: null });
const facts = (lines: string, body: string) => `---\n${lines}\n---\n\n${body}`;

beforeAll(async () => {
  await given.import('health', [
    page(
      'sleep.md',
      facts(
        'title: 睡眠\ndomain: sleep\ntags: [Rest, night]\nsource_url: https://example.com/sleep\nsource: AASM, 2015\nupdated: 2026-02-03',
        'Intro about sleeping.\n\n## Hours {#hours}\n\nSeven hours of sleep are enough.\n\n## 夜里 {#夜}\n\n不要喝咖啡。',
      ),
    ),
    page('food.md', facts('title: Food\ndomain: nutrition\ntype: internal\nrepo_path: docs/food.md', '## Salt\n\nSalt raises pressure.')),
    page('private.md', facts('title: Wiki\nsource_url: https://wiki.corp.internal/x', '## Host\n\nAsk http://10.0.0.5/x about zorqs.')),
  ]);
  await given.import('notes', [page('plain.md', '## Sleep\n\nA note on sleep.')]);
  await given.import('health', [page('theirs.md', '## Sleep\n\nAnother tenant on sleep.')], { tenantId: otherTenantId });
});
afterAll(() => given.close());

const search = (query: string, more: Partial<KnowledgeQuery> = {}) => knowledge.search({ tenantId, query, ...more });
const titles = async (query: string, more: Partial<KnowledgeQuery> = {}) =>
  (await search(query, more)).hits.map(({ section }) => `${section.collection}/${section.path}#${section.anchor ?? ''}`);

describe('a search', () => {
  test('sees the collections of its tenant, and no other tenant’s', async () => {
    expect((await titles('sleep')).toSorted()).toEqual(expect.arrayContaining(['health/sleep.md#hours', 'notes/plain.md#sleep']));
    expect(JSON.stringify(await search('sleep', { limit: 50 }))).not.toContain('Another tenant');
    expect(await titles('sleep', { tenantId: otherTenantId })).toEqual(['health/theirs.md#sleep']);
  });

  test('looks into the collections that it names', async () => {
    expect(await titles('sleep', { collections: ['notes'] })).toEqual(['notes/plain.md#sleep']);
    expect(await titles('sleep', { collections: ['nowhere'] })).toEqual([]);
    expect(await titles('sleep', { collections: [] })).toEqual([]);
  });

  test.each<[Partial<KnowledgeQuery>, boolean]>([
    [{ domain: 'sleep' }, true],
    [{ domain: 'nutrition' }, false],
    [{ type: 'public' }, true],
    [{ type: 'internal' }, false],
    [{ tags: ['rest'] }, true],
    [{ tags: ['REST', 'night'] }, true],
    [{ tags: ['rest', 'day'] }, false],
    [{ domain: 'sleep', type: 'public', tags: ['night'] }, true],
  ])('with %j finds the page on sleep: %s', async (filter, isFound) => {
    expect((await titles('seven hours', filter)).includes('health/sleep.md#hours')).toBe(isFound);
  });

  test('tells of a section what its document says', async () => {
    const [hit] = (await search('seven hours')).hits;
    expect(hit?.section).toMatchObject({
      collection: 'health',
      page: '睡眠',
      path: 'sleep.md',
      type: 'public',
      tags: ['Rest', 'night'],
      anchor: 'hours',
      title: 'Hours',
      source: 'AASM, 2015',
      link: 'https://example.com/sleep#hours',
      lastUpdated: new Date('2026-02-03'),
      content: 'Seven hours of sleep are enough.',
    });
  });
});

describe('the link of a section', () => {
  const linkOf = async (query: string) => (await search(query)).hits[0]?.section.link;

  test('has its anchor as an address has it', async () => {
    expect(await linkOf('咖啡')).toBe(`https://example.com/sleep#${encodeURI('夜')}`);
  });

  test('of a page without a heading has none', async () => {
    const intro = (await search('intro about sleeping')).hits.find(({ section }) => section.anchor === null);
    expect(intro?.section.link).toBe('https://example.com/sleep');
  });

  test('of an internal page is its path in the repository', async () => {
    expect(await linkOf('salt')).toBe('docs/food.md#salt');
  });

  test('is nothing where its address is in a private network, which is shown nowhere', async () => {
    const { hits } = await search('zorqs');
    expect(hits[0]?.section.link).toBeNull();
    expect(JSON.stringify(hits)).not.toMatch(/10\.0\.0\.5|corp\.internal/);
    expect(hits[0]?.section.content).toBe('Ask [private address] about zorqs.');
  });
});

describe('a rule that is newer than a row', () => {
  test('holds for what is shown', async () => {
    const [hit] = (await search('salt')).hits;
    const id = hit?.section.id ?? 0;
    await given.pool.query(
      "UPDATE knowledge_section SET content = 'see http://192.168.1.7/x', source_url = 'http://intranet/' WHERE id = $1",
      [id],
    );
    const [shown] = await loadSections(given.pool, [id]);
    expect([shown?.content, shown?.link]).toEqual(['see [private address]', 'docs/food.md#salt']);
  });

  test('sections come in the order asked for, without those that are gone', async () => {
    const ids = (await search('sleep')).hits.map(({ section }) => section.id);
    const asked = [...ids.toReversed(), 2_000_000_000];
    expect((await loadSections(given.pool, asked)).map(({ id }) => id)).toEqual(ids.toReversed());
    expect(await loadSections(given.pool, [])).toEqual([]);
  });
});

describe('documents', () => {
  test('are listed once each, by the section that matches best', async () => {
    const { items, found, snapshot } = await knowledge.documents(tenantId, 'sleep', { offset: 0, limit: 10 });
    expect(items.map(({ document }) => document.title).toSorted()).toEqual(['plain', '睡眠']);
    expect(found).toBe(2);
    const second = await knowledge.documents(tenantId, 'sleep', { offset: 1, limit: 1, snapshot });
    expect(second.items.map(({ document }) => document.id)).toEqual([items[1]?.document.id]);
  });

  test('are read whole by the tenant that has them, and by nobody else', async () => {
    const [item] = (await knowledge.documents(tenantId, 'sleep', { offset: 0, limit: 1 })).items;
    const id = item?.document.id ?? '';
    expect(await knowledge.document(tenantId, id)).toMatchObject({ id, content: expect.stringMatching(/sleep/) });
    expect(await knowledge.document(otherTenantId, id)).toBeNull();
    expect(await knowledge.document(tenantId, id.toUpperCase())).toMatchObject({ id });
  });

  test.each(['', 'x', '1', "' OR 1=1 --", '00000000-0000-4000-8000-000000000000', '{00000000-0000-4000-8000-000000000000}'])(
    'by the id %j are none',
    async (id) => {
      expect(await knowledge.document(tenantId, id)).toBeNull();
    },
  );

  test('of a tenant without any are those of everybody', async () => {
    const { items } = await knowledge.documents(`${tenantId}-empty`, 'sleep', { offset: 0, limit: 10 });
    for (const { document } of items) expect(document.collection).not.toBe('notes');
  });
});
