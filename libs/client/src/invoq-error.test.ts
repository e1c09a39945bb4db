import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { connectionLost, isEnvelope, parseRetryAfter, refusalOf } from './invoq-error.js';

const now = Date.parse('2026-01-01T00:00:00Z');

test.each([
  [null, undefined],
  ['0', 0],
  ['120', 120_000],
  ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
  ['Wed, 31 Dec 2025 23:59:59 GMT', 0],
  ['soon', undefined],
  ['', undefined],
])('Retry-After %j means %p ms', (value, ms) => {
  expect(parseRetryAfter(value, now)).toBe(ms);
});

test('whatever Retry-After holds, the delay is none or not negative', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const ms = parseRetryAfter(value, now);
      expect(ms === undefined || ms >= 0).toBe(true);
    }),
  );
});

test.each([
  [429, true],
  [502, true],
  [503, true],
  [504, true],
  [400, false],
  [404, false],
  [500, false],
])('an answer of a proxy with status %i may pass: %p', (status, retryable) => {
  const error = refusalOf({ status, headers: new Headers({ 'retry-after': '2' }) }, undefined);
  expect(error).toMatchObject({ status, retryable, retryAfterMs: retryable ? 2_000 : undefined, envelope: undefined, mayHaveRun: true });
});

test('only what has success and metadata is an envelope', () => {
  expect(isEnvelope({ success: false, metadata: {} })).toBe(true);
  for (const other of [null, 'text', [], {}, { success: true }, { success: 'yes', metadata: {} }, { success: true, metadata: null }])
    expect(isEnvelope(other)).toBe(false);
});

test.each([
  [new TypeError('fetch failed', { cause: Object.assign(new Error('connect'), { code: 'ECONNRESET' }) }), /ECONNRESET/],
  [new Error('the reason itself'), /the reason itself/],
  ['a text', /a text/],
  [null, /null/],
])('a lost connection names its reason: %p', (cause, message) => {
  expect(connectionLost(cause)).toMatchObject({ code: 'NETWORK_ERROR', status: 0, cause, message: expect.stringMatching(message) });
});
