import { expect, test } from '@jest/globals';
import { isMeant, parseOptions } from './options.js';

const one = { group: 'API1', name: 'GET /jobs/{id} without a credential', threats: ['S01', 'finding 4'] } as const;

test('all cases and a random seed by default', () => {
  expect(parseOptions([])).toMatchObject({ only: [], prove: false, beside: false, table: false });
  expect(isMeant(one, [])).toBe(true);
});

test.each(['api1', 'S01', 'Finding 4', '/jobs/{id}', 'x,S01'])(
  '--only %s names a case by its group, a threat or a part of its name',
  (only) => {
    expect(isMeant(one, parseOptions(['--only', only]).only)).toBe(true);
  },
);

test.each(['API10', 'S1', 'finding', 'GET', 'elsewhere'])('--only %s does not', (only) => {
  expect(isMeant(one, parseOptions(['--only', only]).only)).toBe(false);
});

test.each([['--seed', 'x'], ['--unknown'], ['API1']])('%s %s is refused with the usage', (...args) => {
  expect(() => parseOptions(args)).toThrow(/npm run security/);
});
