import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ItemSplitter, LineSplitter, mostPieceBytes, PieceTooLong, type BodySplitter } from './body-splitter.js';

/** The pieces of a text that comes in parts of these sizes. */
function cut(splitter: BodySplitter, text: string, sizes: readonly number[]): readonly string[] {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0, part = 0; at < bytes.length; part++) {
    const size = sizes[part % sizes.length] ?? 1;
    pieces.push(...splitter.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return [...pieces, ...splitter.end()].map(String);
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
const space = fc.constantFrom('', ' ', '\n  ', '\r\n\t');

describe('The calls of a JSON body', () => {
  test('are its items, whatever they hold and however it comes', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()), sizes, space, (calls, others, parts, gap) => {
        const { calls: _, ...around } = others;
        for (const body of [
          { ...around, calls },
          { calls, ...around },
        ]) {
          const text = JSON.stringify(body, null, gap).replace('"calls":', `"calls"${gap}:${gap}`);
          const splitter = new ItemSplitter();
          expect(cut(splitter, text, parts).map((item) => JSON.parse(item))).toEqual(JSON.parse(JSON.stringify(calls)));
          expect(JSON.parse(splitter.around.toString())).toEqual(JSON.parse(JSON.stringify({ ...around, calls: [] })));
        }
      }),
    );
  });

  test.each([
    ['a list of another name', '{"call":[1,2]}', [], '{"call":[1,2]}'],
    ['a list of this name further inside', '{"a":{"calls":[1]}}', [], '{"a":{"calls":[1]}}'],
    ['the name as a text', '{"a":"\\"calls\\":[","b":[1]}', [], '{"a":"\\"calls\\":[","b":[1]}'],
    ['a missing item', '{"calls":[1,,2]}', ['1', '', '2'], '{"calls":[]}'],
    ['a comma at the end', '{"calls":[1,]}', ['1', ''], '{"calls":[]}'],
    ['no end', '{"calls":[1,{"a":', ['1'], '{"calls":['],
    ['nothing', '', [], ''],
  ])('with %s', (_, text, items, around) => {
    const splitter = new ItemSplitter();
    expect(cut(splitter, text, [3])).toEqual(items);
    expect(splitter.around.toString()).toBe(around);
  });
});

test('The lines of NDJSON are those that are not empty', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.jsonValue().map((value) => JSON.stringify(value)),
          space.filter((one) => !one.includes('\n')),
        ),
      ),
      sizes,
      (texts, parts) => {
        const expected = texts.filter((text) => text.trim() !== '');
        expect(cut(new LineSplitter(), texts.join('\n'), parts)).toEqual(expected);
        expect(cut(new LineSplitter(), `${texts.join('\r\n')}\r\n`, parts).map((line) => line.trim())).toEqual(
          expected.map((line) => line.trim()),
        );
      },
    ),
  );
});

test.each([
  ['a line', new LineSplitter(), ''],
  ['an item', new ItemSplitter(), '{"calls":["'],
  ['what stands around', new ItemSplitter(), '{"a":"'],
])('%s that is too long is not kept', (_, splitter, before) => {
  splitter.push(Buffer.from(before));
  const part = Buffer.alloc(mostPieceBytes / 2, 'x');
  splitter.push(part);
  expect(() => {
    splitter.push(part);
    splitter.push(Buffer.from('x'));
  }).toThrow(PieceTooLong);
});
