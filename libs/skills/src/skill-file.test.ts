import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseSkill } from './skill-file.js';

const withHead = (head: string, body = 'Do this.') => `---\n${head}\n---\n${body}\n`;
const skillText = (name: string, body?: string, more = '') =>
  withHead(`name: ${name}\ndescription: What it is for${more && `\n${more}`}`, body);

test('the front matter of the VibeLife specification', () => {
  const head = 'version: 1.2\nauthor: me\nrequires: [other]\ntools: [a, b, a]\ncollections: [x]';
  expect(parseSkill(skillText('my-skill', 'Body', head), 'my-skill')).toEqual({
    name: 'my-skill',
    description: 'What it is for',
    version: '1.2',
    author: 'me',
    requires: ['other'],
    tools: ['a', 'b'],
    collections: ['x'],
    body: 'Body',
    tokens: 2,
  });
});

test('the front matter of agentskills.io', () => {
  const head = 'license: MIT\nallowed-tools: a, b c\nmetadata:\n  author: me\n  version: 2';
  expect(parseSkill(skillText('my-skill', 'Body', head), 'my-skill')).toMatchObject({
    tools: ['a', 'b', 'c'],
    author: 'me',
    version: '2',
  });
});

test('what is left out: no tools, nothing required, the collection of the same name', () => {
  expect(parseSkill(skillText('x'), 'x')).toMatchObject({ version: null, author: null, requires: [], tools: [], collections: ['x'] });
});

test('a byte order mark and Windows line ends are read', () => {
  expect(parseSkill(`\uFEFF${skillText('x').replaceAll('\n', '\r\n')}`, 'x')).toMatchObject({ name: 'x', body: 'Do this.' });
});

test('three dashes within the instructions do not end the front matter', () => {
  expect(parseSkill(skillText('x', 'One.\n\n---\n\nTwo.'), 'x').body).toBe('One.\n\n---\n\nTwo.');
});

test.each([
  ['no front matter', 'no front matter', /must begin with front matter/],
  ['front matter that is not closed', '---\nname: x\n', /must begin with front matter/],
  ['the name of another folder', skillText('other'), /name: must be the name of its folder, "x"/],
  ['a name in capitals', skillText('Bad-Name'), /name: must be lower-case/],
  ['a name with two hyphens', skillText('bad--name'), /name: must be lower-case/],
  ['a name of 65 characters', skillText('a'.repeat(65)), /name: must have at most 64 characters/],
  ['no description', withHead('name: x'), /description/],
  ['an empty description', withHead('name: x\ndescription: " "'), /description: must say what the skill is for/],
  ['a description of 1,025 characters', withHead(`name: x\ndescription: ${'d'.repeat(1_025)}`), /description: must have at most 1,024/],
  ['front matter that is not YAML', '---\nname: [\n---\nbody', /front matter: not YAML/],
  ['front matter that is no map', withHead('- a'), /front matter/],
  ['no instructions', skillText('x', ''), /no instructions/],
  ['instructions of 5,001 tokens', skillText('x', '字'.repeat(5_001)), /5001 tokens, more than 5000: move parts to files/],
])('%s is refused with its reason', (_what, text, reason) => {
  expect(() => parseSkill(text, 'x')).toThrow(reason);
});

test.each(['system', 'admin'])('the name %s is reserved', (name) => {
  expect(() => parseSkill(skillText(name), name)).toThrow(`name: "${name}" is reserved`);
});

test.each([
  ['a name of 64 characters', 'a'.repeat(64), skillText('a'.repeat(64))],
  ['a description of 1,024 characters', 'x', withHead(`name: x\ndescription: ${'d'.repeat(1_024)}`)],
  ['instructions of 5,000 tokens', 'x', skillText('x', '字'.repeat(5_000))],
])('%s is allowed', (_what, name, text) => {
  expect(parseSkill(text, name).name).toBe(name);
});

test('whatever is read, nothing but its own error is thrown', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (head, body) => {
      try {
        parseSkill(withHead(head, body), 'x');
      } catch (error) {
        expect(error).toMatchObject({ name: 'SkillError' });
      }
    }),
  );
});
