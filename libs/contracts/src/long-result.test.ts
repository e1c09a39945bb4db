import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cutForModel, partOf, resultText, wholeCharacterAt } from './long-result.js';

const reader = { most: 2_000, resultId: 'inv_1', tool: 'get_result with', url: 'https://invoq.example.com/results/inv_1' };

describe('what a model reads of a result', () => {
  test('is the whole where it has as many characters as may be, and the beginning of one that has one more', () => {
    const fits = { a: 'x'.repeat(2_000 - '{"a":""}'.length) };
    expect(cutForModel(fits, reader)).toBe(fits);
    const cut = cutForModel({ a: `${fits.a}x` }, reader);
    expect(cut).toMatchObject({ truncated: true, characters: 2_001, result_id: 'inv_1', url: reader.url });
    expect(JSON.stringify(cut).length).toBeLessThanOrEqual(2_000);
  });

  test.each([
    ['emoji', '😀'],
    ['Chinese', '山'],
    ['quotes', '"'],
    ['line breaks', '\n'],
    ['control characters', '\u0001'],
    ['halves of characters', '\ud83d'],
    ['backslashes', '\\'],
  ])('never has more characters, nor half of one: %s', (_name, unit) => {
    for (const before of ['', 'x', 'xy']) {
      const data = { a: before + unit.repeat(5_000) };
      const cut = Object(cutForModel(data, reader));
      expect(JSON.stringify(cut).length).toBeLessThanOrEqual(2_000);
      expect(JSON.stringify(cut).length).toBeGreaterThan(1_900);
      expect(cut.beginning.isWellFormed()).toBe(true);
      expect(resultText(data).startsWith(cut.beginning)).toBe(true);
    }
  });

  test('says where to read on, and who cannot is told to ask for less', () => {
    const data = { rows: Array.from({ length: 500 }, (_, id) => ({ id, name: `row ${id}` })) };
    const cut = Object(cutForModel(data, reader));
    expect(cut.read_on).toContain(`Call get_result with this result_id and offset ${cut.beginning.length}`);
    expect(cut.beginning).toMatch(/[ ,]$/);
    expect(Object(cutForModel(data, { ...reader, tool: null })).read_on).toContain('reads the whole at url');
    const unknown = Object(cutForModel(data, { ...reader, resultId: undefined }));
    expect(unknown.read_on).toMatch(/Ask for less of it\.$/);
    expect(unknown).not.toHaveProperty('url');
  });

  test('of a long answer of an outside server, which is a file, says how to read that', () => {
    const kept = { truncated: true, url: 'https://invoq.example.com/files/f', filename: 'a.json', beginning: '{"a' };
    expect(cutForModel(kept, reader)).toMatchObject({ ...kept, result_id: 'inv_1', read_on: expect.stringContaining('offset 3') });
    expect(cutForModel({ ...kept, url: 'none' }, reader)).toEqual({ ...kept, url: 'none' });
  });

  test.each([[undefined], [null], [7], ['text'], [[1, 2]]])('is %j as it is', (data) => {
    expect(cutForModel(data, reader)).toBe(data);
  });

  test('that is very deep is cut like any other', () => {
    const deep = JSON.parse(`${'['.repeat(3_000)}1${']'.repeat(3_000)}`);
    expect(cutForModel({ deep }, reader)).toMatchObject({ truncated: true, characters: 6_010 });
  });
});

test('parts one after the other are the whole, whatever it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 40 }), (value, most) => {
      const text = resultText(value);
      let read = '';
      for (let offset = 0; offset < text.length;) {
        const part = partOf(text, offset, most);
        expect(part.isWellFormed()).toBe(true);
        // A single character may need more room than there is.
        if (part.length > 2) expect(JSON.stringify(part).length - 2).toBeLessThanOrEqual(most);
        read += part;
        offset += part.length;
      }
      expect(read).toBe(text);
    }),
  );
});

test('a part begins with a whole character', () => {
  expect([0, 1, 2, 3, 4].map((at) => wholeCharacterAt('x😀y', at))).toEqual([0, 1, 1, 3, 4]);
});
