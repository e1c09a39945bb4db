import { describe, expect, test } from '@jest/globals';
import type { FoundSection, KnowledgeQuery } from '#lib/knowledge';
import { found, run, services, took } from '../test-handlers.js';
import { handleCitationHelper } from './citation-helper.js';
import { handleGetDocument } from './get-document.js';
import { handleSearchKnowledge } from './search-knowledge.js';

/** Knowledge that gives these hits, and keeps what it was asked. */
function knowing(hits: readonly FoundSection[], warnings: readonly string[] = []) {
  const asked: KnowledgeQuery[] = [];
  const search = (query: KnowledgeQuery) => {
    asked.push(query);
    return Promise.resolve({ hits, found: hits.length, warnings, tookMs: took });
  };
  return { asked, given: services({ knowledge: { search } }) };
}

describe('search_knowledge', () => {
  test('gives each section with its source, and the words that match', async () => {
    const { given } = knowing([found(0.912_345)]);
    expect(await run(handleSearchKnowledge, given, { query: '睡眠' })).toMatchObject({
      kind: 'done',
      data: {
        query: '睡眠',
        domain: 'general',
        total_count: 1,
        results: [
          {
            title: '多久',
            title_en: 'How long',
            source: 'AASM, 2015',
            confidence_score: 0.9123,
            last_updated: '2026-02-03T00:00:00.000Z',
            page: '睡眠',
            link: 'https://example.com/sleep#hours',
            highlight: { snippet: '成年人七小时睡眠。', matches: ['睡眠'] },
          },
        ],
      },
      warnings: [],
    });
  });

  test('leaves out what a section does not have', async () => {
    const { given } = knowing([found(0.9, { titleEn: null, link: null })]);
    const result = await run(handleSearchKnowledge, given, { query: 'x' });
    expect(JSON.stringify(result)).not.toMatch(/title_en|"link"/);
  });

  test.each([
    [{ query: 'x' }, { domain: undefined, collections: ['health'] }],
    [{ query: 'x', domain: 'general' }, { domain: undefined }],
    [
      { query: 'x', domain: 'sleep', collection: 'bazi', tags: ['a'], type: 'internal' },
      { domain: 'sleep', collections: ['bazi'], tags: ['a'], type: 'internal' },
    ],
  ])('asked for %j looks for %j', async (input, query) => {
    const { asked, given } = knowing([]);
    await run(handleSearchKnowledge, given, input);
    expect(asked).toEqual([expect.objectContaining({ tenantId: 't', limit: 120, ...query })]);
  });

  test.each([
    [0.08, 1],
    [0.079_99, 0],
  ])('counts a section of the confidence %d: %i', async (confidence, count) => {
    const { given } = knowing([found(confidence)]);
    expect(await run(handleSearchKnowledge, given, { query: 'x' })).toMatchObject({ data: { total_count: count } });
  });

  test.each([
    [0.4, 0],
    [0.399, 1],
  ])('warns of a best match of the confidence %d: %i warnings', async (confidence, warnings) => {
    const { given } = knowing([found(confidence), found(0.1)]);
    const result = await run(handleSearchKnowledge, given, { query: 'x' });
    expect(result.kind === 'done' && result.warnings).toHaveLength(warnings);
  });

  test('shows as many as asked for, and counts all', async () => {
    const { given } = knowing(Array.from({ length: 30 }, (_, n) => found(0.9 - n / 100)));
    const result = await run(handleSearchKnowledge, given, { query: 'x', max_results: 3 });
    expect(result).toMatchObject({ data: { total_count: 30, results: { length: 3 } } });
  });

  test('passes on what the search warns of', async () => {
    const { given } = knowing([found(0.9)], ['Searched by keywords alone: no provider.']);
    expect(await run(handleSearchKnowledge, given, { query: 'x' })).toMatchObject({
      warnings: ['Searched by keywords alone: no provider.'],
    });
  });
});

describe('citation_helper', () => {
  const claim = { claim: 'Payouts are paused.' };

  test('cites sections by their page, with their address', async () => {
    const { asked, given } = knowing([found(0.876_54, { link: 'knowledge/stripe-onboarding/a.md#past-due', type: 'internal' })]);
    expect(await run(handleCitationHelper, given, claim)).toMatchObject({
      kind: 'done',
      data: {
        citations: [{ title: '睡眠 › 多久', url: 'knowledge/stripe-onboarding/a.md#past-due', section: 'How long', confidence: 0.8765 }],
        grounded: true,
      },
    });
    expect(asked).toEqual([expect.objectContaining({ collections: ['stripe-onboarding'], query: claim.claim, vectorBudgetMs: 200 })]);
  });

  test.each([
    [0.3, true],
    [0.2999, false],
  ])('is grounded from a confidence of 0.3: %d is %s', async (confidence, grounded) => {
    const { given } = knowing([found(confidence)]);
    const result = await run(handleCitationHelper, given, claim);
    expect(result).toMatchObject({ data: { grounded } });
    const advice = grounded ? {} : { suggestion: 'refuse', fallback: ['express_dashboard', 'relink'] };
    expect(result.kind === 'done' && result.data).toMatchObject(advice);
    expect(result.kind === 'done' && 'message' in result && result.message !== undefined).toBe(!grounded);
  });

  test('leaves out what has no address that may leave, and takes the next', async () => {
    const { given } = knowing([found(0.9, { link: null }), found(0.8), found(0.7)]);
    const result = await run(handleCitationHelper, given, { ...claim, top_k: 1 });
    expect(result).toMatchObject({ data: { citations: [{ confidence: 0.8 }] } });
  });

  test.each([
    ['nothing was found', []],
    ['nothing may leave', [found(0.9, { link: null })]],
  ])('is refused where %s', async (_what, hits) => {
    const result = await run(handleCitationHelper, knowing(hits).given, claim);
    expect(result).toMatchObject({ kind: 'refused', error: { native_code: 'no_evidence', extra: { grounded: false } } });
  });

  test('names a page by its title alone where the section is the page', async () => {
    const { given } = knowing([found(0.9, { title: '睡眠', anchor: null })]);
    const result = await run(handleCitationHelper, given, claim);
    expect(result).toMatchObject({ data: { citations: [{ title: '睡眠' }] } });
    expect(JSON.stringify(result)).not.toContain('"section"');
  });
});

describe('get_document', () => {
  const stored = {
    id: '00000000-0000-4000-8000-000000000001',
    title: 'T',
    collection: 'documents',
    type: 'public',
    tags: ['a'],
    lastUpdated: new Date('2026-02-03T00:00:00Z'),
    content: 'Salt raises the pressure of blood. Less salt lowers it.',
  } as const;
  const given = services({ knowledge: { document: (_tenant, id) => Promise.resolve(id === stored.id ? stored : null) } });

  test('gives a short document whole', async () => {
    expect(await run(handleGetDocument, given, { document_id: stored.id })).toMatchObject({
      data: { document_id: stored.id, content: stored.content, truncated: false, last_updated: '2026-02-03T00:00:00.000Z', tags: ['a'] },
    });
  });

  test.each([
    [stored.content.length, false],
    [stored.content.length - 1, true],
  ])('cuts it at %i characters: %s', async (max_length, truncated) => {
    const result = await run(handleGetDocument, given, { document_id: stored.id, max_length });
    expect(result).toMatchObject({ data: { truncated, content: stored.content.slice(0, max_length) } });
  });

  test('gives a summary of what it cut, unless that is not wanted', async () => {
    const cut = (return_summary: boolean) => run(handleGetDocument, given, { document_id: stored.id, max_length: 10, return_summary });
    expect(await cut(true)).toMatchObject({
      data: { truncation_info: { original_length: 55, returned_length: 10, summary: expect.stringMatching(/salt/i) } },
    });
    expect(JSON.stringify(await cut(false))).not.toContain('summary');
  });

  test('refuses one that the tenant does not see', async () => {
    expect(await run(handleGetDocument, given, { document_id: 'other' })).toMatchObject({
      kind: 'refused',
      error: { native_code: 'DOCUMENT_NOT_FOUND' },
    });
  });
});
