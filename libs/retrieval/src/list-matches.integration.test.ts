import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { inTransaction } from './sql.js';
import { dropSpace, removeUnits, type NewUnit } from './keyword/write-units.js';
import { listMatches } from './list-matches.js';
import { TestIndex } from './test-index.js';

const index = new TestIndex();
const space = index.space('list');
afterAll(() => index.close());

/** Documents of several parts; the n-th says the word n times more often than the first. */
const guides = Array.from({ length: 9 }, (_, n): NewUnit[] => [
  { ref: `g${n}#1`, parent: `g${n}`, fields: [{ text: `vix ${'vix '.repeat(n)}` }], labels: [n % 2 ? 'odd' : 'even'] },
  { ref: `g${n}#2`, parent: `g${n}`, fields: [{ text: `vix plam ${n}` }], labels: ['second'] },
]).flat();

beforeAll(() => index.put(space, [...guides, { ref: 'alone', fields: [{ text: 'vix' }] }]));

const list = (more: Partial<Parameters<typeof listMatches>[1]> = {}) =>
  listMatches(index.pool, { spaces: [space], query: 'vix', offset: 0, limit: 100, ...more });

describe('a list of matches', () => {
  test('names each document once, by its best part, and a unit without a parent by itself', async () => {
    const { matches, found } = await list();
    expect([matches.length, found]).toEqual([10, 10]);
    expect(new Set(matches.map(({ whole }) => whole)).size).toBe(10);
    expect(matches[0]).toMatchObject({ space, whole: 'g8', ref: 'g8#1' });
    expect(matches.find(({ whole }) => whole === 'alone')?.ref).toBe('alone');
    expect(matches.map(({ score }) => score)).toEqual(matches.map(({ score }) => score).toSorted((a, b) => b - a));
  });

  test('is the same in pages of any size', async () => {
    const all = await list();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), async (limit) => {
        const pages = [];
        for (let offset = 0; offset < all.found; offset += limit)
          pages.push(...(await list({ offset, limit, snapshot: all.snapshot })).matches);
        expect(pages).toEqual(all.matches);
      }),
      { numRuns: 12 },
    );
  });

  test('passes its filter', async () => {
    expect((await list({ filter: { all: ['odd'] } })).matches.map(({ ref }) => ref)).toEqual(['g7#1', 'g5#1', 'g3#1', 'g1#1']);
    expect((await list({ filter: { refs: ['alone', 'g0#2'] } })).matches.map(({ ref }) => ref).toSorted()).toEqual(['alone', 'g0#2']);
  });

  test('of nothing is empty: no word, no such word, no such space, beyond the end', async () => {
    for (const more of [{ query: '' }, { query: 'the' }, { query: 'helicopter' }, { spaces: ['nowhere'] }])
      expect(await list(more)).toMatchObject({ matches: [], found: 0 });
    expect(await list({ offset: 50 })).toMatchObject({ matches: [] });
  });
});

test('later pages do not see what was added, nor what was removed', async () => {
  const mine = index.space('changing');
  const unit = (ref: string): NewUnit => ({ ref, fields: [{ text: `vix ${ref}` }] });
  await index.put(mine, ['a', 'b', 'c', 'd'].map(unit));
  const ask = (snapshot?: Awaited<ReturnType<typeof list>>['snapshot']) => list({ spaces: [mine], ...(snapshot && { snapshot }) });
  const first = await ask();
  await index.put(mine, [unit('new'), unit('b')]);
  await inTransaction(index.pool, (sql) => removeUnits(sql, mine, ['c']));
  const refs = async (snapshot?: typeof first.snapshot) => (await ask(snapshot)).matches.map(({ ref }) => ref).toSorted();
  // A unit that was replaced is a new one.
  expect(await refs(first.snapshot)).toEqual(['a', 'd']);
  expect(await refs()).toEqual(['a', 'b', 'd', 'new']);
});

test('a snapshot keeps its order when the rarity of words changes', async () => {
  const mine = index.space('weights');
  await index.put(mine, [
    { ref: 'a', fields: [{ text: 'zorq' }] },
    { ref: 'b', fields: [{ text: 'plam plam plam' }] },
  ]);
  const ask = (snapshot?: Awaited<ReturnType<typeof list>>['snapshot']) =>
    list({ spaces: [mine], query: 'zorq plam', ...(snapshot && { snapshot }) });
  const first = await ask();
  await index.put(
    mine,
    Array.from({ length: 30 }, (_, n): NewUnit => ({ ref: `n${n}`, fields: [{ text: 'plam' }] })),
  );
  expect((await ask(first.snapshot)).matches).toEqual(first.matches);
  expect(JSON.stringify(first.snapshot).length).toBeLessThan(100);
  await inTransaction(index.pool, (sql) => dropSpace(sql, mine));
  expect((await ask(first.snapshot)).matches).toEqual([]);
});
