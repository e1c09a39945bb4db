import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sectionsOf } from './sections.js';
import { mergeText, updateText } from './update-text.js';

test('replaces, appends and prepends with one line break', () => {
  expect([updateText('A', 'B', 'Replace'), updateText('A', 'B', 'Append'), updateText('A', 'B', 'Prepend')]).toEqual(['B', 'A\nB', 'B\nA']);
  expect([updateText('', 'B', 'Append'), updateText('', 'B', 'Prepend')]).toEqual(['B', 'B']);
});

describe('merging', () => {
  const present = 'Before.\n\n# One\n\nfirst\n\n## Limits\n\nten\n\n# Two\n\nsecond\n';
  const merge = (given: string) => mergeText(present, given);

  test('replaces the section of the same heading and keeps the rest to the byte', () => {
    expect(merge('## Limits\n\nfour')).toBe('Before.\n\n# One\n\nfirst\n\n## Limits\n\nfour\n\n# Two\n\nsecond\n');
  });

  test('keeps what stands below a replaced heading', () => {
    expect(merge('# One\n\n1st')).toBe('Before.\n\n# One\n\n1st\n\n## Limits\n\nten\n\n# Two\n\nsecond\n');
  });

  test('puts a new section after what it belongs to, or at the end', () => {
    expect(merge('# One\n\n1st\n\n## New\n\nn')).toBe('Before.\n\n# One\n\n1st\n\n## Limits\n\nten\n\n## New\n\nn\n\n# Two\n\nsecond\n');
    expect(merge('# Three\n\nthird')).toBe(`${present}# Three\n\nthird`);
  });

  test('text without headings replaces what stands before the first', () => {
    expect(merge('Now.')).toBe('Now.\n\n# One\n\nfirst\n\n## Limits\n\nten\n\n# Two\n\nsecond\n');
    expect(mergeText('A', 'B')).toBe('B');
  });

  test('does not take a # in code for a heading', () => {
    const code = '# One\n\n```sh\n# One\n```\n';
    expect(mergeText(code, '# One\n\nx')).toBe('# One\n\nx\n');
    expect(sectionsOf(code).sections).toHaveLength(1);
  });

  test('tells equal headings apart by those above them', () => {
    const twice = '# A\n\n## Use\n\n1\n\n# B\n\n## Use\n\n2\n';
    expect(mergeText(twice, '# B\n\n## Use\n\n3')).toBe('# A\n\n## Use\n\n1\n\n# B\n\n## Use\n\n3\n');
  });

  const heading = fc.constantFrom('One', 'Two', 'Three', 'Four');
  const markdown = fc
    .array(fc.record({ depth: fc.integer({ min: 1, max: 3 }), heading, body: fc.constantFrom('', 'x', 'a\n\nb', '```\n# no\n```') }), {
      maxLength: 6,
    })
    .map((parts) => parts.map(({ depth, heading: words, body }) => `${'#'.repeat(depth)} ${words}\n\n${body}\n\n`).join(''));

  /** A deep heading before all others belongs to none of them, and may be found in two places. */
  const startsAtItsTop = (given: string): boolean => {
    const depths = sectionsOf(given).sections.map(({ depth }) => depth);
    return depths.every((depth) => depth >= (depths[0] ?? 0));
  };

  test('twice is the same as once, and slices make up the text', () => {
    fc.assert(
      fc.property(markdown, markdown.filter(startsAtItsTop), (old, given) => {
        const once = mergeText(old, given);
        expect(mergeText(once, given)).toBe(once);
        const { preamble, sections } = sectionsOf(old);
        expect(preamble + sections.map(({ text }) => text).join('')).toBe(old);
      }),
    );
  });

  test('a text into itself is itself', () => {
    fc.assert(fc.property(markdown, (text) => expect(merge2(text, text)).toBe(text)));
  });

  test('into an empty text is the update', () => {
    fc.assert(fc.property(markdown, (given) => expect(merge2('', given)).toBe(given)));
  });

  test('every heading of both texts is in the merged one', () => {
    fc.assert(
      fc.property(markdown, markdown, (old, given) => {
        const headings = (text: string) => new Set(sectionsOf(text).sections.map((one) => one.heading));
        expect(headings(merge2(old, given))).toEqual(new Set([...headings(old), ...headings(given)]));
      }),
    );
  });

  test('what the update does not name keeps its words', () => {
    fc.assert(
      fc.property(markdown, (old) => {
        const merged = merge2(old, '# Fresh\n\nnew words');
        for (const { text } of sectionsOf(old).sections) expect(merged).toContain(text.trimEnd());
        expect(merged).toContain('new words');
      }),
    );
  });

  const merge2 = (old: string, given: string) => mergeText(old, given);
});

describe('appending and prepending', () => {
  test('keep both texts whole, one line break between them', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), (present, given) => {
        expect(updateText(present, given, 'Append')).toBe(`${present}\n${given}`);
        expect(updateText(present, given, 'Prepend')).toBe(`${given}\n${present}`);
      }),
    );
  });

  test('replacing forgets the present text', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (present, given) => expect(updateText(present, given, 'Replace')).toBe(given)));
  });
});
