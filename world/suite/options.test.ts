import { expect, test } from '@jest/globals';
import { isMeant, parseOptions } from './options.js';

const row = { group: 'servers', name: 'playwright over HTTP', source: '@playwright/mcp', holds: '', short: false } as const;

test('all rows by default, and the short ones alone where that is asked for', () => {
  expect(isMeant(row, parseOptions([]))).toBe(true);
  expect(isMeant(row, parseOptions(['--short']))).toBe(false);
  expect(isMeant({ ...row, short: true }, parseOptions(['--short']))).toBe(true);
});

test.each(['servers', 'Playwright', '@playwright/', 'x, over http'])('--only %s names the row', (only) => {
  expect(isMeant(row, parseOptions(['--only', only]))).toBe(true);
});

test.each(['clients', 'server', 'x'])('--only %s does not', (only) => {
  expect(isMeant(row, parseOptions(['--only', only]))).toBe(false);
});

test.each([['--unknown'], ['servers']])('%s is refused with the usage', (...args) => {
  expect(() => parseOptions(args)).toThrow(/npm run world/);
});
