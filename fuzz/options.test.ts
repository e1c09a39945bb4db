import { expect, test } from '@jest/globals';
import { parseOptions } from './options.js';

test('a run has a random seed and 2000 requests by default', () => {
  expect(parseOptions([])).toMatchObject({ from: 1, requests: 2_000, only: null, atOnce: 32, seconds: 0 });
});

test('a case can be sent alone', () => {
  expect(parseOptions(['--seed', '7', '--only', '12'])).toMatchObject({ seed: 7, from: 12, only: 12 });
});

test.each([['--seed', 'x'], ['--requests', '-1'], ['--unknown']])('%s %s is refused with the usage', (...args) => {
  expect(() => parseOptions(args)).toThrow(/npm run fuzz/);
});
