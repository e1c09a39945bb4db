import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { NewDocument, NewSection } from '../document.js';
import { prepareDocument } from './prepare.js';
import { embeddedText, unitOf } from './units.js';

const section: NewSection = { anchor: 'a', headingPath: ['H'], title: 'T', content: 'Text.' };
const document = (more: Partial<NewDocument> = {}, ...sections: readonly NewSection[]): NewDocument => ({
  path: 'a.md',
  title: 'A',
  content: 'Text.',
  sections: sections.length > 0 ? sections : [section],
  ...more,
});
const sectionHash = (more: Partial<NewDocument>, one: NewSection = section) => prepareDocument(document(more, one)).sections[0]?.hash;

describe('what is stored of a document', () => {
  test('holds no address of a private network, and says that one was taken out', () => {
    const prepared = prepareDocument(
      document(
        { title: 'At http://10.0.0.5', source: 'wiki.corp', sourceUrl: 'https://wiki.corp.internal/x' },
        { ...section, summary: 'on db.prod.internal', keyTerms: ['192.168.1.7'], sourceUrl: 'http://intranet/' },
      ),
    );
    expect(JSON.stringify(prepared)).not.toMatch(/10\.0\.0\.5|corp\.internal|prod\.internal|192\.168|intranet/);
    expect([prepared.sourceUrl, prepared.sections[0]?.sourceUrl]).toEqual([undefined, undefined]);
    expect(prepared.notes).toEqual(
      expect.arrayContaining([
        'addresses of a private network were taken out of its text',
        'its link leads into a private network and was left out',
      ]),
    );
  });

  test('says nothing where nothing was taken out', () => {
    expect(prepareDocument(document({ sourceUrl: 'https://example.com' })).notes).toEqual([]);
  });

  test('can be kept by Postgres, whatever it held', () => {
    const broken = 'a\0b\ud800c';
    const prepared = prepareDocument(
      document({ title: broken, tags: [broken], content: broken }, { ...section, content: broken, headingPath: [broken] }),
    );
    const json = JSON.stringify(prepared);
    expect(json).not.toMatch(/\\u0000|\\ud800/);
    expect(prepared.title).toBe('ab\ufffdc');
  });

  test('can be kept by Postgres also where YAML and JSON spell out what text cannot hold', () => {
    const sourceUrl = 'https://example.com/a\0b\ud800';
    const prepared = prepareDocument(document({ domain: 'a\0b\ud800c', sourceUrl }, { ...section, sourceUrl }));
    expect(JSON.stringify(prepared)).not.toMatch(/\\u0000|\\ud800/);
    expect([prepared.domain, prepared.sourceUrl]).toEqual(['ab\ufffdc', 'https://example.com/ab\ufffd']);
  });

  test.each(['../x.md', '/etc/passwd', '.git/config', 'https://x.example'])(
    'has no path of the repository that leads out of it: %s',
    (repoPath) => {
      expect(prepareDocument(document({ repoPath })).repoPath).toBeUndefined();
    },
  );
});

describe('the hash', () => {
  test('is the same for the same document, and another for another one', () => {
    const text = fc.string({ maxLength: 5 });
    const any = fc.record({
      title: text,
      content: text,
      domain: fc.option(text, { nil: undefined }),
      tags: fc.array(text, { maxLength: 2 }),
    });
    fc.assert(
      fc.property(any, any, (one, other) => {
        const [a, b] = [prepareDocument(document(one)), prepareDocument(document(other))];
        expect(prepareDocument(document(one)).hash).toBe(a.hash);
        expect(a.hash === b.hash).toBe(JSON.stringify({ ...a, hash: '' }) === JSON.stringify({ ...b, hash: '' }));
      }),
    );
  });

  test.each<[string, Partial<NewDocument>]>([
    ['domain', { domain: 'sleep' }],
    ['type', { type: 'internal' }],
    ['tags', { tags: ['x'] }],
    ['title', { title: 'B' }],
    ['English title', { titleEn: 'B' }],
  ])('of a section changes with the %s of its document, which is in the index too', (_what, change) => {
    expect(sectionHash(change)).not.toBe(sectionHash({}));
  });

  test('of a section does not change with the rest of its document', () => {
    expect(sectionHash({ source: 'S', content: 'more', updated: new Date(0) })).toBe(sectionHash({}));
    const [first] = prepareDocument(document({}, section)).sections;
    const [, second] = prepareDocument(document({}, { ...section, title: 'Other' }, section)).sections;
    expect(second?.hash).toBe(first?.hash);
  });

  test('of a document changes with the order of its sections', () => {
    const other = { ...section, title: 'Other' };
    expect(prepareDocument(document({}, section, other)).hash).not.toBe(prepareDocument(document({}, other, section)).hash);
  });
});

describe('a section in the index', () => {
  const [prepared] = prepareDocument(
    document({}, { ...section, titleEn: 'E', keyTerms: ['k1', 'k2'], summary: 'S', source: 'WHO' }),
  ).sections;
  if (!prepared) throw new Error('no section');

  test('has its titles and key terms as its head, and its page behind them', () => {
    const { ref, parent, fields } = unitOf(7, { id: 'd', title: 'A', titleEn: 'AE' }, prepared);
    expect([ref, parent]).toEqual(['7', 'd']);
    expect(fields.filter(({ isHead }) => isHead).map(({ text }) => text)).toEqual(['T\nE', 'k1\nk2', 'A\nAE\nH']);
    expect(fields.map(({ text }) => text)).toEqual(expect.arrayContaining(['S', 'Text.', 'WHO']));
  });

  test.each([
    [{}, ['type:public', 'place:section']],
    [{ domain: 'sleep', type: 'internal', tags: ['Rest', '夜'] }, ['domain:sleep', 'type:internal', 'tag:rest', 'tag:夜', 'place:section']],
  ] as const)('has the labels of %j', (facts, labels) => {
    expect(unitOf(1, { id: 'd', title: 'A', ...facts }, prepared).labels).toEqual(labels);
  });

  test('without an anchor is the page itself', () => {
    expect(unitOf(1, { id: 'd', title: 'A' }, { ...prepared, anchor: null }).labels).toContain('place:page');
  });

  test('is embedded with what it is about first, and without gaps', () => {
    expect(embeddedText({ title: 'A' }, prepared)).toBe('T\nE\nA\nk1, k2\nS\nText.');
    expect(embeddedText({ title: 'A' }, { title: 'T', content: 'Text.' })).toBe('T\nA\nText.');
  });
});
