import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { acceptedShape, eventually, jobListShape, jobShape, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { startStripeSystem, type StripeSystem } from '../stripe-system.js';
import { verifies } from '../verifies.js';

const relink = '/stripe/connect_generate_relink_url';
const login = '/stripe/express_dashboard_login_link';
/** What the two native answers have in common. */
const linkAnswer = z.looseObject({ expires_at: z.string() });
const urls = { return_url: 'https://app.example.com/done', refresh_url: 'https://app.example.com/again' };
const wish = { stripe_account_id: 'acct_ok', ...urls };

let stripe: StripeSystem;
let system: System;
let user: HttpCaller;
let nth = 0;

beforeAll(async () => {
  stripe = await startStripeSystem({ gateways: 2 });
  system = stripe.system;
  user = await system.caller();
}, startTimeoutMs);
afterAll(async () => stripe?.[Symbol.asyncDispose]());
beforeEach(() => stripe.sandbox.reset());

const links = () => stripe.sandbox.ledger.links;
const calls = () => stripe.sandbox.ledger.calls;
/** A wish that no other test has had, so nothing is shared with one. */
const another = () => ({ ...wish, return_url: `https://app.example.com/done?n=${++nth}` });
const urlIn = (body: unknown) => (typeof body === 'object' && body !== null && 'url' in body ? String(body.url) : '');

test('ST-01: the domain has the documented tools, and none that changes account data', async () => {
  const names = ['connect_generate_relink_url', 'express_dashboard_login_link', 'stripe_get_account_status', 'supabase_get_merchant_row'];
  const { body } = await user.get('/tools?domain=stripe');
  expect(body).toMatchObject({ tools: names.map((name) => ({ name, version: '1.0.0', timeout_ms: expect.any(Number) })) });
});

describe('a relink URL', () => {
  verifies(
    ['ST-01', 'ST-24', 'ST-26', 'ST-27', 'ST-02'],
    'is an account link for onboarding with the expiry that Stripe gave',
    async () => {
      const before = Date.now();
      const asked = { ...another(), locale: 'de-CH' };
      const reply = await user.post(relink, asked);
      expect([reply.status, reply.body]).toEqual([
        200,
        {
          success: true,
          url: expect.stringMatching(/^https:\/\/connect\.stripe\.com\/setup\//),
          expires_at: expect.any(String),
          account_link_type: 'account_onboarding',
        },
      ]);
      expect(calls()).toMatchObject([
        {
          method: 'POST',
          path: '/v1/account_links',
          parameters: { account: 'acct_ok', type: 'account_onboarding', return_url: asked.return_url, refresh_url: asked.refresh_url },
          idempotencyKey: expect.stringMatching(/^inv_stripe_[0-9a-f]{32}$/),
        },
      ]);
      // Nothing but these four: the locale stays with us.
      expect(Object.keys(calls()[0]?.parameters ?? {}).toSorted()).toEqual(['account', 'refresh_url', 'return_url', 'type']);
      const { expires_at: expiresAt } = reply.as(linkAnswer);
      expect(Date.parse(expiresAt)).toBeGreaterThan(before + 200_000);
      expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now() + 301_000);
    },
  );

  test('is never in what a developer is shown of the answers of Stripe', async () => {
    const made = await user.call('connect_generate_relink_url?debug=true', another());
    const { url } = z.looseObject({ url: z.string() }).parse(expectSuccess(made.envelope));
    const debug = made.envelope.debug_info;
    expect(debug).toMatchObject({
      internal_api_response: {
        api: 'POST /v1/account_links',
        status: 200,
        body: { object: 'account_link', expires_at: expect.any(Number), url: '[redacted]' },
      },
    });
    expect(JSON.stringify(debug)).not.toContain(new URL(url).pathname);
    const read = await user.call('stripe_get_account_status?debug=true&enable_cache=false', { stripe_account_id: 'acct_ok' });
    expect(read.envelope.debug_info).toMatchObject({
      internal_api_response: { api: 'GET /v1/accounts/{account}', status: 200, body: { payouts_enabled: true, id: '[redacted]' } },
    });
    expect(await system.redis.everything()).not.toContain(new URL(url).pathname);
  });

  verifies(['ST-25'], 'needs an account and two addresses of the tenant’s own hosts, or Stripe is not asked', async () => {
    for (const name of Object.keys(wish)) {
      const { [name]: _left, ...rest } = { ...wish } as Record<string, string>;
      expect([name, (await user.post(relink, rest)).status]).toEqual([name, 400]);
    }
    const bad = [
      'javascript:alert(1)',
      'data:text/html,x',
      '//app.example.com/x',
      '/relative',
      'app.example.com',
      'http://app.example.com/',
      'https://user:pass@app.example.com/',
      'https://app.example.com@evil.example/',
      'https://app.example.com\\@evil.example/',
      'https:\\\\evil.example',
      'https://app.example.com/\r\nx: y',
      ' https://app.example.com/',
      'https://',
      'https://evil.example/',
      'https://app.example.com.evil.example/',
      'https://evil.example/https://app.example.com',
      'https://app.example.com:8443/',
      'http://localhost:5173/',
      'ftp://app.example.com/',
    ];
    for (const url of bad)
      for (const name of Object.keys(urls)) {
        const reply = await user.post(relink, { ...wish, [name]: url });
        expect([url, name, reply.status, reply.body]).toMatchObject([url, name, 400, { success: false, error: 'invalid_request' }]);
      }
    for (const locale of ['not a locale', 'english!', '', 'e'])
      expect([locale, (await user.post(relink, { ...wish, locale })).body]).toMatchObject([locale, { error: 'invalid_request' }]);
    for (const id of ['acct_', 'foo', 'acct_ok/../x'])
      expect([id, (await user.post(relink, { ...wish, stripe_account_id: id })).body]).toMatchObject([id, { error: 'invalid_account' }]);
    expect(calls()).toEqual([]);
  });

  verifies(['ST-28', 'ST-29'], 'fails with the literals of the contract and the way to the Express Dashboard', async () => {
    for (const account of ['acct_other', 'acct_unheard', 'acct_gone'])
      expect([account, (await user.post(relink, { ...another(), stripe_account_id: account })).body]).toMatchObject([
        account,
        { success: false, error: 'invalid_account', fallback: ['start_onboarding'] },
      ]);
    stripe.sandbox.faults.add({ kind: 'hang' });
    const late = await user.post(relink, another());
    expect([late.status, late.body]).toMatchObject([
      504,
      { success: false, error: 'upstream_error', fallback: ['express_dashboard'], retry_after_ms: 2_000 },
    ]);
    stripe.sandbox.faults.add({ kind: 'rate-limit', retryAfter: '86400' });
    const limited = await user.post(relink, another());
    expect([limited.status, limited.headers.get('retry-after'), limited.body]).toMatchObject([
      429,
      '86400',
      { error: 'rate_limited', retry_after_ms: 86_400_000, fallback: ['express_dashboard'] },
    ]);
  });

  verifies(['ST-30'], 'is one link and one idempotency key, however often it is tried', async () => {
    stripe.sandbox.faults.add({ kind: 'reset-after', times: 3 });
    expect((await user.post(relink, another())).status).toBe(200);
    expect(links()).toHaveLength(1);
    expect(calls()).toHaveLength(4);
    expect(new Set(calls().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    stripe.sandbox.reset();
    stripe.sandbox.faults.add({ kind: 'reset-before', times: 99 });
    expect((await user.post(relink, another())).body).toMatchObject({ success: false, error: 'upstream_error' });
    expect(calls()).toHaveLength(4);
    expect(links()).toEqual([]);
  });

  verifies(['ST-31'], 'is shared by equal calls at the same time and shortly after, and by no others', async () => {
    const asked = another();
    const at = (n: number) => user.at(system.gateways[n % 2]?.url ?? '');
    const replies = await Promise.all(Array.from({ length: 10 }, (_, n) => at(n).post(relink, { ...asked, request_id: `r${n}` })));
    expect(new Set(replies.map(({ body }) => urlIn(body))).size).toBe(1);
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(links()).toHaveLength(1);
    const same = await user.post(relink, asked);
    expect(urlIn(same.body)).toBe(links()[0]?.url);
    expect(links()).toHaveLength(1);
    // Used up, another address, another session, another user: a link of its own.
    const used = await user.post(relink, asked, { 'cache-control': 'no-cache' });
    expect(urlIn(used.body)).toBe(links()[1]?.url);
    expect(urlIn((await user.post(relink, asked)).body)).toBe(links()[1]?.url);
    await user.post(relink, another());
    await user.post(relink, asked, { 'x-session-id': 'sess_ok' });
    expect(links()).toHaveLength(4);
    await (await system.caller({ userId: 'user_other' })).post(relink, asked);
    expect(links()).toHaveLength(4);
    // Ten seconds later it is a new one for those too.
    await system.clock.advance(10_000);
    expect(urlIn((await user.post(relink, asked)).body)).toBe(links()[4]?.url);
  });
});

describe('a login link', () => {
  verifies(['ST-34', 'ST-35', 'ST-36', 'ST-37', 'ST-41'], 'is a new one for every click', async () => {
    const replies = [];
    // Stripe's own clock, which tells whole seconds and is not moved.
    const before = Math.floor(Date.now() / 1_000) * 1_000;
    for (let click = 0; click < 3; click++) replies.push(await user.post(login, { stripe_account_id: 'acct_ok' }));
    expect(new Set(replies.map(({ body }) => urlIn(body))).size).toBe(3);
    expect(links()).toHaveLength(3);
    expect(calls().map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array.from({ length: 3 }, () => 'POST /v1/accounts/acct_ok/login_links'),
    );
    expect(replies[0]?.body).toEqual({
      success: true,
      url: expect.stringMatching(/^https:\/\/connect\.stripe\.com\/express\//),
      expires_at: expect.any(String),
      expires_at_estimated: true,
    });
    const { expires_at: expiresAt } = replies[0]?.as(linkAnswer) ?? { expires_at: '' };
    expect(Date.parse(expiresAt)).toBeGreaterThanOrEqual(before + 300_000);
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now() + 300_000);
    stripe.sandbox.reset();
    const back = await user.post(login, { stripe_account_id: 'acct_ok', return_to: 'https://app.example.com/back' });
    expect([back.status, calls()[0]?.parameters]).toEqual([200, {}]);
    expect((await user.post(login, { stripe_account_id: 'acct_ok', return_to: 'https://evil.example/' })).body).toMatchObject({
      error: 'invalid_request',
    });
    expect(links()).toHaveLength(1);
  });

  verifies(['ST-38', 'ST-39'], 'fails with the literals of the contract and the way to a relink', async () => {
    for (const account of ['acct_standard', 'acct_gone', 'acct_other'])
      expect([account, (await user.post(login, { stripe_account_id: account })).body]).toMatchObject([
        account,
        { success: false, error: 'invalid_account', fallback: ['relink'] },
      ]);
    stripe.sandbox.faults.add({ kind: 'hang' });
    const late = await user.post(login, { stripe_account_id: 'acct_ok' });
    expect([late.status, late.body]).toMatchObject([
      504,
      { success: false, error: 'upstream_error', retry_after_ms: expect.any(Number), fallback: ['retry_later', 'relink'] },
    ]);
  });

  verifies(['ST-43'], 'to anywhere but Stripe is not handed out; answers are not stored and nothing here shows the page', async () => {
    for (const origin of ['https://evil.example', 'http://connect.stripe.com', 'https://connect.stripe.com.evil.example', 'javascript:x']) {
      stripe.sandbox.faults.add({ kind: 'foreign-link', origin, times: 4 });
      const reply = await user.post(login, { stripe_account_id: 'acct_ok' });
      expect([origin, reply.body]).toMatchObject([origin, { success: false, error: 'upstream_error' }]);
      expect(reply.text).not.toContain('evil');
      stripe.sandbox.faults.clear();
    }
    const good = await user.post(login, { stripe_account_id: 'acct_ok' });
    expect(good.headers.get('cache-control')).toBe('no-store');
    expect(good.headers.get('referrer-policy')).toBe('no-referrer');
    expect(good.headers.get('location')).toBeNull();
  });
});

describe('a sealed link', () => {
  const later = async (caller: HttpCaller, headers = {}) =>
    (
      await caller.post('/tools/express_dashboard_login_link', { stripe_account_id: 'acct_ok' }, { prefer: 'respond-async', ...headers })
    ).as(acceptedShape);

  verifies(['ST-33'], 'is read by its owner alone, once; a hundred readers at the same time get one link', async () => {
    const { links: job, job_id: id } = await later(user);
    await eventually(async () => (await system.redis.redis.keys(`*${system.namespace}*:sealed:${id}`)).length === 1);
    const other = await system.caller({ userId: 'user_other' });
    expect((await other.get(job.self)).status).toBe(404);
    expect((await user.get(job.self, { 'x-session-id': 'sess_other' })).status).toBe(404);
    const admin = await (await system.admin()).get(job.self);
    expect(admin.as(jobShape).result).toMatchObject({ success: true, data: { sealed: true } });
    expect((await user.get('/jobs')).as(jobListShape).jobs.find((one) => one.job_id === id)?.result?.data).toEqual({ sealed: true });
    const replies = await Promise.all(Array.from({ length: 100 }, () => user.get(job.self)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 410]));
    expectRefusal(replies.find(({ status }) => status === 410) ?? (await user.get(job.self)), { status: 410, code: 'RESULT_CONSUMED' });
    expect(replies.find(({ status }) => status === 200)?.as(jobShape).result?.data).toMatchObject({ url: links()[0]?.url });
    expect((await system.redis.keys()).filter((key) => key.includes(`sealed:${id}`))).toEqual([]);
  });

  test.each([
    ['is there shortly before its five minutes are over', -30, 200],
    ['is gone after five minutes', 1, 410],
  ])('%s', async (_what, beyondSeconds, status) => {
    const { links: job, job_id: id } = await later(user);
    await eventually(async () => (await system.redis.redis.keys(`*${system.namespace}*:sealed:${id}`)).length === 1);
    await system.clock.advance((300 + beyondSeconds) * 1_000);
    expect((await user.get(job.self)).status).toBe(status);
  });

  test('streams to its owner once', async () => {
    const { links: job } = await later(user);
    await using stream = await user.stream(job.events);
    expect((await stream.rest()).at(-1)).toMatchObject({ event: 'tool_result', data: { data: { url: links()[0]?.url } } });
    await using again = await user.stream(job.events);
    expect((await again.rest()).at(-1)).toMatchObject({ event: 'tool_error', data: { error: { code: 'RESULT_CONSUMED' } } });
  });

  test('of one idempotency key is one link; a new click needs a new key', async () => {
    const body = { stripe_account_id: 'acct_ok' };
    const first = await user.call('express_dashboard_login_link', body, { 'idempotency-key': 'click-1' });
    expect(expectSuccess(first.envelope)).toMatchObject({ url: links()[0]?.url });
    expectRefusal(await user.call('express_dashboard_login_link', body, { 'idempotency-key': 'click-1' }), {
      status: 410,
      code: 'RESULT_CONSUMED',
    });
    await user.call('express_dashboard_login_link', body, { 'idempotency-key': 'click-2' });
    expect(links()).toHaveLength(2);
    const reply = await user.call('express_dashboard_login_link', body, { 'idempotency-key': 'click-2', 'x-session-id': 'sess_ok' });
    expectRefusal(reply, { status: 422, code: 'IDEMPOTENCY_CONFLICT' });
  });

  test('needs the scope for links, and POST', async () => {
    const reader = await system.caller({ scopes: ['tools:read', 'tools:write'] });
    expect((await reader.post(login, { stripe_account_id: 'acct_ok' })).body).toMatchObject({ success: false, error: 'unauthorized' });
    expect((await user.get('/tools/express_dashboard_login_link/sse?stripe_account_id=acct_ok')).status).toBe(405);
    expect(calls()).toEqual([]);
  });

  verifies(['ST-32', 'ST-42'], 'leaves account, expiry and duration in the log, never itself', async () => {
    for (const path of [relink, login]) {
      const reply = await user.post(path, path === relink ? another() : { stripe_account_id: 'acct_ok' });
      const line = await eventually(() =>
        system.logs().find((one) => one.event === 'call-end' && one['trace_id'] === reply.headers.get('x-trace-id')),
      );
      expect(line).toMatchObject({
        account_id: 'acct_ok',
        expires_at: expect.stringMatching(/Z$/),
        duration_ms: expect.any(Number),
        success: true,
      });
    }
    const printed = [...system.gateways, ...system.workers].map((app) => app.printed).join('\n');
    for (const { url } of links()) expect(printed).not.toContain(new URL(url).pathname);
    expect(printed).not.toContain('connect.stripe.com');
  });
});
