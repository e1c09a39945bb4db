import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { LabelFilter } from '../filter.js';
import { inTransaction } from '../sql.js';
import { TestIndex } from '../test-index.js';
import { queryTerms } from '../text/query-terms.js';
import { idf, impactUnit } from './bm25.js';
import { keywordLeg, listsOf } from './keyword-leg.js';
import { moveUnits } from './move-units.js';
import { unitTerms } from './unit-terms.js';
import { weighTerms } from './weigh-terms.js';
import { dropSpace, putUnits, removeUnits, type NewUnit } from './write-units.js';

const index = new TestIndex();
afterAll(() => index.close());

// Words that no stemmer changes and no list of common words has.
const words = ['zorq', 'vix', 'plam', 'quof', 'brax'] as const;
const labels = ['a', 'b', 'c'] as const;
const text = fc.array(fc.constantFrom(...words), { maxLength: 8 }).map((all) => all.join(' '));
const anyUnit = fc.record({ title: text, body: text, labels: fc.subarray([...labels]) });
const corpus = fc.array(anyUnit, { maxLength: 8 }).map((units) =>
  units.map(({ title, body, labels: own }, number): NewUnit => ({
    ref: `u${number}`,
    fields: [{ text: title, weight: 3, isHead: true }, { text: body }],
    labels: own,
  })),
);
const question = fc.subarray([...words], { minLength: 1 }).map((asked) => asked.join(' '));

function passes({ labels: own = [], ref }: NewUnit, { refs, all = [], anyOf = [], none = [] }: LabelFilter): boolean {
  return (
    (refs?.includes(ref) ?? true) &&
    all.every((label) => own.includes(label)) &&
    anyOf.every((group) => group.some((label) => own.includes(label))) &&
    !none.some((label) => own.includes(label))
  );
}

/** BM25 by its definition, over all units one by one. */
function naive(units: readonly NewUnit[], query: string, filter: LabelFilter): ReadonlyMap<string, number> {
  const analysed = units.map((unit) => ({ unit, terms: new Map(unitTerms(unit.fields).terms.map(({ term, impact }) => [term, impact])) }));
  const scores = new Map<string, number>();
  for (const { term, weight } of queryTerms(query)) {
    const holding = analysed.filter(({ terms }) => terms.has(term));
    for (const { unit, terms } of holding)
      if (passes(unit, filter))
        scores.set(
          unit.ref,
          (scores.get(unit.ref) ?? 0) + weight * idf(units.length, holding.length) * (terms.get(term) ?? 0) * impactUnit,
        );
  }
  return scores;
}

async function asked(space: string, query: string, filter: LabelFilter = {}): Promise<ReadonlyMap<string, number>> {
  const lists = listsOf(await weighTerms(index.pool, [space], queryTerms(query)));
  const { hits } = await keywordLeg(index.pool, { lists, filter, depth: 100, limit: 100 });
  const { rows } = await index.pool.query<{ id: number; ref: string }>('SELECT id, ref FROM retrieval_unit WHERE id = ANY($1)', [
    hits.map(({ id }) => id),
  ]);
  const refs = new Map(rows.map(({ id, ref }) => [id, ref]));
  expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a));
  return new Map(hits.map(({ id, score }) => [refs.get(id) ?? '', score]));
}

function expectSame(found: ReadonlyMap<string, number>, expected: ReadonlyMap<string, number>): void {
  expect([...found.keys()].toSorted()).toEqual([...expected.keys()].toSorted());
  for (const [ref, score] of expected) expect(found.get(ref)).toBeCloseTo(score, 4);
}

describe('a search by keywords', () => {
  test('finds what BM25 by its definition finds, with the same scores, under any filter', async () => {
    const filter = fc.record(
      { all: fc.subarray([...labels]), none: fc.subarray([...labels]), anyOf: fc.array(fc.subarray([...labels]), { maxLength: 2 }) },
      { requiredKeys: [] },
    );
    const space = index.space('naive');
    await fc.assert(
      fc.asyncProperty(corpus, question, filter, async (units, query, which) => {
        await inTransaction(index.pool, (sql) => dropSpace(sql, space));
        await index.put(space, units);
        expectSame(await asked(space, query), naive(units, query, {}));
        expectSame(await asked(space, query, which), naive(units, query, which));
        const some = { ...which, refs: ['u0', 'u2', 'nowhere'] };
        expectSame(await asked(space, query, some), naive(units, query, some));
      }),
      { numRuns: 15 },
    );
  });

  test('reads of each term the units of highest impact alone, as many as it may', async () => {
    const space = index.space('depth');
    const units = Array.from({ length: 12 }, (_, n): NewUnit => ({ ref: `u${n}`, fields: [{ text: 'zorq '.repeat(n + 1) }] }));
    const ids = await index.put(space, units);
    const lists = listsOf(await weighTerms(index.pool, [space], queryTerms('zorq')));
    const read = async (depth: number) => (await keywordLeg(index.pool, { lists, filter: {}, depth, limit: 100 })).hits.map(({ id }) => id);
    const best = units.map(({ ref }) => ids.get(ref)).toReversed();
    expect(await read(3)).toEqual(best.slice(0, 3));
    expect(await read(100)).toEqual(best);
  });

  test('does not see what came after its snapshot', async () => {
    const space = index.space('upto');
    const first = await index.put(space, [{ ref: 'a', fields: [{ text: 'zorq' }] }]);
    const upTo = first.get('a');
    await index.put(space, [{ ref: 'b', fields: [{ text: 'zorq' }] }]);
    const lists = listsOf(await weighTerms(index.pool, [space], queryTerms('zorq')));
    for (const filter of [{}, { refs: ['a', 'b'] }]) {
      const { hits, found } = await keywordLeg(index.pool, { lists, filter, depth: 10, limit: 10, upTo });
      expect([hits.map(({ id }) => id), found]).toEqual([[upTo], 1]);
    }
  });

  test('counts what it found beyond its limit', async () => {
    const space = index.space('limit');
    await index.put(
      space,
      Array.from({ length: 5 }, (_, n): NewUnit => ({ ref: `u${n}`, fields: [{ text: 'vix' }] })),
    );
    const lists = listsOf(await weighTerms(index.pool, [space], queryTerms('vix')));
    expect(await keywordLeg(index.pool, { lists, filter: {}, depth: 10, limit: 2 })).toMatchObject({ found: 5, hits: { length: 2 } });
    expect(await keywordLeg(index.pool, { lists: [], filter: {}, depth: 10, limit: 2 })).toEqual({ found: 0, hits: [] });
  });
});

/** What the index holds of a space, without the ids. */
async function contents(space: string): Promise<unknown> {
  const { rows } = await index.pool.query(
    `SELECT s.units, s.total_length, (SELECT jsonb_object_agg(term, df) FROM retrieval_term t WHERE t.space_id = s.id AND df <> 0) AS terms,
       (SELECT jsonb_agg(jsonb_build_array(u.ref, t.term, p.impact) ORDER BY u.ref, t.term)
        FROM retrieval_posting p JOIN retrieval_term t ON t.id = p.term_id JOIN retrieval_unit u ON u.id = p.unit_id WHERE t.space_id = s.id) AS postings
     FROM retrieval_space s WHERE name = $1`,
    [space],
  );
  return rows[0] ?? { units: 0, total_length: '0', terms: null, postings: null };
}

describe('the index', () => {
  test('holds after any changes what it would hold if only what is left had been put there', async () => {
    const put = corpus.map((units) => ({ kind: 'put' as const, units }));
    const remove = fc.array(fc.constantFrom('u0', 'u1', 'u2', 'u9')).map((refs) => ({ kind: 'remove' as const, refs }));
    const [changed, fresh] = [index.space('changed'), index.space('fresh')];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(put, remove), { maxLength: 4 }), async (changes) => {
        for (const space of [changed, fresh]) await inTransaction(index.pool, (sql) => dropSpace(sql, space));
        const left = new Map<string, NewUnit>();
        for (const change of changes) {
          if (change.kind === 'put') {
            await index.put(changed, change.units);
            for (const unit of change.units) left.set(unit.ref, unit);
          } else {
            await inTransaction(index.pool, (sql) => removeUnits(sql, changed, change.refs));
            for (const ref of change.refs) left.delete(ref);
          }
        }
        await index.put(fresh, [...left.values()]);
        expect(await contents(changed)).toEqual(await contents(fresh));
      }),
      { numRuns: 10 },
    );
  });

  test('takes the last of two units of one name', async () => {
    const space = index.space('twice');
    const ids = await index.put(space, [
      { ref: 'a', fields: [{ text: 'zorq' }] },
      { ref: 'a', fields: [{ text: 'vix' }] },
    ]);
    expect(ids.size).toBe(1);
    expect([[...(await asked(space, 'zorq')).keys()], [...(await asked(space, 'vix')).keys()]]).toEqual([[], ['a']]);
  });

  test('keeps nothing of a transaction that was rolled back', async () => {
    const space = index.space('rollback');
    await index.put(space, [{ ref: 'a', fields: [{ text: 'zorq' }] }]);
    const before = await contents(space);
    const failing = inTransaction(index.pool, async (sql) => {
      await putUnits(sql, space, [{ ref: 'b', fields: [{ text: 'zorq vix' }] }]);
      await removeUnits(sql, space, ['a']);
      throw new Error('the owner failed');
    });
    await expect(failing).rejects.toThrow('the owner failed');
    expect(await contents(space)).toEqual(before);
  });

  test('counts right when several write to one space at once', async () => {
    const [together, fresh] = [index.space('together'), index.space('alone')];
    const units = Array.from({ length: 8 }, (_, n): NewUnit => ({ ref: `u${n}`, fields: [{ text: `zorq ${words[n % 5]}` }] }));
    await Promise.all(units.map((unit) => index.put(together, [unit])));
    await index.put(fresh, units);
    expect(await contents(together)).toEqual(await contents(fresh));
  });

  test('moves units with all that it knows of them, whatever stood in their place', async () => {
    const [from, to, fresh] = [index.space('from'), index.space('to'), index.space('expected')];
    await fc.assert(
      fc.asyncProperty(corpus, corpus, fc.subarray(['u0', 'u1', 'u2', 'u3']), async (draft, main, refs) => {
        for (const space of [from, to, fresh]) await inTransaction(index.pool, (sql) => dropSpace(sql, space));
        await index.put(from, draft);
        await index.put(to, main);
        const moved = draft.filter(({ ref }) => refs.includes(ref));
        const ids = await inTransaction(index.pool, (sql) => moveUnits(sql, { from, to, refs }));
        expect(ids.length).toBe(moved.length);
        // A name that is not there to move still takes its place away: the owner asked for it.
        const kept = main.filter(({ ref }) => !refs.includes(ref));
        await index.put(fresh, [...kept, ...moved]);
        expect(await contents(to)).toEqual(await contents(fresh));
        await inTransaction(index.pool, (sql) => dropSpace(sql, fresh));
        await index.put(
          fresh,
          draft.filter(({ ref }) => !refs.includes(ref)),
        );
        expect(await contents(from)).toEqual(await contents(fresh));
      }),
      { numRuns: 10 },
    );
  });

  test('is left alone by removing nothing, and by dropping what is not there', async () => {
    const space = index.space('nothing');
    await inTransaction(index.pool, async (sql) => {
      await removeUnits(sql, space, []);
      expect(await putUnits(sql, space, [])).toEqual(new Map());
      expect(await moveUnits(sql, { from: space, to: space, refs: [] })).toEqual([]);
      await dropSpace(sql, space);
    });
    expect((await index.pool.query('SELECT 1 FROM retrieval_space WHERE name = $1', [space])).rows).toEqual([]);
  });
});
