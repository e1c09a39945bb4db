import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sanitizeText, TextSanitizer } from './text-sanitizer.js';

/** All pieces, as they may be passed on. */
function pushAll(pieces: readonly string[]): string {
  const sanitizer = new TextSanitizer();
  return pieces.map((piece) => sanitizer.push(piece)).join('');
}

test.each([
  ['a\0b', 'ab'],
  ['\uD83D', '\uFFFD'],
  ['x\uDE00y', 'x\uFFFDy'],
  ['八字 😀', '八字 😀'],
  ['', ''],
])('%j becomes %j', (text, sanitized) => {
  expect(sanitizeText(text)).toBe(sanitized);
});

test('a pair that is cut in two pieces is whole again, and the first half does not appear before the second', () => {
  const sanitizer = new TextSanitizer();
  expect([sanitizer.push('a\uD83D'), sanitizer.push('\uDE00b')]).toEqual(['a', '😀b']);
});

test('a first half that is followed by something else is replaced', () => {
  expect(pushAll(['a\uD83D', 'b'])).toBe('a\uFFFDb');
});

test('well-formed text comes out the same, wherever it is cut', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', '字', '😀', '𠀀') });
  fc.assert(
    fc.property(text, fc.array(fc.nat(40)), (whole, cuts) => {
      const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((a, b) => a - b), whole.length];
      const pieces = places.slice(1).map((end, n) => whole.slice(places[n], end));
      expect(pushAll(pieces)).toBe(whole);
    }),
  );
});

test('no piece has a NUL or half a character, whatever comes', () => {
  const unit = fc.oneof(fc.constantFrom('\0', '\uD83D', '\uDE00', 'a'), fc.string());
  fc.assert(
    fc.property(fc.array(unit), (pieces) => {
      const text = pushAll(pieces);
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toContain('\0');
    }),
  );
});
