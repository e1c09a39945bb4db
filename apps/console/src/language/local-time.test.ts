import { expect, test } from '@jest/globals';
import { isoOf, localOf } from './local-time.js';

test('a moment goes to the clock of the reader and back', () => {
  const iso = '2026-11-27T09:30:00.000Z';
  expect(localOf(iso)).toMatch(/^2026-11-2\dT\d\d:\d\d$/);
  expect(isoOf(localOf(iso))).toBe(iso);
});

test.each([null, undefined, '', 'yesterday'])('%j is an empty field', (none) => expect(localOf(none)).toBe(''));

test.each(['', 'soon'])('%j is no moment', (typed) => expect(isoOf(typed)).toBe(''));
