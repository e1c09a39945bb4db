import { expect, test } from '@jest/globals';
import { lintSkills } from './lint.js';
import { SkillLibrary, type Skill, type SkillSet } from './skill-library.js';

const skill = (name: string, rest: Partial<Skill> = {}): Skill => ({
  name,
  description: 'd',
  version: null,
  author: null,
  requires: [],
  tools: [],
  collections: [name],
  body: 'Do this.',
  tokens: 3,
  folder: '',
  files: [],
  ...rest,
});
const setOf = (...skills: readonly Skill[]): SkillSet => ({ skills: new Map(skills.map((one) => [one.name, one])), faults: [] });

test('our own skills are there and pass', async () => {
  const set = await new SkillLibrary({ folders: ['skills'] }).current();
  expect([...set.skills.keys()]).toEqual(['bazi', 'core', 'zodiac']);
  expect(lintSkills(set).filter(({ faults }) => faults.length > 0)).toEqual([]);
});

test.each([
  ['core', 2_000, []],
  ['core', 2_001, ['2001 tokens, more than 2000']],
  ['bazi', 1_500, []],
  ['bazi', 1_501, ['1501 tokens, more than 1500']],
])('%s with %i tokens', (name, tokens, faults) => {
  expect(lintSkills(setOf(skill(name, { tokens })))).toMatchObject([{ skill: name, tokens, faults }]);
});

test('a skill must not require one that is not there', () => {
  const set = setOf(skill('a', { requires: ['b', 'c'] }), skill('b'));
  expect(lintSkills(set)[0]?.faults).toEqual(['requires c, which is not there']);
});

test('a skill must name each of its files in its instructions', () => {
  const set = setOf(skill('a', { files: ['ONE.md', 'tables/TWO.md'], body: 'Read ONE.md for more.' }));
  expect(lintSkills(set)[0]?.faults).toEqual(['does not say what its file tables/TWO.md is for']);
});

test('malformed skills come last, each with its reason', () => {
  const set: SkillSet = { ...setOf(skill('a')), faults: [{ folder: '/skills/b', reason: 'name: is missing' }] };
  expect(lintSkills(set)).toMatchObject([{ skill: 'a' }, { skill: '/skills/b', faults: ['name: is missing'] }]);
});
