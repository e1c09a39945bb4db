import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Refusal } from '#lib/contracts';
import { Cursors, jobPlace } from './cursors.js';

const newCursors = () => new Cursors([{ id: 'k1', key: randomBytes(32) }], jobPlace);
const cursors = newCursors();
const place = { before: 1_795_264_433_645, skip: ['inv_profile_a'] };

test('a cursor leads back to its place, for its own query alone', () => {
  const cursor = cursors.seal(place, 'mine');
  expect(cursors.open(cursor, 'mine')).toEqual(place);
  expect(() => cursors.open(cursor, 'theirs')).toThrow(Refusal);
  expect(() => newCursors().open(cursor, 'mine')).toThrow(Refusal);
});

test('edited and made-up cursors are refused, and never a fault of ours', () => {
  const cursor = cursors.seal(place, 'mine');
  fc.assert(
    fc.property(fc.nat(cursor.length - 1), fc.constantFrom('A', 'z', '.', '0'), (at, character) => {
      const edited = cursor.slice(0, at) + character + cursor.slice(at + 1);
      if (edited !== cursor) expect(() => cursors.open(edited, 'mine')).toThrow(Refusal);
    }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constant('eyJvZmZzZXQiOjEwfQ=='), fc.constant(undefined)), (text) =>
      expect(() => cursors.open(text, 'mine')).toThrow(Refusal),
    ),
  );
});
