import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hashedNgrams } from '../embedding/hashed-ngrams.js';
import type { Embedder } from '../embedding/embedder.js';
import { weighTerms } from '../keyword/weigh-terms.js';
import { Retriever, type SearchRequest } from '../retriever.js';
import { TestIndex, unit } from '../test-index.js';
import { queryTerms } from '../text/query-terms.js';
import { VectorIndex } from '../vectors/vector-index.js';
import { candidatesOf } from './features.js';
import type { Reranker } from './reranker.js';

const index = new TestIndex();
const space = index.space('ranking');
const embedder = index.embedder('ranking', hashedNgrams(64));
const vectors = new VectorIndex(index.pool, embedder);
let ids: ReadonlyMap<string, number>;

beforeAll(async () => {
  const texts = { salt: 'Salt raises the pressure of blood.', iron: 'Iron is in meat.', both: 'Iron and salt.', empty: '' };
  ids = await index.put(space, [
    unit('salt', 'Salt', texts.salt, { labels: ['a'] }),
    unit('iron', 'Iron', texts.iron, { labels: ['b'] }),
    unit('both', 'Minerals', texts.both),
    unit('empty', '', texts.empty),
  ]);
  await vectors.put(new Map(Object.entries(texts).map(([ref, text]) => [ids.get(ref) ?? 0, text])));
});
afterAll(() => index.close());

const features = async (query: string, refs: readonly string[]) => {
  const weighed = await weighTerms(index.pool, [space], queryTerms(query));
  const candidates = await candidatesOf(
    index.pool,
    refs.map((ref) => ids.get(ref) ?? 0),
    { query: weighed, vectors: null },
  );
  return new Map(candidates.map((candidate) => [candidate.ref, candidate]));
};

describe('the features of a candidate', () => {
  test('are shares of the question, each from 0 to 1', async () => {
    const found = await features('salt iron helicopter', ['salt', 'iron', 'both', 'empty']);
    for (const { features: parts } of found.values()) for (const part of Object.values(parts)) expect(part >= 0 && part <= 1).toBe(true);
    const [salt, both, empty] = ['salt', 'both', 'empty'].map((ref) => found.get(ref)?.features);
    expect(both?.coverage).toBeGreaterThan(salt?.coverage ?? 1);
    expect(salt?.head_coverage).toBeGreaterThan(0);
    expect(both?.head_coverage).toBe(0);
    expect(empty).toMatchObject({ coverage: 0, head_coverage: 0, keyword: 0, lead: 0 });
    expect(salt?.unknown).toBeGreaterThan(0);
    expect(salt?.unknown).toBe(both?.unknown);
  });

  test('lead is 1 for the best candidate alone', async () => {
    const found = await features('salt', ['salt', 'both', 'iron']);
    const leads = [...found.values()].map(({ features: { lead } }) => lead);
    expect(leads.filter((lead) => lead === 1)).toHaveLength(1);
    expect(found.get('iron')?.features.lead).toBe(0);
  });

  test('have no similarity where there is no vector', async () => {
    expect((await features('salt', ['salt'])).get('salt')?.features).not.toHaveProperty('similarity');
  });

  test('of no candidates are none', async () => {
    expect((await features('salt', [])).size).toBe(0);
    expect((await features('', ['salt'])).get('salt')?.features).toMatchObject({ coverage: 0, unknown: 0, gap: 0 });
  });
});

/** A reranker that gives the text with a word the highest odds. */
function preferring(word: string, score = (text: string) => (text.includes(word) ? 5 : -5)): Reranker {
  return { name: `prefers-${word}`, score: (_query, texts) => Promise.resolve(texts.map(score)) };
}
const textsOf = (hits: readonly { ref: string }[]) => Promise.resolve(hits.map(({ ref }) => `text of ${ref}`));
const search = async (more: Partial<SearchRequest> = {}, parts: Partial<ConstructorParameters<typeof Retriever>[0]> = {}) =>
  new Retriever({ pool: index.pool, vectors, ...parts }).search({ spaces: [space], query: 'salt iron', ...more });

describe('a reranking model', () => {
  test('decides the order of the best candidates, and its own odds are told', async () => {
    const { hits, warnings } = await search({}, { reranker: { model: preferring('iron'), textsOf } });
    expect(hits[0]?.ref).toBe('iron');
    expect(hits[0]?.parts.cross_encoder).toBeGreaterThan(0.9);
    expect(hits.map(({ confidence }) => confidence)).toEqual(hits.map(({ confidence }) => confidence).toSorted((a, b) => b - a));
    expect(warnings).toEqual([]);
  });

  test('that fails costs its order alone, and is told', async () => {
    const failing: Reranker = { name: 'broken', score: () => Promise.reject(new Error('no model')) };
    const plain = await search();
    const { hits, warnings } = await search({}, { reranker: { model: failing, textsOf } });
    expect(hits.map(({ ref }) => ref)).toEqual(plain.hits.map(({ ref }) => ref));
    expect(warnings).toEqual([expect.stringContaining('broken')]);
  });

  test('whose texts cannot be loaded is a model that failed', async () => {
    const broken = { model: preferring('iron'), textsOf: () => Promise.reject(new Error('no texts')) };
    expect((await search({}, { reranker: broken })).warnings).toHaveLength(1);
  });

  test('is not asked where fusion alone is wanted', async () => {
    const failing: Reranker = { name: 'asked', score: () => Promise.reject(new Error('asked')) };
    expect((await search({ ranking: 'fused' }, { reranker: { model: failing, textsOf } })).warnings).toEqual([]);
  });
});

describe('a search', () => {
  test('gives at most as many hits as it is asked for, and counts the others', async () => {
    const { hits, found } = await search({ limit: 1 });
    expect([hits.length, found]).toEqual([1, 3]);
    expect((await search({ limit: 0 })).hits).toEqual([]);
  });

  test('by keywords alone asks no embedder, by vectors alone no keywords', async () => {
    const failing: Embedder = { ...embedder, embed: () => Promise.reject(new Error('asked')) };
    expect((await search({ legs: 'keyword' }, { vectors: new VectorIndex(index.pool, failing) })).warnings).toEqual([]);
    const byVector = await search({ query: 'salty', legs: 'vector' });
    expect(byVector.hits.length).toBeGreaterThan(0);
    expect(byVector.tookMs.keyword).toBeLessThan(byVector.tookMs.total);
  });

  test('without vectors says so, unless it was asked to do without', async () => {
    expect((await search({}, { vectors: null })).warnings).toEqual(['Searched by keywords alone: no embedding provider is configured.']);
    expect((await search({ legs: 'keyword' }, { vectors: null })).warnings).toEqual([]);
  });

  test('that its caller gave up goes on by keywords', async () => {
    const waiting: Embedder = {
      ...embedder,
      embed: (_texts, { signal }) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('given up')))),
    };
    const stopping = new AbortController();
    const searching = search({ signal: stopping.signal }, { vectors: new VectorIndex(index.pool, waiting) });
    stopping.abort();
    const { hits, warnings } = await searching;
    expect(hits.length).toBeGreaterThan(0);
    expect(warnings).toEqual([expect.stringContaining('keywords alone: given up')]);
  });

  test('throws what the database throws', async () => {
    const pool = { query: () => Promise.reject(new Error('database away')), connect: () => index.pool.connect() };
    await expect(search({ legs: 'keyword' }, { pool, vectors: null })).rejects.toThrow('database away');
  });

  test('of nothing finds nothing', async () => {
    for (const query of ['', '   ', '！？']) expect((await search({ query, legs: 'keyword' })).hits).toEqual([]);
    expect((await search({ spaces: [], legs: 'keyword' })).hits).toEqual([]);
  });
});
