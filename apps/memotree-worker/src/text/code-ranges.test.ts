import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codeRanges } from './code-ranges.js';

const codeIn = (markdown: string): readonly string[] => codeRanges(markdown).map(({ start, end }) => markdown.slice(start, end));

test.each([
  ['a `span` in a line', ['`span`']],
  ['``a ` inside``', ['``a ` inside``']],
  ['before\n\n```ts\nlet x = 1;\n```\n\nafter', ['```ts\nlet x = 1;\n```']],
  ['~~~\ntildes\n~~~', ['~~~\ntildes\n~~~']],
  ['text\n\n    indented\n\ntext', ['    indented']],
  ['```\nnever closed', ['```\nnever closed']],
  ['- a list\n\n  ```\n  in an item\n  ```', ['```\n  in an item\n  ```']],
  ['> `quoted`', ['`quoted`']],
  ['`one` and `two`', ['`one`', '`two`']],
])('%j holds the code %j', (markdown, code) => expect(codeIn(markdown)).toEqual(code));

test.each(['plain words', 'a lone ` tick', '\\`escaped\\`', 'text\n    still the paragraph', '# heading\n\n- list\n\n> quote', ''])(
  '%j holds no code',
  (markdown) => expect(codeRanges(markdown)).toEqual([]),
);

test('ranges lie within the text, in order, and do not overlap', () => {
  const piece = fc.oneof(
    fc.constantFrom('`', '``', '```', '~~~', '\n', '\n\n', '    ', '\t', '- ', '> ', 'word'),
    fc.string({ maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const text = pieces.join('');
      let last = 0;
      for (const { start, end } of codeRanges(text)) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThan(start);
        last = end;
      }
      expect(last).toBeLessThanOrEqual(text.length);
    }),
  );
});

test('text without any sign of code needs no parser and has none', () => {
  fc.assert(
    fc.property(
      fc.string().map((text) => text.replaceAll(/[`~ \t]/g, '')),
      (text) => expect(codeRanges(text)).toEqual([]),
    ),
  );
});
