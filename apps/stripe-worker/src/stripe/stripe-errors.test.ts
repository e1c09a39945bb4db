import { describe, expect, test } from '@jest/globals';
import { Failure } from '#lib/handlers';
import fc from 'fast-check';
import Stripe from 'stripe';
import { translateStripeError, StripeRefusal } from './stripe-errors.js';

const answered = (statusCode: number, rest: { code?: string; param?: string; headers?: Record<string, string> } = {}) =>
  Stripe.errors.StripeError.generate({ statusCode, type: 'invalid_request_error', message: 'sk_live_secret of db-7', ...rest });

describe('what Stripe answered', () => {
  test.each([
    [429, {}, { kind: 'rate-limit', retryable: true }],
    [400, { code: 'lock_timeout' }, { kind: 'rate-limit', retryable: true }],
    [500, {}, { kind: 'service', retryable: true }],
    [503, {}, { kind: 'service', retryable: true }],
    [409, {}, { kind: 'service', retryable: true }],
    [402, {}, { kind: 'service', retryable: false }],
    [302, {}, { kind: 'service', retryable: false }],
    [200, {}, { kind: 'service', retryable: true }],
    [500, { headers: { 'stripe-should-retry': 'false' } }, { kind: 'service', retryable: false }],
    [429, { headers: { 'stripe-should-retry': 'false' } }, { kind: 'rate-limit', retryable: false }],
    [400, { headers: { 'stripe-should-retry': 'true' } }, { kind: 'service', retryable: true }],
  ] as const)('%i %j is the failure %j', (status, rest, failure) => {
    expect(translateStripeError(answered(status, rest))).toMatchObject({ name: 'Failure', ...failure });
  });

  test.each([
    [400, {}, 'account'],
    [404, {}, 'account'],
    [403, { code: 'account_invalid' }, 'account'],
    [401, {}, 'key'],
    [403, {}, 'key'],
    [400, { param: 'return_url' }, 'urls'],
  ] as const)('%i %j is a refusal about the %s', (status, rest, about) => {
    const fault = translateStripeError(answered(status, rest));
    expect(fault).toBeInstanceOf(StripeRefusal);
    expect(fault).toMatchObject({ about });
  });

  test('is told with its hint in milliseconds', () => {
    expect(translateStripeError(answered(429, { headers: { 'retry-after': '2' } }))).toMatchObject({ hintMs: 2_000 });
    expect(translateStripeError(answered(429, { headers: { 'retry-after': 'soon' } }))).toMatchObject({ hintMs: undefined });
  });

  test('never speaks in Stripe’s own words, whatever they are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), fc.string({ minLength: 12 }), (statusCode, words) => {
        const fault = translateStripeError(
          Stripe.errors.StripeError.generate({ statusCode, type: 'api_error', message: words, requestId: words }),
        );
        expect(`${fault.message}${String(fault.cause)}`).not.toContain(words);
      }),
    );
  });

  test('is no answer at all when the connection failed', () => {
    const detail = new Failure('network', 'no whole answer from Stripe');
    expect(translateStripeError(new Stripe.errors.StripeConnectionError({ message: 'x', detail }))).toBe(detail);
  });
});
