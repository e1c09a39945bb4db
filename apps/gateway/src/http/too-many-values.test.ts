import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkValue } from './checked-value.js';
import { holdsTooManyValues } from './too-many-values.js';

const tells = (text: string, most: number) => holdsTooManyValues(Buffer.from(text), most);

describe('too many values are told without parsing', () => {
  test('in whatever text they are, and nowhere else', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(40), (value, most) => {
        const text = JSON.stringify(value);
        const values = checkValueOrNull(JSON.parse(text));
        fc.pre(values !== null);
        // It never refuses what has few, and what it lets through has at most twice as many.
        if (tells(text, most)) expect(values).toBeGreaterThan(most);
        else expect(values).toBeLessThanOrEqual(2 * most + 1);
      }),
    );
  });

  test.each([
    ['a list', `[${'1,'.repeat(20)}1]`, true],
    ['names', `{${'"a":1,'.repeat(20)}"a":1}`, true],
    ['nested lists', `${'['.repeat(21)}${']'.repeat(21)}`, true],
    ['lists beside each other', `[${'[],'.repeat(20)}[]]`, true],
    ['strings that follow each other, which is no JSON', '""'.repeat(30), true],
    ['commas and brackets in a text', JSON.stringify({ a: '[,{'.repeat(100) }), false],
    ['escaped quotes in a text', JSON.stringify({ a: '","'.repeat(100) }), false],
    ['a text that ends in backslashes', JSON.stringify(['\\\\', ',,,,,,,,,,,,,,,,,,,,,,,,,,']), false],
    ['a text without an end', '"\\', false],
    ['nothing', '', false],
  ])('%s', (_what, text, tooMany) => expect(tells(text, 10)).toBe(tooMany));
});

function checkValueOrNull(value: unknown): number | null {
  try {
    return checkValue(value, 'the body');
  } catch {
    return null;
  }
}
