import { expect, test } from '@jest/globals';
import { errorResult, toRecord, truncateResult } from './tool-results.js';

/** A result whose JSON has so many characters. */
const resultOf = (characters: number, unit = 'x') => ({ a: unit.repeat((characters - '{"a":""}'.length) / unit.length) });

test('an error has details where there are some', () => {
  const error = { code: 'INVALID_PARAMS', message: 'No', retryable: false };
  expect(errorResult(error)).toEqual({ status: 'error', error });
  const details = [{ path: 'a', message: 'must be there' }];
  expect(errorResult({ ...error, details })).toEqual({ status: 'error', error: { ...error, details } });
});

test('a result of 200,000 characters stays whole, one more cuts it', () => {
  const whole = resultOf(200_000);
  expect(truncateResult(whole)).toBe(whole);
  const large = resultOf(200_001);
  expect(truncateResult(large)).toEqual({ truncated: true, characters: 200_001, text: JSON.stringify(large).slice(0, 200_000) });
});

test('a cut never leaves half a character', () => {
  const { text } = truncateResult({ ab: '😀'.repeat(150_000) });
  expect(String(text).isWellFormed()).toBe(true);
});

test.each([
  [{ a: 1 }, { a: 1 }],
  [null, {}],
  ['text', {}],
  [undefined, {}],
])('%j as a record is %j', (data, record) => {
  expect(toRecord(data)).toEqual(record);
});
