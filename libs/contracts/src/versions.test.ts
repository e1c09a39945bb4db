import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareVersions } from './versions.js';

test.each([
  ['1.0.0', '1.0.0', 0],
  ['1.0.0', '1.0.1', -1],
  ['1.10.0', '1.9.0', 1],
  ['2.0.0', '10.0.0', -1],
  ['1.2.3', '1.3.0', -1],
  ['0.0.10', '0.0.9', 1],
])('%s beside %s is %i', (a, b, order) => {
  expect(Math.sign(compareVersions(a, b))).toBe(order);
  expect(Math.sign(compareVersions(b, a))).toBe(order === 0 ? 0 : -order);
});

test('versions are ordered as their three numbers are', () => {
  const version = fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99));
  fc.assert(
    fc.property(version, version, (a, b) => {
      const place = a.findIndex((number, index) => number !== b[index]);
      const order = place < 0 ? 0 : Math.sign((a[place] ?? 0) - (b[place] ?? 0));
      expect(Math.sign(compareVersions(a.join('.'), b.join('.')))).toBe(order);
    }),
  );
});
