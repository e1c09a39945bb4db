import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LinkNames } from './link-names.js';
import { linkedNames, linksIn, resolveLinks, type LinkTarget } from './wiki-links.js';

const ids = new Map(
  ['Home', 'a/Notes', 'b/Notes', 'a/Plan', 'a/Plan#Step', 'a/Plan#Step#Detail', '计划'].map((source, n) => [source, String(n).repeat(12)]),
);
const names = new LinkNames(
  [...ids].map(([source, nodeId]) => ({
    nodeId,
    node: { source, title: source === 'Home' ? 'The home page' : source, aliases: source === 'Home' ? ['Start', '首页'] : [] },
  })),
);
const resolveBy = (text: string, find: (target: LinkTarget) => string | undefined) => resolveLinks(text, linksIn(text), find);
const resolve = (text: string, from = 'b/page') => resolveBy(text, (target) => names.find(target, from));
const id = (source: string): string => ids.get(source) ?? 'none';

describe('links', () => {
  test.each([
    ['[[Home]]', `[[${id('Home')}|Home]]`],
    ['[[home]]', `[[${id('Home')}|home]]`],
    ['[[Home|words]]', `[[${id('Home')}|words]]`],
    ['[[Start]], [[首页]]', `[[${id('Home')}|Start]], [[${id('Home')}|首页]]`],
    ['[[The home page]]', `[[${id('Home')}|The home page]]`],
    ['[[Notes]]', `[[${id('b/Notes')}|Notes]]`],
    ['[[a/Notes]]', `[[${id('a/Notes')}|a/Notes]]`],
    ['[[Plan#Step]]', `[[${id('a/Plan#Step')}|Plan#Step]]`],
    ['[[Plan#Detail|d]]', `[[${id('a/Plan#Step#Detail')}|d]]`],
    ['[[Plan#No such part]]', `[[${id('a/Plan')}|Plan#No such part]]`],
    ['| [[Home\\|home]] |', `| [[${id('Home')}\\|home]] |`],
    ['[w](../a/Notes.md)', `[[${id('a/Notes')}|w]]`],
    ['[w](Notes.md#part)', `[[${id('b/Notes')}|w]]`],
    ['[w](%E8%AE%A1%E5%88%92.md)', `[[${id('计划')}|w]]`],
  ])('%s', (text, expected) => expect(resolve(text)).toMatchObject({ text: expected, unresolved: [] }));

  test('of which one is inside of another are the inner one', () => {
    expect(resolve('[w](Notes[[Home]].md) [w](Notes.md)').text).toBe(`[w](Notes[[${id('Home')}|Home]].md) [[${id('b/Notes')}|w]]`);
  });

  test('around code are links', () => {
    expect(resolve('[[Home|`code`]]').links).toBe(1);
  });

  test('of the same page lead to its headings', () => {
    expect(resolve('[[#Step]]', 'a/Plan').text).toBe(`[[${id('a/Plan#Step')}|#Step]]`);
    expect(resolve('[[#Nowhere]]', 'a/Plan')).toMatchObject({ text: '[[#Nowhere]]', unresolved: ['#Nowhere'] });
  });

  test.each([
    '`[[Home]]`',
    '```\n[[Home]]\n```',
    '    [[Home]]',
    '[[0123456789ab]]',
    '[[]]',
    '[w](https://x.org/Home.md)',
    '[w](Nowhere.md)',
  ])('%s stays as it is', (text) => expect(resolve(text)).toMatchObject({ text, links: 0 }));

  test('that lead nowhere are named', () => {
    expect(resolve('[[Nowhere]] and ![[chart.png]]')).toMatchObject({
      text: '[[Nowhere]] and ![[chart.png]]',
      unresolved: ['Nowhere', 'chart.png'],
    });
    expect(linkedNames(linksIn('[[a/Notes#x|y]] [[0123456789ab]] [[#x]]'))).toEqual(['a/Notes']);
  });
});

describe('whatever is written', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '[[',
      ']]',
      '|',
      '#',
      '\\|',
      '`',
      '```\n',
      '\n',
      '\n\n',
      '[w](',
      '.md)',
      'Home',
      'a/Notes',
      '0123456789ab',
      '    ',
      '%zz',
    ),
    fc.string({ maxLength: 5 }),
  );
  const text = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''));

  test('a text whose names lead nowhere stays as it is, to the byte', () => {
    fc.assert(fc.property(text, (given) => expect(resolveBy(given, () => undefined)).toMatchObject({ text: given, links: 0 })));
  });

  test('what was resolved once is resolved: the second time finds nothing', () => {
    fc.assert(
      fc.property(text, (given) => {
        const once = resolve(given);
        expect(resolve(once.text)).toMatchObject({ text: once.text, links: 0 });
      }),
    );
  });

  test('code stays as it is', () => {
    fc.assert(
      fc.property(text, (given) => {
        const code = `~~~~~~~~\n${given.replaceAll('~', '')}\n~~~~~~~~\n`;
        expect(resolve(code).text).toBe(code);
      }),
    );
  });

  test('every name that is not found was written as a link', () => {
    fc.assert(
      fc.property(text, (given) => {
        for (const name of resolveBy(given, () => undefined).unresolved) expect(given).toContain(name.split('#')[0]?.trim());
      }),
    );
  });
});
