import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { cutText, workerLimits } from './worker-limits.js';

test.each([
  ['short', 10, 'short'],
  ['exactly', 7, 'exactly'],
  ['too long', 3, 'too'],
  ['x😀', 3, 'x😀'],
  ['x😀y', 2, 'x'],
  ['😀😀', 3, '😀'],
  ['a\ud83db', 3, 'a\u{fffd}b'],
  ['a\ud83d', 2, 'a\u{fffd}'],
])('%j within %d is %j', (text, most, cut) => {
  expect(cutText(text, most)).toBe(cut);
  expect(cutText(text, most).isWellFormed()).toBe(true);
});

test('the client for Python has these limits: `npm run format` writes them', () => {
  expect(JSON.parse(readFileSync('clients/python/src/invoq/limits.json', 'utf8'))).toEqual(workerLimits);
});
