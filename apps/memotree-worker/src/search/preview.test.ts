import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codePoints } from '#lib/retrieval';
import { nodeVersion } from '../test-states.js';
import { previewedNode, previewOf } from './preview.js';

const node = nodeVersion('n', { title: 'Retry rules', detailHash: 'detail', summaryHash: 'summary', briefHash: 'brief' });
const preview = (query: string, texts: Readonly<Record<string, string>>, length = 200) =>
  previewOf(previewedNode(node, new Map(Object.entries(texts))), { query, length });

describe('the passage', () => {
  test.each([
    ['Detail', { detail: 'A budget here.', summary: 'A budget there.', brief: 'budget' }],
    ['Summary', { detail: 'Nothing.', summary: 'A budget there.', brief: 'budget' }],
    ['Brief', { detail: 'Nothing.', summary: 'Nothing.', brief: 'budget' }],
  ] as const)('comes from the %s when that is the first layer that matches', (level, texts) => {
    expect(preview('budget', texts)).toMatchObject({ level, preview: expect.stringContaining('budget'), highlightedTerms: ['budget'] });
  });

  test('is the title when only that matches', () => {
    expect(preview('retry', { detail: 'Nothing of it.' })).toEqual({ level: 'Title', preview: 'Retry rules', highlightedTerms: ['Retry'] });
  });

  test('is the title of a node without content', () => {
    expect(preview('elsewhere', { detail: '' })).toEqual({ level: 'Title', preview: 'Retry rules', highlightedTerms: [] });
  });

  test('is the beginning of the content when no word matches, as after a search by meaning', () => {
    expect(preview('unrelated', { detail: 'The content begins so.' })).toEqual({
      level: 'Detail',
      preview: 'The content begins so.',
      highlightedTerms: [],
    });
  });

  test('marks the words of the title beside those of the text, each once', () => {
    expect(preview('retry budget', { detail: 'Retry within a budget.' }).highlightedTerms.toSorted()).toEqual(['Retry', 'budget']);
  });

  test('is found behind a long beginning', () => {
    const detail = `${'Filler words stand here. '.repeat(300)}At last the budget. ${'More filler. '.repeat(300)}`;
    expect(preview('budget', { detail }, 60).preview).toContain('budget');
  });

  test.each([
    ['within', 49_900, ['budget']],
    ['behind', 50_000, []],
  ])('is looked for %s the first 50,000 characters: a match at %i gives %j', (_where, at, terms) => {
    const detail = `${`${'w'.repeat(99)}\n`.repeat(at / 100)}budget`;
    expect(preview('budget', { detail }).highlightedTerms).toEqual(terms);
  });

  test('is Chinese where the text is', () => {
    expect(preview('折叠', { detail: '记忆树把知识折叠成节点。' })).toMatchObject({ level: 'Detail', highlightedTerms: ['折叠'] });
  });
});

test('is never longer than was asked for, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.nat(300), (detail, query, length) => {
      expect(codePoints(preview(query, { detail }, length).preview)).toBeLessThanOrEqual(length);
    }),
  );
});
