import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Refusal } from '#lib/contracts';
import { parseJson } from './json-body.js';

function refused(text: string): string {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof Refusal) return error.error.message;
    throw error;
  }
  throw new Error('was let through');
}

test('JSON that is safe comes through as it is', () => {
  const texts = fc
    .dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 10 }))
    .map((value) => JSON.stringify(value))
    // At any depth: what follows in this file is refused.
    .filter((text) => !/\\u0000|"__proto__":|"constructor":\{/.test(text));
  fc.assert(
    fc.property(texts, (text) => {
      expect(parseJson(text).value).toEqual(JSON.parse(text));
    }),
  );
});

test('an empty body is an absent one', () => {
  expect(parseJson('').value).toBeUndefined();
  expect(parseJson('  \n').value).toBeUndefined();
});

test('what a body holds is counted, at all depths', () => {
  expect(parseJson('{"a":[1,2,{"b":null}],"c":"x"}').values).toBe(6);
});

describe('refused with a message that helps', () => {
  test.each([
    ['{"a":1', /ends too early/],
    ['{"a":tru}', /not valid JSON: unexpected text/],
    ['{"a":1e400}', /number that is too large/],
    ['{"a":"x\\u0000y"}', /NUL/],
    ['{"\\u0000":1}', /NUL/],
    ['{"a":"\\ud800"}', /surrogate/],
    ['{"a":["ok","\\udc00x"]}', /surrogate/],
    ['{"__proto__":{"admin":true}}', /__proto__/],
    ['{"a":{"constructor":{"prototype":{"x":1}}}}', /constructor/],
    [`${'['.repeat(65)}1${']'.repeat(65)}`, /more than 64 levels/],
    [`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`, /more than 64 levels/],
    [JSON.stringify(Array.from({ length: 20_001 }, () => 1)), /more than 20000 values/],
    ['{"ok":1,"name":{"x":["\\ud800"]}}', /^'name' in the body holds half/],
  ])('%.40s', (text, message) => expect(refused(text)).toMatch(message));

  test('and without the text itself, which may hold a secret', () => {
    expect(refused('{"password":"hunter2" oops}')).not.toContain('hunter2');
  });
});

test('64 levels are let through, and a plain field named constructor is', () => {
  expect(() => parseJson(`${'['.repeat(64)}1${']'.repeat(64)}`)).not.toThrow();
  expect(parseJson('{"constructor":"Gehry"}').value).toEqual({ constructor: 'Gehry' });
});
