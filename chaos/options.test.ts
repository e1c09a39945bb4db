import { expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { allFaults, quickFaults, shownByTests } from './faults/index.js';
import { parseOptions } from './options.js';

test('the quick faults, one round and a random seed by default', () => {
  const options = parseOptions([]);
  expect(options.faults).toEqual(quickFaults);
  expect(options.seconds).toBe(0);
});

test('--only takes a fault or all of its variants', () => {
  const ids = (only: string) => parseOptions(['--only', only]).faults.map(({ id }) => id);
  expect(ids('F06.kill')).toEqual(['F06.kill']);
  expect(ids('F06')).toEqual(['F06.kill', 'F06.full', 'F06.replica']);
  expect(ids('f01,F09.3')).toEqual(['F01.1', 'F01.2', 'F01.3', 'F01.4', 'F09.3']);
});

test.each([['--only', 'F99'], ['--seed', 'x'], ['--seconds', '-1'], ['--unknown']])('%s %s is refused with the usage', (...args) => {
  expect(() => parseOptions(args)).toThrow(/npm run chaos/);
});

test('--all takes every fault, and so does --only', () => {
  expect(parseOptions(['--all']).faults).toEqual(allFaults);
  expect(parseOptions(['--only', 'f12.redis']).faults.map(({ id }) => id)).toEqual(['F12.redis']);
});

test('--write is for the whole list', () => {
  expect(parseOptions(['--all', '--write']).write).toBe(true);
  expect(() => parseOptions(['--write'])).toThrow(/needs --all/);
  expect(() => parseOptions(['--all', '--write', '--only', 'F06'])).toThrow(/no --only/);
});

test('every fault has an id of its own', () => {
  expect(new Set(allFaults.map(({ id }) => id)).size).toBe(allFaults.length);
});

test('F01 to F38 are all tried here or shown by a test that exists', () => {
  const known = new Set([...allFaults, ...shownByTests].map(({ id }) => id.split('.')[0]));
  const wanted = Array.from({ length: 38 }, (_, index) => `F${String(index + 1).padStart(2, '0')}`);
  expect(wanted.filter((id) => !known.has(id))).toEqual([]);
  expect(shownByTests.flatMap(({ tests }) => tests).filter((test) => !existsSync(test))).toEqual([]);
});
