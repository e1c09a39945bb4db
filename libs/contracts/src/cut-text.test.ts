import { expect, test } from '@jest/globals';
import { cutText, withEllipsis } from './cut-text.js';

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

test.each([
  ['exactly', 7, 'exactly'],
  ['too long', 4, 'too…'],
  ['x😀yz', 3, 'x…'],
])('%j within %d with an ellipsis is %j', (text, most, cut) => {
  expect(withEllipsis(text, most)).toBe(cut);
});
