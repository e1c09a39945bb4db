// The four tools as the worker runs them: merchants of a real Postgres, the sandbox in place of Stripe.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { validateInput, type Caller } from '#lib/contracts';
import { givenStores } from '#lib/testing';
import { runTool, type Handler } from '#lib/handlers';
import { StripeSandbox } from '../../../stripe-sandbox/src/sandbox.js';
import { Merchants } from '../platform/merchants.js';
import type { StripeServices } from '../services.js';
import { Keyring } from '../stripe/keyring.js';
import { stripeAt } from '../stripe/stripe-api.js';
import { TestPlatform } from '../test-platform.js';
import {
  handleConnectGenerateRelinkUrl as relink,
  handleExpressDashboardLoginLink as login,
  handleStripeGetAccountStatus as status,
  handleSupabaseGetMerchantRow as row,
} from './index.js';

let sandbox: StripeSandbox;
let platform: TestPlatform;
let services: StripeServices;

beforeAll(async () => {
  sandbox = await StripeSandbox.start();
  platform = new TestPlatform(givenStores().databaseUrl);
  const keys = new Keyring({ keys: 'rk_test_tools' });
  services = {
    stripe: stripeAt({ base: sandbox.url, linkKeys: keys, readKeys: keys }),
    merchants: new Merchants(platform.reader),
    pseudonym: (id) => `pseudonym of ${id.length} characters`,
    loginLinkSeconds: 300,
  };
  await platform.addMerchant({ id: 'm_ok', account: 'acct_ok', name: 'Corner Bakery' });
  await platform.addMerchant({ id: 'm_gone', account: 'acct_gone' });
  await platform.addMerchant({ id: 'm_standard', account: 'acct_standard' });
  await platform.addMerchant({ id: 'm_new' });
  await platform.addMerchant({ id: 'm_other', account: 'acct_other', userId: 'bob' });
  await platform.addSession('s_ok', 'm_ok');
  await platform.addOrigin('https://app.example.com');
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await sandbox[Symbol.asyncDispose]();
});
beforeEach(() => sandbox.reset());

let jobs = 0;
function run(
  handler: Handler<StripeServices>,
  input: object,
  given: { jobId?: string; sessionId?: string; services?: StripeServices; known?: readonly string[] } = {},
) {
  const caller: Caller = { tenantId: platform.tenantId, userId: 'alice', tier: 'pro', scopes: [], credentialId: 'k' };
  return runTool(handler, given.services ?? services, {
    jobId: given.jobId ?? `job-${++jobs}`,
    number: 1,
    input: validateInput(handler.contract, input),
    caller,
    sessionId: given.sessionId ?? null,
    known: given.known,
    stop: new AbortController().signal,
    onProgress: () => undefined,
  });
}

const urls = { return_url: 'https://app.example.com/done', refresh_url: 'https://app.example.com/again' };
const native = (code: string) => ({ kind: 'refused', error: expect.objectContaining({ native_code: code }) });
const withoutKeys = (): StripeServices => {
  const none = new Keyring({});
  return { ...services, stripe: stripeAt({ base: sandbox.url, linkKeys: none, readKeys: none }) };
};

describe('stripe_get_account_status', () => {
  test('tells how an account stands, and when that was seen', async () => {
    const before = Date.now();
    const result = await run(status, { stripe_account_id: 'acct_ok' });
    expect(result).toMatchObject({
      kind: 'done',
      data: { payouts_enabled: true, charges_enabled: true, requirements: { currently_due: [], eventually_due: ['individual.id_number'] } },
      facts: { account_id: 'acct_ok' },
    });
    expect(result.kind === 'done' && Date.parse(Object(result.data).observed_at)).toBeGreaterThanOrEqual(before);
  });

  test.each([
    ['acct_other', 'unauthorized'],
    ['acct_nobody', 'unauthorized'],
    ['acct_gone', 'not_found'],
  ])('of %s is refused as %s', async (account, code) => {
    expect(await run(status, { stripe_account_id: account })).toMatchObject(native(code));
  });

  test('asks Stripe nothing about the account of somebody else', async () => {
    await run(status, { stripe_account_id: 'acct_other' });
    expect(sandbox.ledger.calls).toEqual([]);
  });

  test('without a key, or with one that Stripe refuses, is unauthorized', async () => {
    expect(await run(status, { stripe_account_id: 'acct_ok' }, { services: withoutKeys() })).toMatchObject(native('unauthorized'));
    sandbox.faults.add({ kind: 'status', status: 401 });
    expect(await run(status, { stripe_account_id: 'acct_ok' })).toMatchObject(native('unauthorized'));
  });
});

describe('connect_generate_relink_url', () => {
  const input = { stripe_account_id: 'acct_ok', ...urls };

  test('makes one link for all attempts of a call', async () => {
    const [first, again] = [await run(relink, input, { jobId: 'relink-once' }), await run(relink, input, { jobId: 'relink-once' })];
    expect(first).toMatchObject({
      kind: 'done',
      data: { url: expect.stringContaining('https://connect.stripe.com/'), account_link_type: 'account_onboarding' },
    });
    expect(Object(again).data).toEqual(Object(first).data);
    expect(sandbox.ledger.links).toHaveLength(1);
  });

  test('sends Stripe the addresses as they were checked', async () => {
    await run(relink, { ...input, return_url: 'https://APP.example.com:443/a/../b?q=1' });
    expect(sandbox.ledger.calls).toMatchObject([{ parameters: { return_url: 'https://app.example.com/b?q=1' } }]);
  });

  test('for addresses that are not listed is refused, and names them', async () => {
    const result = await run(relink, { ...input, return_url: 'https://evil.example/' });
    expect(result).toMatchObject(native('invalid_request'));
    expect(result.kind === 'refused' && result.error.details).toMatchObject([{ path: 'return_url' }, { path: 'refresh_url' }]);
    expect(sandbox.ledger.calls).toEqual([]);
  });

  test.each([
    ['of somebody else', { ...input, stripe_account_id: 'acct_other' }, null, 'invalid_account'],
    ['that Stripe does not know', { ...input, stripe_account_id: 'acct_gone' }, null, 'invalid_account'],
    ['with an address that Stripe does not take', input, { kind: 'status', status: 400, code: 'url_invalid' } as const, 'invalid_account'],
    ['with a key that may not', input, { kind: 'status', status: 403 } as const, 'unauthorized'],
  ])('for an account %s is refused', async (...[_what, given, fault, code]) => {
    if (fault) sandbox.faults.add(fault);
    expect(await run(relink, given)).toMatchObject(native(code));
  });

  test('that meets a fault fails, to be tried again', async () => {
    sandbox.faults.add({ kind: 'rate-limit', retryAfter: '2' });
    expect(await run(relink, input)).toMatchObject({ kind: 'failed', failure: 'rate-limit', hintMs: 2_000 });
  });
});

describe('express_dashboard_login_link', () => {
  test('makes a link whose life is assumed, and says so', async () => {
    const before = Date.now();
    const result = await run(login, { stripe_account_id: 'acct_ok' });
    expect(result).toMatchObject({ kind: 'done', data: { url: expect.any(String), expires_at_estimated: true } });
    const expires = result.kind === 'done' ? Date.parse(Object(result.data).expires_at) : 0;
    expect(expires).toBeGreaterThanOrEqual(before - 1_000 + 300_000);
    expect(expires).toBeLessThanOrEqual(Date.now() + 300_000);
  });

  test.each([
    ['acct_standard', 'invalid_account'],
    ['acct_other', 'invalid_account'],
    ['acct_gone', 'invalid_account'],
  ])('for %s is refused as %s', async (account, code) =>
    expect(await run(login, { stripe_account_id: account })).toMatchObject(native(code)),
  );

  test('with an address to return to checks it, and with none needs none', async () => {
    expect(await run(login, { stripe_account_id: 'acct_ok', return_to: 'https://evil.example/' })).toMatchObject(native('invalid_request'));
    expect(await run(login, { stripe_account_id: 'acct_ok', return_to: 'https://app.example.com/x' })).toMatchObject({ kind: 'done' });
  });

  test('without a key is unauthorized', async () => {
    expect(await run(login, { stripe_account_id: 'acct_ok' }, { services: withoutKeys() })).toMatchObject(native('unauthorized'));
  });
});

describe('supabase_get_merchant_row', () => {
  test('gives the row by merchant or by session, with what is there', async () => {
    for (const input of [{ merchant_id: 'm_ok' }, { user_session_id: 's_ok' }])
      expect(await run(row, input)).toMatchObject({
        kind: 'done',
        data: { merchant_id: 'm_ok', found: true, stripe_account_id: 'acct_ok', profile: { display_name: 'Corner Bakery' } },
      });
    const bare = await run(row, { merchant_id: 'm_new' });
    expect(bare).toMatchObject({ kind: 'done', data: { found: true } });
    expect(Object(bare).data).not.toHaveProperty('stripe_account_id');
  });

  test('of an id that nobody has is found: false, no error', async () => {
    expect(await run(row, { merchant_id: 'm_nobody' })).toMatchObject({ kind: 'done', data: { merchant_id: 'm_nobody', found: false } });
  });

  test.each([
    [{ merchant_id: 'm_other' }, 'unauthorized'],
    [{ user_session_id: 's_nobody' }, 'not_found'],
    [{ merchant_id: 'm_new', user_session_id: 's_ok' }, 'unauthorized'],
  ])('by %j is refused as %s', async (input, code) => expect(await run(row, input)).toMatchObject(native(code)));

  test('within a working session gives that session’s merchant alone', async () => {
    expect(await run(row, { merchant_id: 'm_ok' }, { sessionId: 's_ok' })).toMatchObject({ kind: 'done' });
    expect(await run(row, { merchant_id: 'm_new' }, { sessionId: 's_ok' })).toMatchObject(native('unauthorized'));
  });

  test('that the caller has already is unchanged, until the row changes', async () => {
    const first = await run(row, { merchant_id: 'm_ok' });
    const version = first.kind === 'done' ? first.version : undefined;
    expect(version).toMatch(/^[\w-]{22}$/);
    expect(await run(row, { merchant_id: 'm_ok' }, { known: [version ?? ''] })).toMatchObject({ kind: 'unchanged', version });
    await platform.sql('UPDATE merchant SET country = $1 WHERE id = $2 AND tenant_id = $3', ['DE', 'm_ok', platform.tenantId]);
    expect(await run(row, { merchant_id: 'm_ok' }, { known: [version ?? ''] })).toMatchObject({
      kind: 'done',
      data: { profile: { country: 'DE' } },
    });
  });

  test('notes ids as pseudonyms, and how long the database took', async () => {
    const { facts } = await run(row, { merchant_id: 'm_ok', user_session_id: 's_ok' });
    expect(facts).toMatchObject({
      merchant_id_hash: 'pseudonym of 4 characters',
      user_session_id_hash: 'pseudonym of 4 characters',
      rows: 2,
      sql_ms: expect.any(Number),
    });
    expect(JSON.stringify(facts)).not.toContain('m_ok');
  });
});
