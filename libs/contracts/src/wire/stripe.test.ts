import { expect, test } from '@jest/globals';
import { Refusal } from '../errors.js';
import { toStripe } from './stripe.js';

test('a success is flat, its fields beside success', () => {
  expect(toStripe({ ok: true, data: { found: true, merchant_id: 'm' }, message: 'said', warnings: ['w'] })).toEqual({
    success: true,
    found: true,
    merchant_id: 'm',
  });
});

test('a failure is the literal with when to come back and where else to turn, and nothing else of the error', () => {
  const error = {
    code: 'TIMEOUT',
    family: 'TIMEOUT',
    native_code: 'upstream_error',
    message: 'Too slow',
    retry_after_ms: 2_000,
    extra: { suggestion: 'Later.', fallback: ['retry_later'], limit: 5 },
  } as const;
  expect(toStripe({ ok: false, error })).toEqual({
    success: false,
    error: 'upstream_error',
    message: 'Too slow',
    retry_after_ms: 2_000,
    suggestion: 'Later.',
    fallback: ['retry_later'],
  });
});

test.each([
  ['UNAUTHORIZED', 'unauthorized'],
  ['PERMISSION_DENIED', 'unauthorized'],
  ['RATE_LIMITED', 'rate_limited'],
  ['INVALID_PARAMS', 'invalid_request'],
  ['PAYLOAD_TOO_LARGE', 'invalid_request'],
  ['TOOL_NOT_FOUND', 'not_found'],
  ['NETWORK_ERROR', 'upstream_error'],
] as const)('%s from outside any tool is %s', (code, literal) => {
  expect(toStripe({ ok: false, error: new Refusal(code, 'm').error })).toMatchObject({ success: false, error: literal });
});
