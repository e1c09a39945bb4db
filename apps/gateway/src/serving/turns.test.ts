import { expect, test } from '@jest/globals';
import { Turns } from './turns.js';

const worker = (credentialId: string, size: number, free = size) => ({ credentialId, size, free });

/** Who runs so many attempts that end at once, or never. */
function runs(workers: readonly ReturnType<typeof worker>[], count: number, areOver = true): readonly (string | undefined)[] {
  const turns = new Turns();
  return Array.from({ length: count }, () => {
    const next = turns.next(workers);
    if (next && !areOver) next.free -= 1;
    return next?.credentialId;
  });
}
const countOf = (of: string, all: readonly (string | undefined)[]) => all.filter((one) => one === of).length;

test('a key that says more concurrency gets no more calls than another', () => {
  expect(countOf('large', runs([worker('small', 4), worker('large', 256)], 12))).toBe(6);
  expect(countOf('large', runs([worker('large', 256), worker('large', 256), worker('large', 256), worker('small', 1)], 12))).toBe(6);
});

test('what one key has no place for goes to the other', () => {
  const all = runs([worker('small', 2), worker('large', 64)], 12, false);
  expect([countOf('small', all), countOf('large', all)]).toEqual([2, 10]);
  expect(runs([worker('small', 1)], 2, false)).toEqual(['small', undefined]);
});

test('of the workers of a key, the one with the largest part of its places free is next', () => {
  const [small, large] = [worker('k', 2, 2), worker('k', 64, 32)];
  expect(new Turns().next([large, small])).toBe(small);
});
