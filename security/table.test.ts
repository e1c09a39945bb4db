import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { groups } from './case.js';
import { fixedCases } from './cases/index.js';
import { isMeant } from './options.js';
import { mutations } from './prove/mutations.js';
import { routeAttacks } from './routes/attacks.js';
import { routeUses } from './routes/route-uses.js';
import { withTable } from './table.js';

const routeCases = routeAttacks.flatMap(({ name, ...rest }) =>
  Object.keys(routeUses).map((route) => ({ ...rest, name: name.replace('{route}', route) })),
);

test('docs/security.md has the present cases; npm run security -- --table writes them', () => {
  const document = readFileSync('docs/security.md', 'utf8');
  expect(document).toBe(withTable(document));
});

test('there are more than 150 cases, in every group, and each has a name of its own', () => {
  const names = fixedCases.map(({ group, name }) => `${group} ${name}`);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(150);
  const tried = new Set([...fixedCases, ...routeAttacks].map(({ group }) => group));
  expect(Object.keys(groups).filter((group) => !tried.has(group as keyof typeof groups))).toEqual([]);
});

test.each(mutations)(
  'the planted fault "$name" stands in the sources once and names cases that exist',
  ({ file, text, becomes, foundBy }) => {
    expect(readFileSync(file, 'utf8').split(text)).toHaveLength(2);
    expect(becomes).not.toBe(text);
    for (const part of foundBy.split(','))
      expect([...fixedCases, ...routeCases].filter((one) => isMeant(one, [part])).map(({ name }) => name)).not.toEqual([]);
  },
);
