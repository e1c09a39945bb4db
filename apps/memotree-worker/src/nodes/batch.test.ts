import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Rejection } from '../rejection.js';
import { batchMessage, batchWarnings, runBatch } from './batch.js';

/** Rejects negative numbers. */
const each = async (n: number): Promise<number> => {
  if (n < 0) throw new Rejection('NODE_NOT_FOUND', `There is no ${n}`, { n });
  return n * 2;
};

test('items run one after the other, in their order', async () => {
  const seen: string[] = [];
  const outcome = await runBatch(['a', 'b'], {
    atomic: true,
    each: async (item) => {
      seen.push(`${item} begins`);
      await Promise.resolve();
      seen.push(`${item} ends`);
      return item;
    },
  });
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  expect(outcome).toEqual({
    succeeded: 2,
    failed: 0,
    results: [
      { index: 0, success: true, data: 'a' },
      { index: 1, success: true, data: 'b' },
    ],
  });
});

test('an atomic batch is refused with its first refusal, which names the item', async () => {
  const later: number[] = [];
  const batch = runBatch([1, -2, 3], { atomic: true, each: async (n) => (n === 3 ? later.push(n) : each(n)) });
  await expect(batch).rejects.toMatchObject({
    literal: 'NODE_NOT_FOUND',
    message: 'Item 1: There is no -2. Nothing was changed',
    extra: { n: -2, index: 1 },
  });
  expect(later).toEqual([]);
});

describe('a batch that is not atomic', () => {
  test('goes on after a refusal, and each item has its outcome', async () => {
    const outcome = await runBatch([-1, 2], { atomic: false, each });
    expect(outcome).toEqual({
      succeeded: 1,
      failed: 1,
      results: [
        { index: 0, success: false, errorCode: 'NODE_NOT_FOUND', message: 'There is no -1' },
        { index: 1, success: true, data: 4 },
      ],
    });
    expect(batchMessage('Created', outcome)).toBe('Created 1 nodes; 1 were refused');
    expect(batchWarnings(outcome)).toEqual(['Item 0: There is no -1']);
  });

  test('ends with a fault of ours, which is no outcome of an item', async () => {
    const broken = async (): Promise<never> => {
      throw new TypeError('broken');
    };
    await expect(runBatch([1], { atomic: false, each: broken })).rejects.toThrow(TypeError);
  });

  test('counts as many outcomes as items, whichever of them are refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -5, max: 5 })), async (items) => {
        const outcome = await runBatch(items, { atomic: false, each });
        expect(outcome.results.map(({ index }) => index)).toEqual(items.map((_, index) => index));
        expect(outcome.failed).toBe(items.filter((n) => n < 0).length);
        expect(outcome.succeeded + outcome.failed).toBe(items.length);
      }),
    );
  });
});

test('a batch without refusals says so', async () => {
  const outcome = await runBatch([1], { atomic: false, each });
  expect([batchMessage('Updated', outcome), batchWarnings(outcome)]).toEqual(['Updated 1 nodes', []]);
});
