import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nodeTypes, relationTypes } from '#lib/contracts';
import { idOf } from '../test-states.js';
import { readPage, writePage } from './front-matter.js';

describe('reading', () => {
  test.each([
    ['id: 0123456789ab', { id: '0123456789ab' }],
    ['title: 标题', { title: '标题' }],
    ['type: Plan', { type: 'Plan' }],
    ['tags: [a, b]', { tags: ['a', 'b'] }],
    ['tags: a, b  c', { tags: ['a', 'b', 'c'] }],
    ['tags: [1, true]', { tags: ['1', 'true'] }],
    ['order: 3', { order: 3 }],
    ['summary: short', { summary: 'short' }],
    ['brief: shorter', { brief: 'shorter' }],
    [
      'relations:\n  - id: 0123456789ab\n    type: Extends\n    target: root',
      { relations: [{ id: '0123456789ab', type: 'Extends', target: 'root', description: '' }] },
    ],
  ])('of %j gives %j and leaves nothing in the text', (yaml, own) => {
    expect(readPage(`---\n${yaml}\n---\nbody`)).toEqual({ own, aliases: [], body: 'body' });
  });

  test.each([
    ['id: not-an-id'],
    ['id: 0123456789AB'],
    ['type: concept'],
    ['order: 0'],
    ['order: 1.5'],
    ['title: [a]'],
    [`title: ${'x'.repeat(201)}`],
    ['relations: [{ id: root }]'],
    ['author: me'],
    ['constructor: 1'],
    // No file may hold these characters, but YAML can spell them, and Postgres refuses them.
    [String.raw`title: "a\0b"`],
    [String.raw`tags: ["a\ud800b"]`],
    [String.raw`tags: "a\0b"`],
    [String.raw`summary: "a\0b"`],
    [String.raw`brief: "a\ud800b"`],
    [String.raw`relations: [{ id: 0123456789ab, type: Extends, target: root, description: "a\0b" }]`],
  ])('leaves %j, which is not ours, in the text', (yaml) => {
    const { own, body } = readPage(`---\n${yaml}\n---\nbody`);
    expect(own).toEqual({});
    expect(body).toContain(yaml.split(':')[0]);
    expect(body).toMatch(/^---\n[\s\S]*\n---\nbody$/);
  });

  test('keeps what is ours apart from what is not', () => {
    const page = readPage('---\ntitle: T\nauthor: me\n---\nbody');
    expect(page).toEqual({ own: { title: 'T' }, aliases: [], body: '---\nauthor: me\n---\nbody' });
  });

  test.each([
    ['aliases: [a, b]', ['a', 'b']],
    ['aliases: one', ['one']],
    ['alias: one', ['one']],
    ['aliases: [1]', ['1']],
    ['aliases: { a: 1 }', []],
  ])('finds the aliases of %j and keeps them in the text', (yaml, aliases) => {
    const page = readPage(`---\n${yaml}\n---\nbody`);
    expect(page.aliases).toEqual(aliases);
    expect(page.body).toContain('alias');
  });

  test.each([
    'no front matter',
    '---\n- a list\n---\nbody',
    '---\njust words\n---\nbody',
    '---\na: [unclosed\n---\nbody',
    '---\nid: 0123456789ab\nbody without an end',
    ' ---\nid: 0123456789ab\n---\nindented',
    'text\n---\nid: 0123456789ab\n---\n',
    '--- x\nid: 0123456789ab\n---\n',
    '',
  ])('takes %j for text', (text) => expect(readPage(text)).toEqual({ own: {}, aliases: [], body: text }));

  test('takes Windows line ends and blanks after the dashes', () => {
    expect(readPage('---  \r\ntitle: T\r\n--- \r\nbody')).toEqual({ own: { title: 'T' }, aliases: [], body: 'body' });
    expect(readPage('---\ntitle: T\n---')).toEqual({ own: { title: 'T' }, aliases: [], body: '' });
  });
});

describe('writing', () => {
  const known = fc.record(
    {
      id: fc.nat(1_000).map(idOf),
      title: fc.string({ maxLength: 50 }),
      type: fc.constantFrom(...nodeTypes),
      tags: fc.array(fc.stringMatching(/^[a-z0-9]{1,8}$/), { minLength: 1, maxLength: 4 }),
      order: fc.integer({ min: 1, max: 1_000 }),
      summary: fc.string(),
      brief: fc.string(),
      relations: fc.array(
        fc.record({
          id: fc.nat(1_000).map(idOf),
          type: fc.constantFrom(...relationTypes),
          target: fc.nat(1_000).map(idOf),
          description: fc.string({ maxLength: 20 }),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    },
    { requiredKeys: ['id'] },
  );
  const plainBody = fc.string().filter((text) => !text.startsWith('---'));

  test('and reading again is the identity', () => {
    fc.assert(fc.property(known, plainBody, (own, body) => expect(readPage(writePage({ own, body }))).toEqual({ own, aliases: [], body })));
  });

  test('and reading again keeps the front matter of others', () => {
    fc.assert(
      fc.property(known, plainBody, (own, rest) => {
        const body = `---\nauthor: me\nrating: 5\n---\n${rest}`;
        expect(readPage(writePage({ own, body }))).toEqual({ own, aliases: [], body });
      }),
    );
  });

  test('puts our fields before those of others', () => {
    expect(writePage({ own: { id: '0123456789ab' }, body: '---\nauthor: me\n---\nbody' })).toBe(
      '---\nid: 0123456789ab\nauthor: me\n---\nbody',
    );
  });
});
