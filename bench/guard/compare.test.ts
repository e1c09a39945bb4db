import { expect, test } from '@jest/globals';
import { compare } from './compare.js';

const committed = { commands: { cost: 40, tolerance: 0.05 }, gateway: { cost: 5, tolerance: 0.4 } };

test.each([
  ['as committed', { commands: 40, gateway: 5 }, []],
  ['at the edge of the tolerance', { commands: 42, gateway: 7 }, []],
  ['one command more', { commands: 43, gateway: 5 }, ['commands']],
  ['half as much time more', { commands: 40, gateway: 7.5 }, ['gateway']],
  ['less', { commands: 10, gateway: 1 }, []],
  ['a figure that could not be had', { commands: 40, gateway: Number.NaN }, ['gateway']],
  ['a cost that nobody has committed', { commands: 40, gateway: 5, worker: 1 }, ['worker']],
  ['a committed cost that is not measured any more', { commands: 40 }, ['gateway']],
])('%s', (_what, costs: Record<string, number>, tooHigh) => {
  const compared = compare(committed, costs);
  expect(compared.tooHigh).toEqual(tooHigh);
  expect(compared.lines.filter((line) => line.endsWith('TOO HIGH'))).toHaveLength(
    tooHigh.filter((name) => Object.hasOwn(costs, name)).length,
  );
});
