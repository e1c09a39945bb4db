import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TestIndex } from '../test-index.js';
import type { Sql } from '../sql.js';
import { queryTerms } from '../text/query-terms.js';
import type { TokenKind } from '../text/tokens.js';
import { idf } from './bm25.js';
import { closestTerms, wordsWith } from './closest-terms.js';
import { halvesOf } from './halves.js';
import { weighTerms } from './weigh-terms.js';

const index = new TestIndex();
const space = index.space('words');
let spaceId = 0;

beforeAll(async () => {
  await index.put(space, [
    { ref: '1', fields: [{ text: 'protein muscle calcium magnesium' }] },
    { ref: '2', fields: [{ text: 'protein vitamin' }] },
    { ref: '3', fields: [{ text: '睡眠 睡前 早睡 钙片' }] },
    { ref: '4', fields: [{ text: 'payouts_enabled' }] },
    { ref: '5', fields: [{ text: 'The back end of a pipe line' }] },
  ]);
  const { rows } = await index.pool.query<{ id: number }>('SELECT id FROM retrieval_space WHERE name = $1', [space]);
  spaceId = rows[0]?.id ?? 0;
});
afterAll(() => index.close());

const closest = async (term: string, kind: TokenKind = 'word') =>
  (await closestTerms(index.pool, [spaceId], { term, kind })).map((known) => known.term);

describe('a word that no unit has', () => {
  test.each([
    ['protien', ['protein']],
    ['protin', ['protein']],
    ['proteiin', ['protein']],
    ['rpotein', ['protein']],
    ['proteen', ['protein']],
    ['calciun', ['calcium']],
    ['mangesium', ['magnesium']],
    ['calcmui', ['calcium']],
    ['kalcmui', []],
    ['gluten', []],
    ['prot', []],
    ['xrotexx', []],
    ['protein2', []],
    ['éprotein', []],
    ['p'.repeat(33), []],
  ])('%s is read as %j', async (term, expected) => {
    expect(await closest(term)).toEqual(expected);
  });

  test('is looked for among the spaces that are asked alone', async () => {
    expect(await closestTerms(index.pool, [], { term: 'protien', kind: 'word' })).toEqual([]);
    expect(await closestTerms(index.pool, [spaceId + 1_000_000], { term: 'protien', kind: 'word' })).toEqual([]);
  });

  test.each<TokenKind>(['code', 'pair', 'joint', 'long'])('of the kind %s is not corrected', async (kind) => {
    expect(await closest('protien', kind)).toEqual([]);
  });
});

describe('a word that joins two', () => {
  const halves = async (term: string) => (await halvesOf(index.pool, [spaceId], { term, kind: 'word' })).map((known) => known.term);

  test.each([
    ['backend', ['back', 'end']],
    ['pipelin', ['pipe', 'line']],
    ['backpipe', ['back', 'pipe']],
    ['backxyz', []],
    ['backback', []],
    ['end', []],
  ])('%s is read as %j', async (term, expected) => expect(await halves(term)).toEqual(expected));

  test('is not looked for where a space has the word itself', async () => {
    const { terms } = await weighTerms(index.pool, [space], queryTerms('protein'));
    expect(terms.map(({ readAs }) => readAs)).toEqual([undefined]);
  });
});

describe('a single Chinese character', () => {
  const wordsOf = async (character: string) =>
    ((await wordsWith(index.pool, [spaceId], [character])).get(character) ?? []).map((known) => known.term);

  test('is read as the words of two that hold it', async () => {
    expect((await wordsOf('睡')).toSorted()).toEqual(['早睡', '睡前', '睡眠']);
    expect(await wordsOf('钙')).toEqual(['钙片']);
    expect(await wordsOf('猫')).toEqual([]);
  });

  test('of many is looked for together with the others: each alone would read all terms', async () => {
    let queries = 0;
    const counting: Sql = { query: (text, values) => ((queries += 1), index.pool.query(text, values)) };
    const found = await weighTerms(counting, [space], queryTerms('猫 狗 鸟 鱼 马 牛 羊 睡 早'));
    expect(new Set(found.terms.map(({ readAs }) => readAs))).toEqual(new Set([undefined, '早睡', '睡前', '睡眠']));
    expect(queries).toBe(3);
  });

  test.each(['%', '_', '\\', "'"])('that means something in SQL is a character like any other: %j', async (character) => {
    expect(await wordsOf(character)).toEqual([]);
  });
});

describe('the weight of a term', () => {
  const weighed = async (query: string) => (await weighTerms(index.pool, [space], queryTerms(query))).terms;

  test('is its rarity among all units', async () => {
    const [protein] = await weighed('protein');
    expect(protein).toMatchObject({ term: 'protein', df: 2 });
    expect(protein?.weight).toBeCloseTo(idf(5, 2), 6);
    expect(protein).not.toHaveProperty('readAs');
  });

  test('that was corrected counts less, and says what it was read as', async () => {
    const [term] = await weighed('protien');
    expect(term).toMatchObject({ term: 'protien', readAs: 'protein', df: 2 });
    expect(term?.weight).toBeCloseTo(0.7 * idf(5, 2), 6);
  });

  test('that is nowhere weighs too: it is what an answer lacks', async () => {
    const [term] = await weighed('helicopter');
    expect(term).toMatchObject({ ids: [], df: 0 });
    expect(term?.weight).toBeCloseTo(0.6 * idf(5, 0), 6);
  });

  test('is shared by the words that a character stands for', async () => {
    const terms = await weighed('睡');
    expect(new Set(terms.map(({ readAs }) => readAs))).toEqual(new Set(['早睡', '睡前', '睡眠']));
    expect(terms.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(0.6 * 0.7 * idf(5, 1), 6);
  });

  test('of a question word that is nowhere is not corrected: it would be read as anything', async () => {
    expect((await weighed('suddenly')).map(({ readAs }) => readAs)).toEqual([undefined]);
  });

  test('in no space at all is known of no term', async () => {
    expect(await weighTerms(index.pool, ['nowhere'], queryTerms('protein'))).toMatchObject({
      spaceIds: [],
      units: 0,
      terms: [{ ids: [] }],
    });
  });
});
