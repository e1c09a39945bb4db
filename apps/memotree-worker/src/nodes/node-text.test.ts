import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codePoints } from '#lib/retrieval';
import { nodeVersion } from '../test-states.js';
import { extract, freshnessOf, shortChars } from './node-text.js';

describe('an extract', () => {
  test.each([
    ['', ''],
    ['One sentence.', 'One sentence.'],
    ['First. Second.', 'First.'],
    ['Version 1.2 is out. Next.', 'Version 1.2 is out.'],
    ['第一句。第二句。', '第一句。'],
    ['真的吗？是。', '真的吗？'],
    ['Stop! Go.', 'Stop!'],
    ['A line\nanother', 'A line'],
    ['  padded.  More', 'padded.'],
  ])('of %j has the brief %j', (text, brief) => expect(extract(text).brief).toBe(brief));

  test('of a short text is the text', () => {
    const text = 'x'.repeat(shortChars);
    expect(extract(text).summary).toBe(text);
  });

  test('of a long text is shorter, also of one without sentences', () => {
    const sentences = Array.from({ length: 40 }, (_, n) => `Sentence ${n} tells of retries.`).join(' ');
    for (const text of [sentences, 'x'.repeat(5_000), '字'.repeat(5_000)]) {
      const { summary, brief } = extract(text);
      expect(codePoints(summary)).toBeLessThanOrEqual(400);
      expect(codePoints(brief)).toBeLessThanOrEqual(120);
      expect(summary).not.toBe('');
    }
  });

  test('is the same every time, and within its bounds, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 600 }), (text) => {
        const made = extract(text);
        expect(extract(text)).toEqual(made);
        expect(codePoints(made.brief)).toBeLessThanOrEqual(120);
        expect(codePoints(made.summary)).toBeLessThanOrEqual(400);
      }),
    );
  });
});

describe('the freshness of a node that was just written', () => {
  const node = nodeVersion('n', { detailHash: 'c', summaryOf: 'c' });

  test.each([
    ['short content', { ...node, detailChars: shortChars }, 'fresh'],
    ['long content', { ...node, detailChars: shortChars + 1 }, 'pending'],
    ['a summary of its own', { ...node, detailChars: 5_000, summaryHash: 's' }, 'fresh'],
    ['a summary of earlier content', { ...node, detailChars: 5_000, summaryOf: 'b' }, 'stale'],
    ['no summary', { ...node, detailChars: 5_000, summaryOf: null }, 'none'],
  ])('with %s is known without reading', (_what, given, freshness) => expect(freshnessOf(given)).toBe(freshness));
});
