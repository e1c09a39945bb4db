import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import type { SealingKey } from './sealing.js';
import { SignedCursors } from './signed-cursors.js';

const newKey = (id: string) => ({ id, key: randomBytes(32) });
const cursorsWith = (...keys: SealingKey[]) => new SignedCursors(keys, z.tuple([z.number(), z.string()]));
const cursors = cursorsWith(newKey('k1'));

describe('a signed cursor', () => {
  test('opens to the place that it was made of, for the same query', () => {
    fc.assert(
      fc.property(fc.integer(), fc.string(), fc.string(), (at, id, binding) => {
        expect(cursors.open(cursors.seal([at, id], binding), binding)).toEqual([at, id]);
      }),
    );
  });

  test('opens to nothing for another query', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (binding, other) => {
        fc.pre(binding !== other);
        expect(cursors.open(cursors.seal([1, 'a'], binding), other)).toBeNull();
      }),
    );
  });

  test('opens to nothing once any character of it is changed', () => {
    const cursor = cursors.seal([1, 'a'], 'q');
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), fc.constantFrom('a', 'Z', '0', '-', '_', '.'), (at, character) => {
        fc.pre(cursor[at] !== character);
        const edited = cursor.slice(0, at) + character + cursor.slice(at + 1);
        expect(cursors.open(edited, 'q')).toBeNull();
      }),
    );
  });

  test.each([undefined, null, 7, '', '.', 'a.b', {}, ['x']])('%j opens to nothing', (cursor) => {
    expect(cursors.open(cursor, 'q')).toBeNull();
  });

  test('made with another key opens to nothing', () => {
    expect(cursors.open(cursorsWith(newKey('k1')).seal([1, 'a'], 'q'), 'q')).toBeNull();
  });

  test('is signed with the first key, and opens wherever that key is known, first or not', () => {
    const [older, newer] = [newKey('older'), newKey('newer')];
    const cursor = cursorsWith(newer, older).seal([1, 'a'], 'q');
    for (const keys of [[newer], [newer, older], [older, newer]]) expect(cursorsWith(...keys).open(cursor, 'q')).toEqual([1, 'a']);
    expect(cursorsWith(older).open(cursor, 'q')).toBeNull();
  });
});
