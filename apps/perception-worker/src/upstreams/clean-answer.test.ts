import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cleanAnswer } from './clean-answer.js';

describe('an answer of a stranger', () => {
  test.each([
    ['a NUL', { a: ['x\0y'] }, { a: ['xy'] }],
    ['half a surrogate pair', { a: 'x\ud83d' }, { a: 'x\ufffd' }],
    ['a name with a NUL', { 'a\0': 1 }, { a: 1 }],
    ['a prototype', JSON.parse('{"__proto__":{"x":1},"b":2}'), { b: 2 }],
    ['a constructor with a prototype', { constructor: { prototype: { x: 1 } }, b: { c: 3 } }, { b: { c: 3 } }],
  ])('with %s is cleaned, and the change is told', (_, answer, cleaned) => {
    const { value, changes } = cleanAnswer(answer);
    expect(value).toEqual(cleaned);
    expect(changes).toHaveLength(1);
  });

  test('stays as it is otherwise, a constructor that is a text too', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((one) => !one.includes('\0') && one !== '__proto__');
    const { answer } = fc.letrec<{ answer: unknown }>((tie) => ({
      answer: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('answer')),
        fc.dictionary(text, tie('answer')),
      ),
    }));
    fc.assert(
      fc.property(answer, (given) => expect(cleanAnswer(given)).toEqual({ value: JSON.parse(JSON.stringify(given)), changes: [] })),
    );
    expect(cleanAnswer({ constructor: 'Ford' })).toEqual({ value: { constructor: 'Ford' }, changes: [] });
  });
});
