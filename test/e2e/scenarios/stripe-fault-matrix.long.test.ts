// Every tool that calls Stripe against everything that Stripe can do to it: how often and how far apart it is asked, what the
// caller is told, how many links there are. The expectation is the policy table, not what the code does.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTimeoutMs, type HttpCaller, type Reply, type System } from '#lib/testing';
import type { FaultInput } from '../../../apps/stripe-sandbox/src/faults.js';
import { accountOf } from '../../../apps/stripe-sandbox/src/accounts.js';
import { startStripeSystem, type StripeSystem } from '../stripe-system.js';
import { verifies } from '../verifies.js';

const tools = ['stripe_get_account_status', 'connect_generate_relink_url', 'express_dashboard_login_link'] as const;
type Tool = (typeof tools)[number];

/** What the table says of one fault that never ends. */
interface Policy {
  readonly fault: FaultInput;
  readonly calls: number;
  readonly status: number;
  readonly error: string | Readonly<Record<Tool, string>>;
  /** Links made by a tool that makes links; 0 when absent. */
  readonly links?: number;
  /** The least time between two calls; without it the backoff of 200, 400, 800 ms. */
  readonly gapMs?: number;
  readonly retryAfterMs?: number;
}

const account = {
  stripe_get_account_status: 'not_found',
  connect_generate_relink_url: 'invalid_account',
  express_dashboard_login_link: 'invalid_account',
};
const forever = { times: 1_000 } as const;
const retried = { calls: 4, status: 500, error: 'upstream_error' } as const;
const final = { calls: 1, status: 500, error: 'upstream_error' } as const;

const policies: Readonly<Record<string, Policy>> = {
  // No answer: three retries, one key, one link at most.
  'a reset before the effect': { fault: { kind: 'reset-before', ...forever }, calls: 4, status: 503, error: 'upstream_error' },
  'a reset after the effect': { fault: { kind: 'reset-after', ...forever }, calls: 4, status: 503, error: 'upstream_error', links: 1 },
  'a body shorter than it says': { fault: { kind: 'short', ...forever }, calls: 4, status: 503, error: 'upstream_error', links: 1 },
  // Too slow: handed back after one call.
  'no answer at all': { fault: { kind: 'hang', ...forever }, calls: 1, status: 504, error: 'upstream_error', retryAfterMs: 2_000 },
  'no answer after the effect': { fault: { kind: 'hang-after', ...forever }, calls: 1, status: 504, error: 'upstream_error', links: 1 },
  'a byte a second': { fault: { kind: 'drip', everyMs: 1_000, ...forever }, calls: 1, status: 504, error: 'upstream_error', links: 1 },
  // 5xx: three retries, unless Stripe says no.
  'a 500': { fault: { kind: 'status', status: 500, ...forever }, ...retried },
  'a 503 with a hint': {
    fault: { kind: 'status', status: 503, headers: { 'retry-after': '1' }, ...forever },
    ...retried,
    gapMs: 1_000,
    retryAfterMs: 1_000,
  },
  'a 500 that must not be tried again': {
    fault: { kind: 'status', status: 500, headers: { 'stripe-should-retry': 'false' }, ...forever },
    ...final,
  },
  'a conflict of idempotency keys': { fault: { kind: 'status', status: 409, ...forever }, ...retried },
  'a 400 that may be tried again': {
    fault: { kind: 'status', status: 400, headers: { 'stripe-should-retry': 'true' }, ...forever },
    ...retried,
  },
  // Rate limits: the hint is obeyed up to a minute, three retries.
  'a 429 without a hint': { fault: { kind: 'rate-limit', ...forever }, calls: 4, status: 429, error: 'rate_limited', retryAfterMs: 2_000 },
  'a 429 with seconds': {
    fault: { kind: 'rate-limit', retryAfter: '1', ...forever },
    calls: 4,
    status: 429,
    error: 'rate_limited',
    gapMs: 1_000,
    retryAfterMs: 1_000,
  },
  'a 429 with a day': {
    fault: { kind: 'rate-limit', retryAfter: '86400', ...forever },
    calls: 1,
    status: 429,
    error: 'rate_limited',
    retryAfterMs: 86_400_000,
  },
  'a 429 with a negative hint': {
    fault: { kind: 'rate-limit', retryAfter: '-1', ...forever },
    calls: 4,
    status: 429,
    error: 'rate_limited',
  },
  'a 429 with a hint that is none': {
    fault: { kind: 'rate-limit', retryAfter: 'abc', ...forever },
    calls: 4,
    status: 429,
    error: 'rate_limited',
  },
  'a 429 that must not be tried again': {
    fault: { kind: 'rate-limit', headers: { 'stripe-should-retry': 'false' }, ...forever },
    calls: 1,
    status: 429,
    error: 'rate_limited',
  },
  // 4xx: no retry.
  'a 400': { fault: { kind: 'status', status: 400, ...forever }, calls: 1, status: 404, error: account },
  'a 401': { fault: { kind: 'status', status: 401, ...forever }, calls: 1, status: 403, error: 'unauthorized' },
  'a 403': { fault: { kind: 'status', status: 403, ...forever }, calls: 1, status: 403, error: 'unauthorized' },
  'a 404': { fault: { kind: 'status', status: 404, ...forever }, calls: 1, status: 404, error: account },
  'a 402': { fault: { kind: 'status', status: 402, ...forever }, ...final },
  // Nonsense: a fault of the other side's, as a 5xx is.
  'a page for people': { fault: { kind: 'html', ...forever }, ...retried },
  'a page for people with a 502': { fault: { kind: 'html', status: 502, ...forever }, ...retried },
  'half of its JSON': { fault: { kind: 'truncated', ...forever }, ...retried, links: 1 },
  'JSON of another shape': { fault: { kind: 'wrong-shape', ...forever }, ...retried },
  'a hundred megabytes': { fault: { kind: 'huge', bytes: 100_000_000, ...forever }, ...retried },
  'a gzip bomb': { fault: { kind: 'gzip-bomb', bytes: 20_000_000, ...forever }, ...retried },
  'a redirect into our own network': { fault: { kind: 'redirect', to: 'http://127.0.0.1:1/', ...forever }, ...final },
};

let stripe: StripeSystem;
let system: System;
let user: HttpCaller;
let nth = 0;

/** An account for each policy, so that all of them can be tried at the same time. */
const accounts = new Map(Object.keys(policies).map((name, index) => [name, `acct_policy${index}`]));

beforeAll(async () => {
  stripe = await startStripeSystem();
  system = stripe.system;
  user = await system.caller();
  for (const id of accounts.values()) {
    stripe.sandbox.accounts.set(id, accountOf({ id }));
    await stripe.sql(
      `INSERT INTO merchant SELECT * FROM jsonb_populate_record((SELECT m FROM merchant m WHERE tenant_id = $1 AND id = 'm_onboarded'), $2)`,
      [system.tenant.id, JSON.stringify({ id: `m_${id}`, stripe_account_id: id })],
    );
  }
}, startTimeoutMs);
afterAll(async () => stripe?.[Symbol.asyncDispose]());

function call(tool: Tool, account = 'acct_ok'): Promise<Reply> {
  const where = `https://app.example.com/${++nth}`;
  const own = tool === 'connect_generate_relink_url' ? { return_url: where, refresh_url: where } : {};
  return user.post(`/stripe/${tool}`, { stripe_account_id: account, ...own }, { 'cache-control': 'no-cache' });
}

/** What the sandbox was asked by one tool about one account. */
function callsOf(tool: Tool, account: string) {
  const { calls } = stripe.sandbox.ledger;
  switch (tool) {
    case 'stripe_get_account_status':
      return calls.filter(({ path }) => path === `/v1/accounts/${account}`);
    case 'connect_generate_relink_url':
      return calls.filter(({ path, parameters }) => path === '/v1/account_links' && parameters['account'] === account);
    case 'express_dashboard_login_link':
      return calls.filter(({ path }) => path === `/v1/accounts/${account}/login_links`);
  }
}

describe('each tool meets', () => {
  const replies = new Map<string, PromiseSettledResult<readonly (readonly [Tool, Reply])[]>>();

  // Nearly all of the time is waiting, so they wait together.
  beforeAll(async () => {
    await Promise.all(
      Object.entries(policies).map(async ([name, { fault }]) => {
        const account = accounts.get(name) ?? '';
        stripe.sandbox.faults.add({ ...fault, account });
        const calls = Promise.all(tools.map(async (tool) => [tool, await call(tool, account)] as const));
        replies.set(name, (await Promise.allSettled([calls]))[0]);
      }),
    );
  }, 60_000);
  afterAll(() => stripe.sandbox.reset());

  test.each(Object.entries(policies))('%s as the table says', (name, policy) => {
    const account = accounts.get(name) ?? '';
    const settled = replies.get(name);
    if (settled?.status !== 'fulfilled') throw settled?.reason ?? new Error('not tried');
    for (const [tool, reply] of settled.value) {
      const calls = callsOf(tool, account);
      const links = stripe.sandbox.ledger.links.filter(({ idempotencyKey }) => calls.some((one) => one.idempotencyKey === idempotencyKey));
      const error = typeof policy.error === 'string' ? policy.error : policy.error[tool];
      expect([tool, reply.status, reply.body]).toMatchObject([
        tool,
        policy.status,
        { success: false, error, ...(policy.retryAfterMs !== undefined && { retry_after_ms: policy.retryAfterMs }) },
      ]);
      const isLink = tool !== 'stripe_get_account_status';
      expect([tool, calls.length, links.length]).toEqual([tool, policy.calls, isLink ? (policy.links ?? 0) : 0]);
      expectGaps(calls, policy.gapMs ?? 0);
      const keys = new Set(calls.map(({ idempotencyKey }) => idempotencyKey));
      expect(keys.size).toBe(1);
      expect([...keys][0] === null).toBe(!isLink);
      // Nothing of what the other side wrote.
      expect(reply.text).not.toMatch(/sk_live|\bdb-7\b|Bad gateway|contact sales|127\.0\.0\.1/i);
    }
  });
});

/** Exponential from 200 ms with a quarter of jitter, and never sooner than asked. How late they may be is a matter of the machine. */
function expectGaps(calls: readonly { readonly at: number }[], atLeastMs: number): void {
  for (const [index, { at }] of calls.slice(1).entries())
    expect(at - (calls[index]?.at ?? NaN)).toBeGreaterThanOrEqual(Math.max(atLeastMs, 200 * 2 ** index * 0.75) - 5);
}

describe('afterwards', () => {
  verifies(
    ['ST-11', 'ST-40', 'ST-30', 'ST-28', 'ST-38', 'ST-09'],
    'the same calls succeed, after the number of faults that a retry survives',
    async () => {
      for (const tool of tools) {
        stripe.sandbox.reset();
        stripe.sandbox.faults.add({ kind: 'reset-after' });
        stripe.sandbox.faults.add({ kind: 'status', status: 503 });
        stripe.sandbox.faults.add({ kind: 'rate-limit', retryAfter: '1' });
        const reply = await call(tool);
        expect([tool, reply.status]).toEqual([tool, 200]);
        const { calls, links } = stripe.sandbox.ledger;
        expect(calls).toHaveLength(4);
        expect((calls[3]?.at ?? 0) - (calls[2]?.at ?? 0)).toBeGreaterThanOrEqual(995);
        expect(links).toHaveLength(tool === 'stripe_get_account_status' ? 0 : 1);
      }
    },
  );

  test('the worker has not grown by what it was sent, and has printed none of it', async () => {
    const metrics = (await system.anonymous.at(system.worker.url).get('/metrics')).text;
    const heap = Number(/^nodejs_heap_size_used_bytes (\d+)/m.exec(metrics)?.[1]);
    expect(heap).toBeLessThan(150 * 1024 * 1024);
    const printed = [...system.gateways, ...system.workers].map((app) => app.printed).join('\n');
    expect(printed).not.toMatch(/sk_live|\bdb-7\b|Bad gateway|contact sales/i);
    expect(system.worker.isRunning).toBe(true);
  });
});
