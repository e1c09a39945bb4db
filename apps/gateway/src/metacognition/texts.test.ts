import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { overlap, textsIn } from './texts.js';

describe('The texts of an answer', () => {
  test('are its strings and numbers with the names of their fields, lists without a name of their own', () => {
    expect(textsIn({ a: 'x', b: [1, { c: 'y' }], d: { e: [['z']] }, f: null, g: true })).toEqual([
      { field: 'a', text: 'x' },
      { field: 'b', text: '1' },
      { field: 'c', text: 'y' },
      { field: 'e', text: 'z' },
    ]);
    expect(textsIn('x')).toEqual([{ field: '', text: 'x' }]);
  });

  test('are 200 of a list and 2,000 in all at most', () => {
    expect(textsIn(Array.from({ length: 201 }, () => 'x'))).toHaveLength(200);
    expect(textsIn(Array.from({ length: 20 }, () => Array.from({ length: 150 }, () => 'x')))).toHaveLength(2_000);
  });

  test('can be read from anything', () => {
    fc.assert(fc.property(fc.jsonValue(), (data) => textsIn(data).every(({ text }) => typeof text === 'string')));
  });
});

describe('The overlap of a question and an answer', () => {
  test.each([
    ['', 'anything', 1],
    ['what is the', 'nothing', 1],
    ['blood pressure', 'the pressure of blood', 1],
    ['blood pressure', 'blood', 0.5],
    ['reduce', 'reducing', 1],
    ['salt', 'SALT', 1],
    ['高血压', '患者的高血压', 1],
    ['salt', 'sugar', 0],
  ])('of %j and %j is %d', (question, answer, share) => {
    expect(overlap(question, answer)).toBe(share);
  });

  test('is a share, and whole for the question itself', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (question, answer) => {
        const share = overlap(question, answer);
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1);
        expect(overlap(question, question)).toBe(1);
      }),
    );
  });
});
