import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codePoints } from '#lib/retrieval';
import { UnreadableDocument } from '../document.js';
import { Anchors } from './anchors.js';
import { decodeText } from './decode.js';
import { readJsonLine } from './json-line.js';
import { maxDocumentBytes, plainText, readDocument } from './read-document.js';
import { readSectionFacts } from './section-facts.js';
import { splitLong } from './split-long.js';

describe('bytes', () => {
  const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();
  test.each<[string, Buffer, string]>([
    ['UTF-8', Buffer.from('睡眠 café 😀'), '睡眠 café 😀'],
    ['UTF-8 with its mark', Buffer.from('\ufeff睡眠'), '睡眠'],
    ['UTF-16 little endian', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('睡眠', 'utf16le')]), '睡眠'],
    ['UTF-16 big endian', Buffer.concat([Buffer.from([0xfe, 0xff]), utf16be('睡眠')]), '睡眠'],
    ['line ends of Windows', Buffer.from('a\r\nb\rc\n'), 'a\nb\rc\n'],
    ['nothing', Buffer.alloc(0), ''],
  ])('of %s are text', (_what, bytes, text) => {
    expect(decodeText(bytes)).toBe(text);
  });

  test.each<[string, Buffer]>([
    ['Latin-1', Buffer.from('café', 'latin1')],
    ['GBK', Buffer.from([0xcb, 0xaf, 0xc3, 0xdf])],
    ['UTF-8 that was cut off', Buffer.from('睡').subarray(0, 2)],
    ['UTF-8 that is longer than it need be', Buffer.from([0xc0, 0xaf])],
    ['half a surrogate pair', Buffer.from([0xed, 0xa0, 0x80])],
    ['UTF-16 without its mark', Buffer.from('ab', 'utf16le')],
    ['a binary file', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0])],
  ])('of %s are refused', (_what, bytes) => {
    expect(() => decodeText(bytes)).toThrow(UnreadableDocument);
  });

  test('are decoded to text without NUL, or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          expect(decodeText(bytes)).not.toContain('\0');
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableDocument);
        }
      }),
    );
  });
});

describe('a file', () => {
  test.each([
    ['a.md', 'text'],
    ['a.MARKDOWN', 'text'],
    ['a.htm', '<p>text</p>'],
    ['a.txt', 'text'],
    ['folder/报告.text', 'text'],
  ])('%s is read by the end of its name', async (path, text) => {
    expect((await readDocument(path, Buffer.from(text))).content).toContain('text');
  });

  test.each(['a', 'a.', 'a.docx', 'a.md.zip', '.md', 'md', 'a.jsonl'])('%s is of no known format', async (path) => {
    await expect(readDocument(path, Buffer.from('text'))).rejects.toThrow(/its format is not known; known are \.md/);
  });

  test('of one byte too many is refused before it is read', async () => {
    await expect(readDocument('a.txt', new Uint8Array(maxDocumentBytes + 1))).rejects.toThrow('it has 21 MB; the most is 20 MB');
  });

  test.each(['', ' \n\t ', '\ufeff'])('of %j holds no text', async (text) => {
    await expect(readDocument('a.txt', Buffer.from(text))).rejects.toThrow('it holds no text');
  });

  test('of plain text is one section, called by its name', () => {
    expect(plainText('notes/睡眠.txt', '  正文。 ')).toEqual({
      path: 'notes/睡眠.txt',
      title: '睡眠',
      content: '正文。',
      sections: [{ anchor: null, headingPath: [], title: '睡眠', content: '正文。' }],
    });
  });
});

describe('a line of JSONL', () => {
  test.each([
    ['{"path":"a.md","text":"t"}', { path: 'a.md', title: 'a.md', content: 't' }],
    ['{"id":7,"content":"t"}', { path: '7', content: 't' }],
    ['{"_id":"d1","title":"T","text":"t"}', { path: 'd1', title: 'T' }],
    ['{"text":"t"}', { path: 'f:1', title: 'f:1' }],
    ['{"text":"a","content":"b"}', { content: 'a' }],
    ['{"text":"","title":"only a title"}', { content: 'only a title' }],
    ['{"text":"t","url":"https://a.example","source_url":"https://b.example"}', { sourceUrl: 'https://b.example' }],
    [
      '{"text":"t","tags":"a, b","type":"internal","updated":"2026-01-02"}',
      { tags: ['a', 'b'], type: 'internal', updated: new Date('2026-01-02') },
    ],
    ['{"text":"t","metadata":{"deep":1}}', { content: 't' }],
  ])('%s is a document', (json, expected) => {
    expect(readJsonLine('f:1', json)).toMatchObject(expected);
  });

  test.each([
    ['', 'the line is no JSON'],
    ['{', 'the line is no JSON'],
    ['null', /line is wrong at the top/],
    ['"text"', /line is wrong at the top/],
    ['{"title":"T"}', 'the line has no "text" and no "content"'],
    ['{"text":5}', 'the line is wrong at text'],
    ['{"text":"t","type":"secret"}', /wrong at type/],
    ['{"text":"t","updated":"x"}', /wrong at updated/],
    ['{"text":"t","path":1}', 'the line is wrong at path'],
    // Longer names do not fit into the index of Postgres.
    [JSON.stringify({ text: 't', path: 'x'.repeat(501) }), 'the line is wrong at path: Too big'],
    [JSON.stringify({ text: 't', id: 'x'.repeat(501) }), 'the line is wrong at id: Too big'],
    [JSON.stringify({ text: 't', _id: 'x'.repeat(501) }), 'the line is wrong at _id: Too big'],
  ])('%j is refused, and why is said', (json, reason) => {
    expect(() => readJsonLine('f:1', json)).toThrow(UnreadableDocument);
    expect(() => readJsonLine('f:1', json)).toThrow(reason);
  });

  test('of any JSON is read or refused', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        try {
          expect(readJsonLine('f:1', json)).toHaveProperty('sections');
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableDocument);
        }
      }),
    );
  });
});

describe('anchors', () => {
  test.each([
    ['How Much Sleep?', 'how-much-sleep'],
    ['成年人睡多久', '成年人睡多久'],
    ['C++ & C#', 'c-c'],
    ['  a   b  ', 'a-b'],
    ['snake_case', 'snake_case'],
    ['', 'section'],
    ['！？', 'section'],
    ['a'.repeat(200), 'a'.repeat(80)],
    [`a${'𝒳'.repeat(100)}`, `a${'𝒳'.repeat(79)}`],
  ])('%j is %j', (title, anchor) => {
    expect(new Anchors().of(title)).toBe(anchor);
  });

  test('of one document are all different, whatever its titles', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('A', 'a', 'A-1', 'a 1', 'b', '', '!'), { maxLength: 12 }), (titles) => {
        const anchors = new Anchors();
        const all = titles.map((title) => anchors.of(title));
        expect(new Set(all).size).toBe(all.length);
      }),
    );
  });
});

describe('a quotation under a heading', () => {
  test.each<[string, readonly string[], object | null]>([
    [
      'all of it',
      ['**How long.** Seven hours.', '**Key terms:** a, b', '**Source:** WHO, 2020, https://who.int/x.'],
      {
        titleEn: 'How long',
        summary: 'Seven hours.',
        keyTerms: ['a', 'b'],
        source: 'WHO, 2020',
        sourceUrl: 'https://who.int/x',
      },
    ],
    [
      'Chinese labels',
      ['**关键词：** 睡眠、时长；小时', '**来源：** 世卫组织，2020'],
      { keyTerms: ['睡眠', '时长', '小时'], source: '世卫组织，2020' },
    ],
    ['a line that goes on', ['**Title.** One', 'and two.'], { titleEn: 'Title', summary: 'One and two.' }],
    ['a Chinese full stop', ['**标题。** 摘要'], { titleEn: '标题', summary: '摘要' }],
    ['another quotation', ['To be or not to be.'], null],
    ['bold words that say nothing of the section', ['**Warning** do not'], null],
    ['a second title', ['**A.** a', '**B.** b'], null],
    ['nothing', [], null],
    ['empty lines', ['', ' '], null],
  ])('%s', (_what, lines, facts) => {
    expect(readSectionFacts(lines)).toEqual(facts);
  });
});

describe('a long section', () => {
  const section = (content: string) => ({ anchor: 'a', headingPath: ['H'], title: 'T', content });

  test('is cut into parts that fit, with nothing lost but spaces', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.constantFrom('。', '\n\n', '. ', '\n', '字'.repeat(700), '😀'.repeat(400)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('').trim();
        const parts = splitLong(section(text));
        const squeezed = (one: string) => one.replaceAll(/\s+/g, '');
        expect(squeezed(parts.map(({ content }) => content).join(''))).toBe(squeezed(text));
        for (const part of parts) {
          expect(codePoints(part.content)).toBeLessThanOrEqual(1_200);
          expect(part.content.isWellFormed()).toBe(text.isWellFormed());
          expect(part).toMatchObject({ anchor: 'a', headingPath: ['H'], title: 'T' });
        }
      }),
    );
  });

  test.each([
    [1_200, 1],
    [1_201, 2],
    [2_400, 2],
    [2_401, 3],
  ])('of %i characters without a pause has %i parts', (length, parts) => {
    expect(splitLong(section('字'.repeat(length)))).toHaveLength(parts);
  });

  test('is cut between paragraphs where it can be, else between sentences', () => {
    const paragraph = `${'a'.repeat(700)}\n\n`;
    expect(splitLong(section(paragraph.repeat(3).trim())).map(({ content }) => content)).toEqual(
      Array.from({ length: 3 }, () => 'a'.repeat(700)),
    );
    const sentence = `${'字'.repeat(699)}。`;
    expect(splitLong(section(sentence.repeat(3))).map(({ content }) => content)).toEqual(Array.from({ length: 3 }, () => sentence));
  });
});
