import { expect, test } from '@jest/globals';
import { Refusal } from '#lib/contracts';
import { toRefusal } from './to-refusal.js';

const withCode = (code: string) => Object.assign(new Error('x'), { code });
const named = (name: string) => Object.assign(new Error('x'), { name });

test('a refusal stays what it is', () => {
  const refusal = new Refusal('CONFLICT', 'taken');
  expect(toRefusal(refusal)).toBe(refusal);
});

test.each([
  [named('MaxRetriesPerRequestError'), 'NETWORK_ERROR'],
  [named('AbortError'), 'NETWORK_ERROR'],
  [new Error('Connection is closed.'), 'NETWORK_ERROR'],
  [new Error("Stream isn't writeable and enableOfflineQueue options is false"), 'NETWORK_ERROR'],
  [withCode('ECONNREFUSED'), 'NETWORK_ERROR'],
  [withCode('ETIMEDOUT'), 'NETWORK_ERROR'],
  // The pipeline knows no HTTP: a status of an upstream says nothing about the request.
  [Object.assign(new Error('x'), { statusCode: 400 }), 'EXECUTION_ERROR'],
  [new TypeError('x is not a function'), 'EXECUTION_ERROR'],
  ['text', 'EXECUTION_ERROR'],
  [undefined, 'EXECUTION_ERROR'],
])('%s is %s', (error, family) => {
  expect(toRefusal(error).error.family).toBe(family);
});

test('an internal fault is not described', () => {
  expect(toRefusal(new Error('password=hunter2')).error.message).not.toContain('hunter2');
});
