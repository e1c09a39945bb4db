import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { endpointOf, redactAnswer } from './redact-answer.js';

test('a link is shown without the link', () => {
  expect(redactAnswer({ object: 'account_link', created: 1, expires_at: 2, url: 'https://connect.stripe.com/setup/s/once' })).toEqual({
    object: 'account_link',
    created: 1,
    expires_at: 2,
    url: '[redacted]',
  });
});

test('an account is shown by its switches and what is due, not by whose it is', () => {
  const account = {
    object: 'account',
    id: 'acct_1',
    email: 'a@b.example',
    payouts_enabled: false,
    requirements: { currently_due: ['individual.verification.document'], errors: [{ reason: 'Jane Doe has moved' }] },
  };
  expect(redactAnswer(account)).toEqual({
    object: 'account',
    id: '[redacted]',
    email: '[redacted]',
    payouts_enabled: false,
    requirements: { currently_due: ['individual.verification.document'], errors: '[redacted]' },
  });
});

test('of an error the kind is shown and not the text', () => {
  const error = { type: 'invalid_request_error', code: 'account_invalid', message: 'The provided key rk_test_abc does not have access' };
  expect(redactAnswer({ error })).toEqual({ error: { type: 'invalid_request_error', code: 'account_invalid', message: '[redacted]' } });
  expect(redactAnswer({ error: { code: 'Key rk_live_1' } })).toEqual({ error: { code: '[redacted]' } });
});

test('an endpoint is named without the account', () => {
  expect(endpointOf('/v1/accounts/acct_ok/login_links?x=1')).toBe('/v1/accounts/{account}/login_links');
});

test.each([
  ['/v1/accounts/acct_1', '/v1/accounts/{account}'],
  ['/v1/account_links', '/v1/account_links'],
  ['/v1/accounts?limit=1', '/v1/accounts'],
])('the path %s is named %s', (path, endpoint) => expect(endpointOf(path)).toBe(endpoint));

test.each([
  ['external_account', true],
  ['individual.verification.document', true],
  ['company.owners[0]', true],
  ['Jane', false],
  ['jane doe', false],
  ['https://connect.stripe.com', false],
  ['sk_live_4711X', false],
  [`a${'b'.repeat(81)}`, false],
  ['', false],
])('the word %j of Stripe is shown: %s', (text, isShown) => expect(redactAnswer(text)).toBe(isShown ? text : '[redacted]'));

test('a field that is not on the list never shows its value, however deep it stands', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('email', 'url', 'id', 'message', 'name'), (value, field) => {
      const marked = { error: { requirements: { [field]: { secret: 'THE SECRET', value } } } };
      expect(JSON.stringify(redactAnswer(marked))).not.toContain('THE SECRET');
    }),
  );
});

test('numbers, switches and nulls stay as they are', () => {
  fc.assert(
    fc.property(fc.oneof(fc.integer(), fc.boolean(), fc.constant(null)), (value) => {
      expect(redactAnswer({ created: value, livemode: [value] })).toEqual({ created: value, livemode: [value] });
    }),
  );
});
