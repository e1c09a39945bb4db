import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hashedNgrams } from '../embedding/hashed-ngrams.js';
import { unitLength, type Embedder } from '../embedding/embedder.js';
import { inTransaction } from '../sql.js';
import { removeUnits } from '../keyword/write-units.js';
import { TestIndex } from '../test-index.js';
import { VectorIndex } from './vector-index.js';
import {
  indexWhenLarge,
  literal,
  nearestVectors,
  openModel,
  putVectors,
  tableOf,
  unitsWithoutVector,
  type VectorModel,
} from './vector-store.js';

const index = new TestIndex();
const [space, other] = [index.space('vectors'), index.space('other')];
const dimension = 4;
const embedder = index.embedder('model', { ...hashedNgrams(dimension) });
let model: VectorModel;
let ids: ReadonlyMap<string, number>;
let spaceIds: readonly number[];

beforeAll(async () => {
  model = await openModel(index.pool, embedder.name, dimension);
  const unit = (number: number, label: string) => ({ ref: `u${number}`, fields: [{ text: `word${number}` }], labels: [label] });
  ids = await index.put(
    space,
    Array.from({ length: 12 }, (_, n) => unit(n, n % 2 === 0 ? 'even' : 'odd')),
  );
  await index.put(other, [unit(99, 'even')]);
  const { rows } = await index.pool.query<{ id: number }>('SELECT id FROM retrieval_space WHERE name = $1', [space]);
  spaceIds = rows.map(({ id }) => id);
});
afterAll(() => index.close());

const idOf = (ref: string) => ids.get(ref) ?? 0;
const near = (vector: readonly number[], more: object = {}) =>
  nearestVectors(index.pool, model, { vector: Float32Array.from(vector), spaceIds, units: 12, filter: {}, limit: 20, ...more });

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]) => x.reduce((sum, value, at) => sum + value * (y[at] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

describe('a model', () => {
  test('is made once, also when several ask at the same time', async () => {
    const own = index.embedder('at-once', embedder);
    const models = await Promise.all(Array.from({ length: 4 }, () => openModel(index.pool, own.name, 3)));
    expect(new Set(models.map(({ id }) => id)).size).toBe(1);
  });

  test('of another dimension is another one', async () => {
    expect((await openModel(index.pool, embedder.name, dimension)).id).toBe(model.id);
    expect((await openModel(index.pool, embedder.name, dimension + 1)).id).not.toBe(model.id);
  });

  test('whose vectors are too long for an index needs none', async () => {
    expect(await indexWhenLarge(index.pool, { id: model.id, dimension: 2_001 })).toBe(true);
    expect(await indexWhenLarge(index.pool, model)).toBe(false);
  });
});

describe('the nearest vectors', () => {
  test('are those of highest cosine, in their order, for any vectors', async () => {
    const component = fc.integer({ min: -9, max: 9 });
    const vector = fc.array(component, { minLength: dimension, maxLength: dimension }).filter((all) => all.some((value) => value !== 0));
    await fc.assert(
      fc.asyncProperty(fc.array(vector, { minLength: 1, maxLength: 12 }), vector, async (stored, asked) => {
        await index.pool.query(`DELETE FROM ${tableOf(model)}`);
        await putVectors(index.pool, model, new Map(stored.map((one, n) => [idOf(`u${n}`), Float32Array.from(one)])));
        const hits = await near(asked);
        const expected = new Map(stored.map((one, n) => [idOf(`u${n}`), cosine(one, asked)]));
        expect(new Set(hits.map(({ unitId }) => unitId))).toEqual(new Set(expected.keys()));
        for (const { unitId, similarity } of hits) expect(similarity).toBeCloseTo(expected.get(unitId) ?? NaN, 4);
        expect(hits.map(({ similarity }) => similarity)).toEqual(hits.map(({ similarity }) => similarity).toSorted((a, b) => b - a));
      }),
      { numRuns: 15 },
    );
  });

  describe('among stored ones', () => {
    beforeAll(async () => {
      await index.pool.query(`DELETE FROM ${tableOf(model)}`);
      const vectors = [...ids].map(([ref, id]): [number, Float32Array] => [id, Float32Array.from([1, Number(ref.slice(1)), 0, 0])]);
      await putVectors(index.pool, model, new Map(vectors));
    });

    test('are as many as asked for', async () => {
      expect((await near([1, 0, 0, 0], { limit: 2 })).map(({ unitId }) => unitId)).toEqual([idOf('u0'), idOf('u1')]);
    });

    test.each([12, 5_000])('pass the filter, whether %i units are compared one by one or by the index', async (units) => {
      const hits = await near([1, 0, 0, 0], { units, filter: { all: ['odd'] } });
      expect(hits.map(({ unitId }) => unitId).slice(0, 2)).toEqual([idOf('u1'), idOf('u3')]);
      expect(hits).toHaveLength(6);
    });

    test('lie in the spaces asked for', async () => {
      expect(await near([1, 0, 0, 0], { spaceIds: [] })).toEqual([]);
    });

    test('go with their units', async () => {
      await inTransaction(index.pool, (sql) => removeUnits(sql, space, ['u11']));
      expect((await near([0, 1, 0, 0])).map(({ unitId }) => unitId)).not.toContain(idOf('u11'));
    });

    test('are replaced by a later one of the same unit', async () => {
      await putVectors(index.pool, model, new Map([[idOf('u10'), Float32Array.from([1, 0, 0, 0])]]));
      expect(new Set((await near([1, 0, 0, 0], { limit: 2 })).map(({ unitId }) => unitId))).toEqual(new Set([idOf('u0'), idOf('u10')]));
    });

    test('of a unit that is gone are not stored, and that is no error', async () => {
      await expect(putVectors(index.pool, model, new Map([[2_000_000_000, Float32Array.from([1, 0, 0, 0])]]))).resolves.toBeUndefined();
    });
  });
});

describe('an index of vectors', () => {
  test('names the units that it lacks, oldest first and page by page', async () => {
    const mine = new VectorIndex(index.pool, index.embedder('missing', hashedNgrams(8)));
    const own = [...ids.values()];
    const lacking: number[] = [];
    for (let after = Math.min(...own) - 1; ;) {
      const page = await mine.missing({ after, limit: 5 });
      lacking.push(...page.map(({ id }) => id));
      if (page.length < 5) break;
      after = page.at(-1)?.id ?? 0;
    }
    expect(lacking).toEqual(lacking.toSorted((a, b) => a - b));
    expect(lacking).toEqual(expect.arrayContaining([idOf('u0'), idOf('u9')]));
    await mine.put(new Map([[idOf('u0'), 'word0']]));
    const now = await unitsWithoutVector(index.pool, await mine.model(), { after: Math.min(...own) - 1, limit: 100 });
    expect(now.map(({ id }) => id)).not.toContain(idOf('u0'));
    expect(now.find(({ id }) => id === idOf('u9'))).toEqual({ id: idOf('u9'), space, ref: 'u9' });
  });

  test('asks its embedder for nothing when there is nothing to embed', async () => {
    const failing: Embedder = { ...embedder, embed: () => Promise.reject(new Error('asked')) };
    await expect(new VectorIndex(index.pool, failing).put(new Map())).resolves.toBeUndefined();
    await expect(new VectorIndex(index.pool, failing).put(new Map([[1, 'text']]))).rejects.toThrow('asked');
  });

  test('says so when its embedder gives no vector', async () => {
    const silent: Embedder = { ...embedder, embed: () => Promise.resolve([]) };
    await expect(new VectorIndex(index.pool, silent).embedQuery('x')).rejects.toThrow(/gave no vector/);
  });
});

test.each([
  [[1, -0.5], '[1.00000,-0.500000]'],
  [[1 / 3], '[0.333333]'],
  [[0], '[0.00000]'],
])('the vector %j is written as %s', (vector, text) => {
  expect(literal(Float32Array.from(vector))).toBe(text);
});

test('a vector is brought to the length one, and one without direction stays', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -99, max: 99 }), { minLength: 1, maxLength: 8 }), (values) => {
      const unit = unitLength(Float32Array.from(values));
      const norm = Math.sqrt(unit.reduce((sum, value) => sum + value * value, 0));
      expect(norm).toBeCloseTo(values.every((value) => value === 0) ? 0 : 1, 5);
    }),
  );
});
