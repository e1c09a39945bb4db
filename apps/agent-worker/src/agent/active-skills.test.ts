import { expect, test } from '@jest/globals';
import { toJsonSchema } from '#lib/contracts';
import type { Skill, SkillSet } from '#lib/skills';
import { activeSkills, useSkillContract } from './active-skills.js';
import type { Step } from './step.js';

const setOf = (...names: readonly string[]): SkillSet => ({
  faults: [],
  skills: new Map(
    names.map((name): [string, Skill] => [
      name,
      {
        name,
        description: '',
        version: null,
        author: null,
        requires: [],
        tools: [],
        collections: [],
        body: 'x',
        tokens: 1,
        folder: '',
        files: [],
      },
    ]),
  ),
});
const stepWith = (name: string, result: Readonly<Record<string, unknown>>): Step => ({
  text: '',
  calls: [],
  results: [{ type: 'tool_result', id: 'a', name, result }],
  rests: [],
  finishReason: 'tool-calls',
  usage: { input_tokens: 0, output_tokens: 0 },
});
const chose = (...names: readonly string[]) => stepWith('use_skill', { status: 'success', skills: names.map((name) => ({ name })) });
const past = (...steps: readonly Step[]) => ({ message: 'm', steps });

test('use_skill offers the skills that are loaded, without core', () => {
  const contract = useSkillContract(setOf('core', 'bazi', 'zodiac'));
  expect(contract && JSON.stringify(toJsonSchema(contract.input, 'input'))).toContain('"enum":["bazi","zodiac"]');
});

test('use_skill is not offered where there is core alone', () => {
  expect(useSkillContract(setOf('core'))).toBeNull();
});

test('the contract is made once for each set', () => {
  const set = setOf('bazi');
  expect(useSkillContract(set)).toBe(useSkillContract(set));
  expect(useSkillContract(setOf('bazi'))).not.toBe(useSkillContract(set));
});

test.each([
  ['there is no choice', [], [], []],
  ['the choice was made in this turn', [past(chose('bazi'))], [chose('zodiac')], ['zodiac']],
  ['the choice was made in an earlier turn', [past(chose('bazi')), past(stepWith('look_up', {}))], [], ['bazi']],
  ['several were chosen', [], [chose('bazi', 'zodiac')], ['bazi', 'zodiac']],
  ['the last choice failed', [past(chose('bazi'))], [stepWith('use_skill', { status: 'error' })], ['bazi']],
  ['the last choice is the answer alone', [past(chose('bazi'))], [chose()], []],
  ['another tool has a result of the same form', [], [stepWith('look_up', { status: 'success', skills: [{ name: 'bazi' }] })], []],
  ['the result has another form', [past(chose('bazi'))], [stepWith('use_skill', { status: 'success', skills: 'zodiac' })], ['bazi']],
  ['a name is missing', [], [stepWith('use_skill', { status: 'success', skills: [{ name: 'bazi' }, {}, null] })], ['bazi']],
] as const)('when %s', (...row) => {
  const [, history, steps, expected] = row;
  expect(activeSkills(history, steps)).toEqual(expected);
});
