import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Deliveries } from './deliveries.js';

test('replies have their turns in the order of their numbers, however they come', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(20), fc.nat(20), fc.infiniteStream(fc.nat()), async (keptCount, newCount, random) => {
      const kept = Array.from({ length: keptCount }, (_, index) => 2 * index + 1);
      const deliveries = new Deliveries(kept);
      const numbers = [...kept, ...Array.from({ length: newCount }, () => deliveries.next())];
      const keys = new Map(numbers.map((number) => [number, random.next().value]));
      const turns: number[] = [];
      const shuffled = numbers.toSorted((a, b) => Number(keys.get(a)) - Number(keys.get(b)));
      await Promise.all(
        shuffled.map(async (number) => {
          if (Number(keys.get(number)) % 2 === 0) await new Promise(setImmediate);
          await deliveries.turn(number);
          turns.push(number);
        }),
      );
      expect(turns).toEqual(numbers);
    }),
    { numRuns: 50 },
  );
});
