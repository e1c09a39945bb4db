import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { Catalog } from './catalog.js';
import type { ToolContract } from './define-tool.js';
import { toolNameShape } from './derive/lint-definition.js';
import { offeredBySet, type Toolset } from './toolset.js';

const tool = (name: string, rest: Partial<ToolContract> = {}): ToolContract => ({
  name,
  version: '1.0.0',
  domain: 'profile',
  title: name,
  description: 'For a test.',
  input: z.strictObject({}),
  output: z.object({}),
  errors: {},
  effect: 'read',
  timeoutMs: 1_000,
  estimatedTokens: 10,
  examples: [],
  ...rest,
});
const set = (rest: Partial<Toolset>): Toolset => ({ tools: ['*'], rename: {}, prefix: '', readOnly: false, ...rest });
const namesIn = (contracts: readonly ToolContract[], given: Partial<Toolset>) =>
  offeredBySet(set(given), contracts).tools.map(({ name, renames }) => `${name}=${renames?.name ?? name}`);

const crm = [tool('crm__find'), tool('crm__create', { effect: 'write' }), tool('get_weather', { aliases: ['Weather'] })];

test.each([
  [{ tools: ['crm__*'] }, ['crm__find=crm__find', 'crm__create=crm__create']],
  [{ tools: ['weather'] }, ['get_weather=get_weather']],
  [{ readOnly: true, prefix: 'x_' }, ['x_crm__find=crm__find', 'x_get_weather=get_weather']],
  [{ tools: ['crm__*'], rename: { crm__find: 'find' } }, ['find=crm__find', 'crm__create=crm__create']],
  [{ tools: ['crm__*'], rename: { crm__find: 'find' }, prefix: 'acme_' }, ['acme_find=crm__find', 'acme_crm__create=crm__create']],
  [{ tools: ['none'] }, []],
])('the set %j offers %j', (given, names) => expect(namesIn(crm, given)).toEqual(names));

test.each([
  ['two renamed to one', { rename: { crm__find: 'x', crm__create: 'X' } }, ['crm__create', 'crm__find']],
  ["another's own name", { rename: { crm__find: 'crm__create' } }, ['crm__find']],
  ["another's alias, in any case", { rename: { crm__find: 'WEATHER' } }, ['crm__find']],
  ['names that change places', { rename: { crm__find: 'crm__create', crm__create: 'crm__find' } }, ['crm__create', 'crm__find']],
  ['an illegal name', { rename: { crm__find: '9' } }, ['crm__find']],
  ['a name that is too long', { prefix: 'p'.repeat(60) }, ['crm__create', 'crm__find', 'get_weather']],
])('what collides or is illegal is told: %s', (_, given, tools) => {
  const { faults, tools: offered } = offeredBySet(set(given), crm);
  expect(faults.map((fault) => fault.tool)).toEqual(tools);
  expect(offered).toHaveLength(crm.length - tools.length);
});

test('a catalog within a set knows a tool by its name there and by its own, in every version, and no other tool', () => {
  const catalog = new Catalog([...crm, tool('crm__find', { version: '2.0.0' }), tool('inside', { internal: true })]);
  const within = catalog.within(set({ tools: ['crm__find'], rename: { crm__find: 'find' } }));
  expect(within.names()).toEqual(['find']);
  for (const name of ['find', 'Crm__Find', 'crm__find'])
    expect(within.versions(name).map(({ version, renames }) => [version, renames?.name])).toEqual([
      ['2.0.0', 'crm__find'],
      ['1.0.0', 'crm__find'],
    ]);
  expect(within.find('crm__create')).toBeUndefined();
  expect(within.find('inside')).toBeDefined();
});

test('a catalog within a set changes with what it is made of', () => {
  const catalog = new Catalog([tool('mine')]);
  const all = set({ prefix: 'a_' });
  expect(catalog.within(all).names()).toEqual(['a_mine']);
  expect(catalog.within(all)).toBe(catalog.within(all));
  catalog.replaceOutside([tool('docs__search')]);
  expect(catalog.within(all).names()).toEqual(['a_docs__search', 'a_mine']);
});

test('a tool whose new name is its own in another case answers to both', () => {
  const within = new Catalog([tool('Ba')]).within(set({ rename: { Ba: 'A' }, prefix: 'B' }));
  expect([within.find('BA')?.name, within.find('Ba')?.name]).toEqual(['BA', 'BA']);
});

test('whatever is renamed, every name is legal, and means one tool', () => {
  const name = fc.stringMatching(/^[abAB_]{1,3}$/);
  fc.assert(
    fc.property(
      fc.uniqueArray(name, { maxLength: 6, selector: (one) => one.toLowerCase() }),
      fc.dictionary(name, name),
      name,
      (names, rename, prefix) => {
        const contracts = names.map((one) => tool(one));
        const given = set({ rename, prefix });
        const { tools, faults } = offeredBySet(given, contracts);
        expect(tools.length + faults.length).toBe(contracts.length);
        for (const one of tools) expect(one.name).toMatch(toolNameShape);
        const within = new Catalog(contracts).within(given);
        for (const { name: offered, renames } of tools) {
          expect(within.find(offered)?.name).toBe(offered);
          expect(within.find(renames?.name ?? offered)?.name).toBe(offered);
        }
      },
    ),
  );
});
