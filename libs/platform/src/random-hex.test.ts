import { expect, test } from '@jest/globals';
import { randomHex } from './random-hex.js';

test('digits are as many as asked for, and no two of many are the same, also where the pool is filled again', () => {
  const given = Array.from({ length: 2_000 }, () => randomHex(32));
  expect(given.filter((one) => !/^[0-9a-f]{32}$/.test(one))).toEqual([]);
  expect(new Set(given).size).toBe(given.length);
});
