import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { idOf } from '../test-states.js';
import { linkedIds } from './linked-ids.js';

test.each([
  ['[[0123456789ab]]', ['0123456789ab']],
  ['[[root]]', ['root']],
  ['[[0123456789ab|words]]', ['0123456789ab']],
  ['| [[0123456789ab\\|in a table]] |', ['0123456789ab']],
  ['![[0123456789ab]]', ['0123456789ab']],
  ['[[0123456789ab|]]', ['0123456789ab']],
  ['[[0123456789ab]][[root]]', ['0123456789ab', 'root']],
  ['[[root]] [[0123456789ab]] [[root|again]]', ['root', '0123456789ab']],
])('%j points to %j', (text, ids) => expect(linkedIds(text)).toEqual(ids));

test.each([
  '',
  '[[]]',
  '[0123456789ab]',
  '[[0123456789a]]',
  '[[0123456789abc]]',
  '[[0123456789AB]]',
  '[[ 0123456789ab ]]',
  '[[roots]]',
  '[[Backoff]]',
  '[[0123456789ab|two\nlines]]',
  '[[0123456789ab|[nested]]]',
])('%j points to nothing', (text) => expect(linkedIds(text)).toEqual([]));

test('every id that is written as a link is found once, in the order of first mention', () => {
  const link = fc.tuple(fc.integer({ min: 0, max: 5 }), fc.constantFrom('', '|words', '\\|cell'), fc.constantFrom(' ', '\n', ' text '));
  fc.assert(
    fc.property(fc.array(link), (links) => {
      const text = links.map(([n, words, after]) => `[[${idOf(n)}${words}]]${after}`).join('');
      expect(linkedIds(text)).toEqual([...new Set(links.map(([n]) => idOf(n)))]);
    }),
  );
});
