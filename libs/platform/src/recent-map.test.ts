import { expect, test } from '@jest/globals';
import { RecentMap } from './recent-map.js';

test('keeps the entries that were set last', () => {
  const map = new RecentMap<string, number>(2);
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});
