import { expect, test } from '@jest/globals';
import { faults } from './faults/index.js';
import { parseOptions } from './options.js';

test('all faults, one round and a random seed by default', () => {
  const options = parseOptions([]);
  expect(options.faults).toEqual(faults);
  expect(options.seconds).toBe(0);
});

test('--only takes a fault or all of its variants', () => {
  const ids = (only: string) => parseOptions(['--only', only]).faults.map(({ id }) => id);
  expect(ids('F06')).toEqual(['F06']);
  expect(ids('f01,F09.3')).toEqual(['F01.1', 'F01.2', 'F01.3', 'F01.4', 'F09.3']);
});

test.each([['--only', 'F99'], ['--seed', 'x'], ['--seconds', '-1'], ['--unknown']])('%s %s is refused with the usage', (...args) => {
  expect(() => parseOptions(args)).toThrow(/npm run chaos/);
});

test('every fault has an id of its own', () => {
  expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length);
});
