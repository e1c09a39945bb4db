// The sandbox as Stripe's own package and plain HTTP meet it: what tests lean on must itself hold.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import Stripe from 'stripe';
import { StripeSandbox } from './sandbox.js';

let sandbox: StripeSandbox;
let stripe: Stripe;

beforeAll(async () => {
  sandbox = await StripeSandbox.start();
  const { hostname, port } = new URL(sandbox.url);
  stripe = new Stripe('rk_test_x', { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false });
});
afterAll(async () => sandbox?.[Symbol.asyncDispose]());
beforeEach(() => sandbox.reset());

const link = (returnUrl = 'https://app.example.com/a') =>
  ({ account: 'acct_ok', type: 'account_onboarding', return_url: returnUrl, refresh_url: 'https://app.example.com/b' }) as const;
const control = async (method: string, path: string, body?: object) => {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const response = await fetch(`${sandbox.url}/_sandbox/${path}`, init);
  const answer: unknown = await response.json();
  return [response.status, answer];
};

describe('Stripe’s own package', () => {
  test('reads accounts and makes links', async () => {
    expect(await stripe.accounts.retrieve('acct_ok')).toMatchObject({ object: 'account', payouts_enabled: true, type: 'express' });
    expect(await stripe.accountLinks.create(link())).toMatchObject({
      object: 'account_link',
      url: expect.stringContaining('/setup/e/acct_ok/'),
    });
    expect(await stripe.accounts.createLoginLink('acct_ok')).toMatchObject({ object: 'login_link' });
  });

  test('meets the errors that it knows', async () => {
    await expect(stripe.accounts.retrieve('acct_nobody')).rejects.toMatchObject({ statusCode: 403, code: 'account_invalid' });
    await expect(stripe.accountLinks.create({ ...link(), account: 'acct_nobody' })).rejects.toMatchObject({
      statusCode: 400,
      param: 'account',
    });
    await expect(stripe.accounts.createLoginLink('acct_standard')).rejects.toMatchObject({
      statusCode: 400,
      type: 'StripeInvalidRequestError',
    });
    await expect(stripe.accounts.retrieve('acct_ok', {}, { apiKey: 'nonsense' })).rejects.toMatchObject({ statusCode: 401 });
    await expect(stripe.customers.create({})).rejects.toMatchObject({ statusCode: 404 });
    expect(sandbox.ledger.links).toEqual([]);
  });

  test('is answered the same for the same idempotency key, and refused for other parameters', async () => {
    const key = { idempotencyKey: 'k1' };
    const first = await stripe.accountLinks.create(link(), key);
    const again = await stripe.accountLinks.create(link(), key);
    expect(again.url).toBe(first.url);
    await expect(stripe.accountLinks.create(link('https://app.example.com/other'), key)).rejects.toMatchObject({
      type: 'StripeIdempotencyError',
    });
    expect(sandbox.ledger.links).toHaveLength(1);
    sandbox.faults.add({ kind: 'status', status: 500, saved: true });
    await expect(stripe.accountLinks.create(link(), { idempotencyKey: 'k2' })).rejects.toMatchObject({ statusCode: 500 });
    await expect(stripe.accountLinks.create(link(), { idempotencyKey: 'k2' })).rejects.toMatchObject({ statusCode: 500 });
  });
});

describe('the control door', () => {
  test('takes faults, settings, keys and accounts, and shows the ledger', async () => {
    expect(await control('POST', 'accounts', { id: 'acct_new', enabled: false })).toMatchObject([200, { payouts_enabled: false }]);
    expect(await control('POST', 'settings', { marker: 'mark' })).toEqual([200, {}]);
    expect(await control('POST', 'faults', { kind: 'rate-limit', retryAfter: '3', on: 'POST /v1/account_links' })).toEqual([200, {}]);
    expect((await stripe.accounts.retrieve('acct_new')).id).toBe('acct_new');
    await expect(stripe.accountLinks.create(link())).rejects.toMatchObject({ statusCode: 429, headers: { 'retry-after': '3' } });
    expect((await stripe.accountLinks.create(link())).url).toContain('mark');
    expect(await control('GET', 'ledger')).toMatchObject([200, { calls: [{ method: 'GET' }, {}, {}], links: [{ kind: 'account_link' }] }]);
  });

  test('says what it does not take', async () => {
    expect(await control('POST', 'faults', { kind: 'earthquake' })).toMatchObject([400, { error: expect.stringContaining('kind') }]);
    expect(await control('GET', 'nothing')).toMatchObject([404, {}]);
  });

  test('revokes keys', async () => {
    await using own = await StripeSandbox.start();
    own.keys.grant('rk_test_read', 'read');
    expect(own.keys.refuse('rk_test_read', 'GET')).toBeNull();
    expect(own.keys.refuse('rk_test_read', 'POST')).toMatchObject({ status: 403 });
    own.keys.revoke('rk_test_read');
    own.keys.grant('rk_test_other', 'write');
    expect(own.keys.refuse('rk_test_read', 'GET')).toMatchObject({ status: 401 });
  });
});
