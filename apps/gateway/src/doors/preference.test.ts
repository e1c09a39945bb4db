import { describe, expect, test } from '@jest/globals';
import { acceptedTypes, waitPreferenceOf, waitParameter } from './preference.js';

describe('Prefer', () => {
  test.each([
    [undefined, { kind: 'deadline' }],
    ['respond-async', { kind: 'seconds', seconds: 0 }],
    ['Respond-Async, wait=5', { kind: 'seconds', seconds: 5 }],
    ['wait=0', { kind: 'seconds', seconds: 0 }],
    ['return=minimal; wait="7"', { kind: 'seconds', seconds: 7 }],
    ['wait=100000', { kind: 'seconds', seconds: 60 }],
    ['handling=lenient', { kind: 'deadline' }],
    ['wait=soon', { kind: 'deadline' }],
    ['x-respond-async', { kind: 'deadline' }],
  ])('%s', (header, patience) => expect(waitPreferenceOf(header)).toEqual(patience));
});

describe('Accept', () => {
  test.each([
    [undefined, { json: true, stream: false }],
    ['*/*', { json: true, stream: false }],
    ['application/json', { json: true, stream: false }],
    ['text/event-stream', { json: false, stream: true }],
    ['text/event-stream, application/json;q=0.5', { json: true, stream: true }],
    ['text/html', { json: true, stream: false }],
  ])('%s', (header, accepted) => expect(acceptedTypes(header)).toEqual(accepted));
});

test('?wait= takes seconds up to a minute and nothing else', () => {
  expect(waitParameter(undefined)).toBe(0);
  expect(waitParameter('2.5')).toBe(2.5);
  expect(waitParameter('600')).toBe(60);
  for (const bad of ['', '-1', 'x', '1e9', ['1']]) expect(() => waitParameter(bad)).toThrow(/wait/);
});
