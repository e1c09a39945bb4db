import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MemoryIndex } from './memory-index.js';

const named = (...names: readonly string[]) => new MemoryIndex(names.map((name) => [{ text: name, weight: 4, isHead: true }]));
const placesOf = (index: MemoryIndex, query: string, others?: ReadonlyMap<string, readonly string[]>) =>
  index.search(query, others).map(({ place }) => place);

test('a unit that has more of the words comes first, and one that says little else before one that says more', () => {
  const index = named('create_issue_link', 'create_issue', 'delete_issue', 'create_branch');
  expect(placesOf(index, 'create an issue').slice(0, 2)).toEqual([1, 0]);
  expect(placesOf(index, 'delete the issues')[0]).toBe(2);
  expect(placesOf(index, 'weather')).toEqual([]);
});

test('a word that stands for another finds it, and counts less than the word itself', () => {
  const others = new Map([['remov', ['delet']]]);
  const index = named('delete_label', 'remove_label');
  expect(placesOf(index, 'remove label')).toEqual([1, 0].slice(0, 2));
  expect(placesOf(index, 'remove')).toEqual([1]);
  expect(placesOf(index, 'remove', others)).toEqual([1, 0]);
});

test('Chinese is found by parts of its words, in both scripts', () => {
  const index = named('查询城市天气', '骑行路线规划');
  expect(placesOf(index, '天氣怎么样')).toEqual([0]);
  expect(placesOf(index, '路线')).toEqual([1]);
});

test('every unit is found by its own text, and scores are finite and sorted', () => {
  const word = fc.stringMatching(/^[b-df-hj-np-tv-z]{4,9}$/);
  fc.assert(
    fc.property(fc.array(fc.array(word, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 20 }), (units) => {
      const index = named(...units.map((words) => words.join(' ')));
      for (const [place, words] of units.entries()) {
        const found = index.search(words.join(' '));
        expect(found.map((one) => one.place)).toContain(place);
        expect(found.every(({ score }, at) => score > 0 && Number.isFinite(score) && score <= (found[at - 1]?.score ?? score))).toBe(true);
      }
    }),
  );
});
