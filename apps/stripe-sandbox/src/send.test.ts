// How an answer and its faults come over the wire, as a plain client sees them.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { FaultInput } from './faults.js';
import { StripeSandbox } from './sandbox.js';

let sandbox: StripeSandbox;
beforeAll(async () => {
  sandbox = await StripeSandbox.start();
});
afterAll(async () => sandbox[Symbol.asyncDispose]());
beforeEach(() => sandbox.reset());

const get = (init: RequestInit = {}, key = 'rk_test_x') =>
  fetch(`${sandbox.url}/v1/accounts/acct_ok`, { redirect: 'manual', ...init, headers: { authorization: `Bearer ${key}` } });
const getWith = (fault: FaultInput) => {
  sandbox.faults.add(fault);
  return get();
};

describe('an answer', () => {
  test('has Stripe’s headers', async () => {
    const response = await fetch(`${sandbox.url}/v1/accounts/acct_ok`, {
      headers: { authorization: 'Bearer rk_test_x', 'stripe-version': '2026-01-01', 'idempotency-key': 'k' },
    });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'request-id': expect.stringMatching(/^req_[0-9a-f]{14}$/),
      'stripe-version': '2026-01-01',
      'idempotency-key': 'k',
    });
  });

  test('is given to a key in Basic authentication too', async () => {
    const authorization = `Basic ${Buffer.from('rk_test_basic:').toString('base64')}`;
    expect((await fetch(`${sandbox.url}/v1/accounts/acct_ok`, { headers: { authorization } })).status).toBe(200);
    expect(sandbox.ledger.calls[0]?.key).toBe('st_basic');
  });

  test('without a key is 401', async () => expect((await fetch(`${sandbox.url}/v1/accounts/acct_ok`)).status).toBe(401));

  test('to a body that is too large is none', async () => {
    const sending = fetch(`${sandbox.url}/v1/account_links`, {
      method: 'POST',
      body: 'x'.repeat(70_000),
      headers: { authorization: 'Bearer rk_test_x' },
    });
    await expect(sending).rejects.toThrow();
  });

  test('of its health needs no key, and stands in no ledger', async () => {
    expect((await fetch(`${sandbox.url}/healthz`)).status).toBe(200);
    expect(sandbox.ledger.calls).toEqual([]);
  });
});

describe('a fault', () => {
  test.each<[FaultInput]>([[{ kind: 'reset-before' }], [{ kind: 'reset-after' }], [{ kind: 'short' }]])(
    '%j breaks the connection',
    async (fault) => {
      await expect(getWith(fault).then((response) => response.text())).rejects.toThrow();
    },
  );

  test('truncated sends half, and says that it is whole', async () => {
    const text = await (await getWith({ kind: 'truncated' })).text();
    expect(text.length).toBeGreaterThan(100);
    expect(() => JSON.parse(text) as unknown).toThrow();
  });

  test('html sends a page with any status', async () => {
    const response = await getWith({ kind: 'html', status: 502 });
    expect([response.status, response.headers.get('content-type')]).toEqual([502, 'text/html']);
  });

  test('huge and gzip-bomb send as many bytes as were asked for', async () => {
    expect((await (await getWith({ kind: 'huge', bytes: 200_000 })).text()).length).toBeGreaterThanOrEqual(200_000);
    expect(await (await getWith({ kind: 'gzip-bomb', bytes: 300_000 })).text()).toHaveLength(300_000);
  });

  test('redirect leads where it was told to', async () => {
    const response = await getWith({ kind: 'redirect', to: 'https://elsewhere.example/' });
    expect([response.status, response.headers.get('location')]).toEqual([302, 'https://elsewhere.example/']);
  });

  test('drip sends the whole answer, byte by byte', async () => {
    expect(await (await getWith({ kind: 'drip', everyMs: 1, on: 'GET' })).json()).toMatchObject({ id: 'acct_ok' });
  });

  test('rate-limit sends Retry-After as it was given', async () => {
    const response = await getWith({ kind: 'rate-limit', retryAfter: 'soon' });
    expect([response.status, response.headers.get('retry-after'), response.headers.get('stripe-rate-limited-reason')]).toEqual([
      429,
      'soon',
      'global-rate',
    ]);
  });

  test('status that is saved answers the same key again, one that is not does not', async () => {
    const post = (key: string) =>
      fetch(`${sandbox.url}/v1/accounts/acct_ok/login_links`, {
        method: 'POST',
        headers: { authorization: 'Bearer rk_test_x', 'idempotency-key': key },
      });
    sandbox.faults.add({ kind: 'status', status: 500, saved: true });
    expect([(await post('saved')).status, (await post('saved')).status]).toEqual([500, 500]);
    sandbox.faults.add({ kind: 'status', status: 500 });
    expect([(await post('unsaved')).status, (await post('unsaved')).status]).toEqual([500, 200]);
  });

  test('hang gives no answer, and hang-after has made the link all the same', async () => {
    const stop = new AbortController();
    sandbox.faults.add({ kind: 'hang-after' });
    const asking = fetch(`${sandbox.url}/v1/accounts/acct_ok/login_links`, {
      method: 'POST',
      headers: { authorization: 'Bearer rk_test_x', 'idempotency-key': 'h' },
      signal: stop.signal,
    });
    const failed = asking.catch((error: unknown) => error);
    while (sandbox.ledger.links.length === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    expect(await failed).toMatchObject({ name: 'AbortError' });
  });
});
