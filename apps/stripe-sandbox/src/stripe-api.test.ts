import { describe, expect, test } from '@jest/globals';
import { accountOf, demoAccounts } from './accounts.js';
import { Ledger } from './ledger.js';
import { answerOf, type ApiRequest } from './stripe-api.js';

const parts = () => ({ accounts: demoAccounts(), ledger: new Ledger(), marker: 'mark' });
const ask = (given: Partial<ApiRequest>, own = parts()) =>
  answerOf({ method: 'GET', path: '/', parameters: {}, idempotencyKey: null, ...given }, own);
const link = { account: 'acct_ok', type: 'account_onboarding', return_url: 'https://a.example', refresh_url: 'https://b.example' };
const links = (parameters: object) => ask({ method: 'POST', path: '/v1/account_links', parameters: { ...parameters } });

test.each([
  ['GET', '/v1/accounts/acct_ok', 200],
  ['GET', '/v1/accounts/acct_nobody', 403],
  ['POST', '/v1/accounts/acct_ok/login_links', 200],
  ['POST', '/v1/accounts/acct_nobody/login_links', 403],
  ['POST', '/v1/accounts/acct_standard/login_links', 400],
  ['DELETE', '/v1/accounts/acct_ok', 404],
  ['GET', '/v1/accounts', 404],
  ['GET', '/v1/accounts/acct_ok/login_links', 404],
  ['GET', '/v1/account_links', 404],
  ['POST', '/v1/customers', 404],
])('%s %s is answered with %i', (method, path, status) => expect(ask({ method, path })).toMatchObject({ status }));

describe('an account link', () => {
  test('is on Stripe’s domain, marked, lives five minutes, and stands in the ledger', () => {
    const own = parts();
    const answer = ask({ method: 'POST', path: '/v1/account_links', parameters: link, idempotencyKey: 'k' }, own);
    const body = Object(answer.body);
    expect(body).toMatchObject({
      object: 'account_link',
      url: expect.stringMatching(/^https:\/\/connect\.stripe\.com\/setup\/e\/acct_ok\/mark/),
    });
    expect(body.expires_at - body.created).toBe(300);
    expect(own.ledger.links).toMatchObject([{ kind: 'account_link', account: 'acct_ok', url: body.url, idempotencyKey: 'k' }]);
  });

  test.each(['account', 'type', 'return_url', 'refresh_url'])('without %s is refused, and names it', (name) => {
    const { [name as keyof typeof link]: _left, ...rest } = link;
    expect(links(rest)).toMatchObject({ status: 400, body: { error: { code: 'parameter_missing', param: name } } });
  });

  test.each<[object, object]>([
    [
      { ...link, more: '1' },
      { code: 'parameter_unknown', param: 'more' },
    ],
    [{ ...link, type: 'account_update' }, { param: 'type' }],
    [
      { ...link, account: 'acct_nobody' },
      { code: 'resource_missing', param: 'account' },
    ],
    [{ ...link, return_url: ['a'] }, { param: 'return_url' }],
  ])('of %j is refused', (parameters, error) => expect(links(parameters)).toMatchObject({ status: 400, body: { error } }));

  test('may ask for fields that Stripe collects', () =>
    expect(links({ ...link, collect: 'eventually_due' })).toMatchObject({ status: 200 }));
});

test('no two links are the same', () => {
  const urls = Array.from({ length: 20 }, () => Object(links(link).body).url);
  expect(new Set(urls).size).toBe(20);
});

describe('an account', () => {
  test('that is not enabled says what is due', () => {
    expect(accountOf({ id: 'acct_1', enabled: false, due: { currently: ['a'], past: ['b'] } })).toMatchObject({
      charges_enabled: false,
      payouts_enabled: false,
      requirements: { currently_due: ['a'], past_due: ['b'], eventually_due: [], disabled_reason: 'requirements.past_due' },
    });
  });

  test('that is enabled has no reason not to be', () => {
    expect(accountOf({ id: 'acct_1' })).toMatchObject({ type: 'express', charges_enabled: true, requirements: { disabled_reason: null } });
  });

  test('acct_gone is none of the demo’s: the platform knows it and Stripe does not', () => {
    expect([...demoAccounts().keys()]).toEqual(['acct_ok', 'acct_other', 'acct_due', 'acct_standard']);
  });
});
