import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { startStripeSystem, type StripeSystem } from '../stripe-system.js';
import { verifies } from '../verifies.js';

const route = '/stripe/stripe_get_account_status';
const fresh = { 'cache-control': 'no-cache' };

let stripe: StripeSystem;
let system: System;
let user: HttpCaller;

beforeAll(async () => {
  stripe = await startStripeSystem();
  system = stripe.system;
  user = await system.caller();
}, startTimeoutMs);
afterAll(async () => stripe?.[Symbol.asyncDispose]());
beforeEach(() => stripe.sandbox.reset());

const calls = () => stripe.sandbox.ledger.calls;
const ask = (account: string, headers = {}) => user.post(route, { stripe_account_id: account }, { ...fresh, ...headers });

describe('the status of a Stripe account', () => {
  verifies(['ST-02', 'ST-04', 'ST-07', 'ST-08'], 'comes through unchanged, in exactly the documented keys', async () => {
    const reply = await ask('acct_due');
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        success: true,
        payouts_enabled: false,
        charges_enabled: false,
        requirements: {
          currently_due: ['external_account', 'tos_acceptance.date'],
          past_due: ['external_account'],
          eventually_due: ['individual.id_number'],
        },
        observed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
    ]);
    expect(calls().map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/accounts/acct_due']);
    expect(calls()[0]).toMatchObject({ version: '2026-10-28.endive', idempotencyKey: null });
    expect((await ask('acct_ok')).body).toMatchObject({ requirements: { currently_due: [], past_due: [] } });
  });

  verifies(['ST-05'], 'is asked for with an id that begins acct_, or Stripe is not asked at all', async () => {
    for (const id of ['foo_1', 'acct_', 'acct_../charges', 'acct_a b', 'ACCT_ok', `acct_${'x'.repeat(65)}`, 'acct_ok/login_links'])
      expect([id, await ask(id).then(({ status, body }) => [status, body])]).toMatchObject([
        id,
        [400, { success: false, error: 'not_found' }],
      ]);
    for (const body of [{}, { stripe_account_id: 'acct_ok', extra: 1 }])
      expect((await user.post(route, body)).body).toMatchObject({ success: false, error: 'invalid_request', message: expect.any(String) });
    expectRefusal(await user.call('stripe_get_account_status', { stripe_account_id: 7 }), {
      status: 400,
      code: 'INVALID_PARAMS',
      native: 'not_found',
      paths: ['stripe_account_id'],
    });
    expect(calls()).toEqual([]);
  });

  verifies(['ST-06'], "is the caller's own merchants' alone: neither another's account nor another's session", async () => {
    const unauthorized = { success: false, error: 'unauthorized' };
    for (const [account, session] of [
      ['acct_other', undefined],
      ['acct_unheard', undefined],
      ['acct_other', 'sess_ok'],
      ['acct_due', 'sess_ok'],
      ['acct_ok', 'sess_other'],
      ['acct_ok', 'sess_unheard'],
    ] as const) {
      const reply = await ask(account, session === undefined ? {} : { 'x-session-id': session });
      expect([account, session, reply.status, reply.body]).toMatchObject([account, session, 403, unauthorized]);
    }
    expect(calls()).toEqual([]);
    expect((await ask('acct_ok', { 'x-session-id': 'sess_ok' })).status).toBe(200);
    // What one session was told is not told to another.
    await user.post(route, { stripe_account_id: 'acct_ok' }, { 'x-session-id': 'sess_ok' });
    expect((await user.post(route, { stripe_account_id: 'acct_ok' }, { 'x-session-id': 'sess_other' })).status).toBe(403);
    const stranger = await system.caller({ userId: 'user_other' });
    expect((await stranger.post(route, { stripe_account_id: 'acct_ok' })).body).toMatchObject(unauthorized);
  });

  verifies(['ST-09', 'ST-02'], 'fails with the literal of the cause, on both routes', async () => {
    expect([(await ask('acct_gone')).status, (await ask('acct_gone')).body]).toMatchObject([
      404,
      { success: false, error: 'not_found', fallback: ['start_onboarding'] },
    ]);
    expectRefusal(await user.call('stripe_get_account_status', { stripe_account_id: 'acct_gone' }), {
      status: 404,
      code: 'RESOURCE_NOT_FOUND',
      native: 'not_found',
    });
    for (const [status, expected, error] of [
      [401, 403, 'unauthorized'],
      [403, 403, 'unauthorized'],
      [404, 404, 'not_found'],
    ] as const) {
      stripe.sandbox.faults.add({ kind: 'status', status });
      const reply = await ask('acct_ok');
      expect([status, reply.status, reply.body]).toMatchObject([status, expected, { success: false, error }]);
    }
    const anonymous = await system.anonymous.post(route, { stripe_account_id: 'acct_ok' });
    expect([anonymous.status, anonymous.body]).toMatchObject([401, { success: false, error: 'unauthorized' }]);
  });

  verifies(['ST-10'], 'that takes too long is handed back as upstream_error with a time to retry, after one call', async () => {
    stripe.sandbox.faults.add({ kind: 'hang' });
    const reply = await ask('acct_ok');
    expect([reply.status, reply.body]).toMatchObject([504, { success: false, error: 'upstream_error', retry_after_ms: 2_000 }]);
    expect(calls()).toHaveLength(1);
    const definition = (await user.get('/tools/stripe_get_account_status')).body;
    expect(definition).toMatchObject({ timeout_ms: 2_000 });
  });

  verifies(['ST-12'], 'is kept for 30 s at most, with the time of the first look; errors are not kept', async () => {
    await user.post(route, { stripe_account_id: 'acct_due' });
    stripe.sandbox.reset();
    const again = await user.call('stripe_get_account_status', { stripe_account_id: 'acct_due', request_id: 'another' });
    const first = expectSuccess(again.envelope);
    expect(again.envelope.metadata.cache).toMatchObject({ hit: true });
    expect(again.envelope.metadata.cache?.ttl_remaining).toBeLessThanOrEqual(30);
    const { body } = await user.post(route, { stripe_account_id: 'acct_due' });
    expect(body).toMatchObject({ observed_at: first['observed_at'] });
    expect(calls()).toEqual([]);
    for (const key of await system.redis.keys()) if (key.includes(':cache:')) await system.redis.redis.del(key);
    // The gateway gives what it has read within the last second again.
    await sleep(1_000);
    const later = (await user.post(route, { stripe_account_id: 'acct_due' })).body;
    expect(later).not.toMatchObject({ observed_at: first['observed_at'] });
    expect(calls()).toHaveLength(1);
    stripe.sandbox.faults.add({ kind: 'status', status: 404 });
    expect((await user.post(route, { stripe_account_id: 'acct_ok', request_id: 'e1' }, fresh)).status).toBe(404);
    expect((await user.post(route, { stripe_account_id: 'acct_ok' }, fresh)).status).toBe(200);
  });

  verifies(
    ['ST-03', 'ST-13'],
    'leaves account, duration, error code and request id in logs and spans, and no value of the account',
    async () => {
      const reply = await user.post(route, { stripe_account_id: 'acct_due', request_id: 'req_x-1' }, fresh);
      expect(reply.headers.get('x-request-id')).toBe('req_x-1');
      expect((await ask('acct_due')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      const line = await eventually(() => system.logs().find((one) => one.event === 'call-end' && one['request_id'] === 'req_x-1'));
      expect(line).toMatchObject({ account_id: 'acct_due', duration_ms: expect.any(Number), error_code: null, native_code: null });
      const traceId = reply.headers.get('x-trace-id') ?? '';
      const spans = await eventually(async () => {
        const { text } = await user.get(`/traces/${traceId}`);
        return text.includes('attempt stripe_get_account_status') && text.includes('/v1/accounts/acct_due') ? text : null;
      });
      expect(spans).toContain('"request_id":"req_x-1"');
      expect(spans).toContain('"account_id":"acct_due"');
      const printed = [...system.gateways, ...system.workers].map((app) => app.printed).join('\n');
      expect(`${printed}${spans}`).not.toMatch(/tos_acceptance|external_account|personal\.example|rk_test_e2e/);
    },
  );

  verifies(['ST-14'], 'is read with a key that may do no more, and a refused key is followed by the next one', async () => {
    await using bound = await startStripeSystem({
      workerEnv: { STRIPE_READ_KEY: 'rk_test_old,rk_test_new', STRIPE_SECRET_KEY: 'rk_test_links' },
    });
    bound.sandbox.keys.grant('rk_test_old', 'read');
    bound.sandbox.keys.grant('rk_test_links', 'write');
    const caller = await bound.system.caller();
    const keys = () => bound.sandbox.ledger.calls.map(({ key }) => key);
    const status = async () => (await caller.post(route, { stripe_account_id: 'acct_ok' }, fresh)).status;
    expect(await status()).toBe(200);
    bound.sandbox.keys.revoke('rk_test_old');
    bound.sandbox.keys.grant('rk_test_new', 'read');
    expect([await status(), await status()]).toEqual([200, 200]);
    expect(keys()).toEqual(['test_old', 'test_old', 'test_new', 'test_new']);
    bound.sandbox.keys.revoke('rk_test_new');
    expect((await caller.post(route, { stripe_account_id: 'acct_ok' }, fresh)).body).toMatchObject({
      success: false,
      error: 'unauthorized',
    });
    expect(bound.sandbox.ledger.calls.every(({ method }) => method === 'GET')).toBe(true);
  });

  test(
    'without a Stripe key is unauthorized, the worker says so of itself, and the other tools work',
    async () => {
      await using keyless = await startStripeSystem({ workerEnv: { STRIPE_SECRET_KEY: '' } });
      const caller = await keyless.system.caller();
      const { envelope } = await caller.call('stripe_get_account_status', { stripe_account_id: 'acct_ok' });
      expect(envelope.error).toMatchObject({ code: 'PERMISSION_DENIED', native_code: 'unauthorized' });
      const health = await system.anonymous.at(keyless.system.worker.url).get('/readyz');
      expect([health.status, health.body]).toMatchObject([
        503,
        { dependencies: { stripe_key: { state: 'down' }, platform: { state: 'up' } } },
      ]);
      expectSuccess((await caller.call('supabase_get_merchant_row', { merchant_id: 'm_new' })).envelope);
      expect(keyless.sandbox.ledger.calls).toEqual([]);
    },
    startTimeoutMs,
  );
});
