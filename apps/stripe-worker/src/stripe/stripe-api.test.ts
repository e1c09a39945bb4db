// The client against the sandbox, which answers and fails as Stripe and what stands between do.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { StripeSandbox } from '../../../stripe-sandbox/src/sandbox.js';
import type { FaultInput } from '../../../stripe-sandbox/src/faults.js';
import { Keyring } from './keyring.js';
import { stripeAt, type StripeApi } from './stripe-api.js';

let sandbox: StripeSandbox;
beforeAll(async () => {
  sandbox = await StripeSandbox.start();
});
afterAll(async () => sandbox[Symbol.asyncDispose]());
beforeEach(() => {
  sandbox.reset();
  sandbox.marker = '';
});

const request = { account: 'acct_ok', returnUrl: 'https://app.example.com/a', refreshUrl: 'https://app.example.com/b' };
let effects = 0;
interface Recorded {
  readonly api: string;
  readonly status: string | number;
  readonly body: unknown;
}

function attemptOf(given: { effectKey?: string; signal?: AbortSignal; answers?: Recorded[] } = {}) {
  return {
    signal: given.signal ?? new AbortController().signal,
    effectKey: given.effectKey ?? `effect-${++effects}`,
    recordUpstreamAnswer: (answer: Recorded) => void given.answers?.push(answer),
  };
}

function client({ links = 'rk_test_links', reads = 'rk_test_reads', base = sandbox.url } = {}): StripeApi {
  return stripeAt({ base, linkKeys: new Keyring({ keys: links }), readKeys: new Keyring({ keys: reads }) });
}

describe('an account', () => {
  test('is read with its switches and what is due, and nothing else', async () => {
    expect(await client().readAccount('acct_due', attemptOf())).toEqual({
      payouts_enabled: false,
      charges_enabled: false,
      requirements: {
        currently_due: ['external_account', 'tos_acceptance.date'],
        past_due: ['external_account'],
        eventually_due: ['individual.id_number'],
      },
    });
  });

  test('is read with the key for reading, links are made with the other', async () => {
    await client().readAccount('acct_ok', attemptOf());
    await client().createLoginLink('acct_ok', attemptOf());
    expect(sandbox.ledger.calls.map(({ method, key }) => [method, 'rk_test_reads'.endsWith(key) ? 'reads' : 'links'])).toEqual([
      ['GET', 'reads'],
      ['POST', 'links'],
    ]);
  });

  test('that Stripe does not know is a refusal about the account', async () => {
    await expect(client().readAccount('acct_nobody', attemptOf())).rejects.toMatchObject({ name: 'StripeRefusal', about: 'account' });
  });
});

describe('a link', () => {
  test('for onboarding has the addresses that were given, and Stripe’s own expiry', async () => {
    const { url, expires_at } = await client().createAccountLink(request, attemptOf());
    expect(url).toMatch(/^https:\/\/connect\.stripe\.com\/setup\/e\/acct_ok\//);
    expect(expires_at * 1_000).toBeGreaterThan(Date.now());
    expect(sandbox.ledger.calls).toMatchObject([
      {
        method: 'POST',
        path: '/v1/account_links',
        parameters: { account: 'acct_ok', type: 'account_onboarding', return_url: request.returnUrl, refresh_url: request.refreshUrl },
      },
    ]);
  });

  test('is made once for all attempts of one call, and anew for another', async () => {
    const links = [];
    for (const effectKey of ['same', 'same', 'other'])
      links.push((await client().createLoginLink('acct_ok', attemptOf({ effectKey }))).url);
    expect(links[0]).toBe(links[1]);
    expect(links[2]).not.toBe(links[0]);
    expect(sandbox.ledger.links).toHaveLength(2);
  });

  test.each(['reset-after', 'hang-after'] as const)('whose answer was lost (%s) is given again, not made again', async (kind) => {
    sandbox.faults.add({ kind, on: 'POST' });
    const stop = new AbortController();
    const first = client().createLoginLink('acct_ok', attemptOf({ effectKey: `lost-${kind}`, signal: stop.signal }));
    const failed = first.catch((error: unknown) => error);
    if (kind === 'hang-after') setTimeout(() => stop.abort(), 100);
    expect(await failed).toMatchObject({ kind: 'network' });
    const { url } = await client().createLoginLink('acct_ok', attemptOf({ effectKey: `lost-${kind}` }));
    expect(sandbox.ledger.links.map((link) => link.url)).toEqual([url]);
  });

  test('of the same call with other parameters is a fault, and is not tried again', async () => {
    await client().createAccountLink(request, attemptOf({ effectKey: 'mixed' }));
    const other = client().createAccountLink({ ...request, returnUrl: 'https://app.example.com/c' }, attemptOf({ effectKey: 'mixed' }));
    await expect(other).rejects.toMatchObject({ name: 'Failure', kind: 'service', retryable: false });
  });

  test.each([
    'http://connect.stripe.com',
    'https://connect.stripe.com.evil.example',
    'https://evil.example',
    'https://user:pass@connect.stripe.com',
    'https://connect.stripe.com:8443',
    'javascript:alert(1)//',
  ])('that leads to %s is not handed out', async (origin) => {
    sandbox.faults.add({ kind: 'foreign-link', origin });
    await expect(client().createLoginLink('acct_ok', attemptOf())).rejects.toMatchObject({
      kind: 'service',
      message: expect.stringMatching(/url$/),
    });
  });

  test.each(['https://connect.stripe.com', 'https://express.stripe.com', 'https://dashboard.stripe.com'])(
    'that leads to %s is',
    async (origin) => {
      sandbox.faults.add({ kind: 'foreign-link', origin });
      expect((await client().createLoginLink('acct_ok', attemptOf())).url.startsWith(`${origin}/`)).toBe(true);
    },
  );

  test('into a dashboard that an account does not have is a refusal about the account', async () => {
    await expect(client().createLoginLink('acct_standard', attemptOf())).rejects.toMatchObject({ about: 'account' });
  });
});

describe('a fault', () => {
  test.each<[string, FaultInput, object]>([
    ['a cut connection', { kind: 'reset-before' }, { kind: 'network', retryable: true }],
    ['half of an answer', { kind: 'short' }, { kind: 'network' }],
    ['an answer that is no JSON', { kind: 'truncated' }, { kind: 'service' }],
    ['a page for people', { kind: 'html' }, { kind: 'service', retryable: true }],
    ['a page with a status', { kind: 'html', status: 502 }, { kind: 'service', retryable: true }],
    ['an answer of another shape', { kind: 'wrong-shape' }, { kind: 'service' }],
    ['an answer without end', { kind: 'huge', bytes: 3_000_000 }, { kind: 'service' }],
    ['an answer that unpacks without end', { kind: 'gzip-bomb', bytes: 20_000_000 }, { kind: 'service' }],
    ['a redirect', { kind: 'redirect', to: 'http://127.0.0.1:9/' }, { kind: 'service', retryable: false }],
    ['a limit with a time', { kind: 'rate-limit', retryAfter: '3' }, { kind: 'rate-limit', hintMs: 3_000, retryable: true }],
    ['a limit without one', { kind: 'rate-limit' }, { kind: 'rate-limit', hintMs: undefined }],
    ['a fault of Stripe’s', { kind: 'status', status: 500 }, { kind: 'service', retryable: true }],
    [
      'a fault that Stripe would not try again',
      { kind: 'status', status: 500, headers: { 'stripe-should-retry': 'false' } },
      { kind: 'service', retryable: false },
    ],
    ['a lock', { kind: 'status', status: 400, code: 'lock_timeout' }, { kind: 'rate-limit' }],
    ['a conflict', { kind: 'status', status: 409 }, { kind: 'service', retryable: true }],
    ['a declined card, which is not for us', { kind: 'status', status: 402 }, { kind: 'service', retryable: false }],
  ])('such as %s is a failure of its kind', async (_what, fault, failure) => {
    sandbox.faults.add(fault);
    await expect(client().readAccount('acct_ok', attemptOf())).rejects.toMatchObject({ name: 'Failure', ...failure });
    expect(sandbox.ledger.calls).toHaveLength(1);
  });

  test('never tells Stripe’s own words, which name hosts and keys', async () => {
    for (const fault of [
      { kind: 'status', status: 400 },
      { kind: 'status', status: 500 },
      { kind: 'rate-limit' },
      { kind: 'html' },
    ] as const) {
      sandbox.faults.add(fault);
      const error = await client()
        .readAccount('acct_ok', attemptOf())
        .catch((thrown: unknown) => thrown);
      expect(`${String(error)} ${JSON.stringify(error)} ${String(Object(error).cause)}`).not.toMatch(/sk_live|db-7|leak/);
    }
  });

  test('of a server that is not there is one of the network', async () => {
    await expect(client({ base: 'http://127.0.0.1:9' }).readAccount('acct_ok', attemptOf())).rejects.toMatchObject({ kind: 'network' });
  });

  test('ends with the signal of its attempt', async () => {
    sandbox.faults.add({ kind: 'hang' });
    const stop = new AbortController();
    const reading = client().readAccount('acct_ok', attemptOf({ signal: stop.signal }));
    stop.abort();
    await expect(reading).rejects.toMatchObject({ kind: 'network' });
  });
});

describe('a key', () => {
  test('that is refused while another is known costs one retry', async () => {
    await using own = await StripeSandbox.start();
    own.keys.grant('rk_test_new', 'write');
    const stripe = client({ links: 'rk_test_old,rk_test_new', base: own.url });
    await expect(stripe.createLoginLink('acct_ok', attemptOf())).rejects.toMatchObject({
      name: 'Failure',
      kind: 'service',
      message: expect.stringContaining('next key'),
    });
    expect(await stripe.createLoginLink('acct_ok', attemptOf())).toMatchObject({ url: expect.any(String) });
  });

  test('that is the last one is a refusal about the key', async () => {
    await using own = await StripeSandbox.start();
    own.keys.grant('rk_test_reads', 'read');
    const stripe = client({ links: 'rk_test_reads', base: own.url });
    expect(await stripe.readAccount('acct_ok', attemptOf())).toMatchObject({ payouts_enabled: true });
    await expect(stripe.createLoginLink('acct_ok', attemptOf())).rejects.toMatchObject({ name: 'StripeRefusal', about: 'key' });
  });

  test('that is not there asks nobody', async () => {
    const stripe = client({ links: '', reads: '' });
    expect(stripe.isConfigured()).toBe(false);
    await expect(stripe.readAccount('acct_ok', attemptOf())).rejects.toMatchObject({
      about: 'key',
      message: 'no Stripe key is configured',
    });
    expect(sandbox.ledger.calls).toEqual([]);
  });

  test.each([
    ['rk_test_a', '', false],
    ['', 'rk_test_b', false],
    ['rk_test_a', 'rk_test_b', true],
  ])('for links %j and for reads %j make it configured: %s', (links, reads, configured) => {
    expect(client({ links, reads }).isConfigured()).toBe(configured);
  });
});

test('what was answered is recorded without accounts, links and Stripe’s free text', async () => {
  const answers: Recorded[] = [];
  sandbox.marker = 'SECRET';
  await client().createAccountLink(request, attemptOf({ answers }));
  await client().readAccount('acct_ok', attemptOf({ answers }));
  sandbox.faults.add({ kind: 'status', status: 500 });
  await client()
    .readAccount('acct_ok', attemptOf({ answers }))
    .catch(() => undefined);
  expect(answers.map(({ api, status }) => [api, status])).toEqual([
    ['POST /v1/account_links', 200],
    ['GET /v1/accounts/{account}', 200],
    ['GET /v1/accounts/{account}', 500],
  ]);
  expect(JSON.stringify(answers)).not.toMatch(/SECRET|acct_ok|personal\.example|sk_live/);
});
