import { describe, expect, test } from '@jest/globals';
import { Refusal, userScopes, type Caller } from '#lib/contracts';
import { mintApiKey } from '#lib/platform';
import { ApiKeyDirectory } from './api-key-directory.js';
import { Authenticator } from './authenticator.js';
import type { KeyRow } from './key-store.js';

const address = '192.0.2.1';
const jwtCaller: Caller = { tenantId: 't', userId: 'jwt-user', tier: 'free', scopes: userScopes, credentialId: 'jwt:t/jwt-user' };

function setUp({ scopes = ['*'], failuresPerMinute = 3 }: { scopes?: string[]; failuresPerMinute?: number } = {}) {
  const { id, key, hash } = mintApiKey();
  const row: KeyRow = {
    id,
    hash,
    tenantId: 't',
    userId: null,
    tier: 'pro',
    scopes,
    createdAt: new Date(),
    expiresAt: null,
    revokedAt: null,
    name: null,
    lastUsedAt: null,
    serves: [],
    approvesTools: false,
    tools: [],
    toolset: null,
  };
  const tierOf = async (_tenantId: string, user: string) => (user === 'vip-user' ? ('vip' as const) : null);
  const turnCaller: Caller = { ...jwtCaller, credentialId: id };
  const keys = new ApiKeyDirectory({ find: async (wanted) => (wanted === id ? row : null) }, { note: () => undefined });
  const authenticator = new Authenticator(
    { settings: { AUTH_FAILURES_PER_MINUTE: failuresPerMinute } },
    keys,
    { callerOf: async () => jwtCaller, acceptedCallerOf: () => null, callerAgain: (left) => left },
    { tierOf },
    { callerOf: async () => turnCaller },
    { callerOf: async () => turnCaller, check: async () => undefined },
  );
  return { authenticator, keys, key, id, row };
}

async function refusalOf(promise: Promise<unknown>): Promise<Refusal['error']> {
  const error: unknown = await promise.catch((thrown: unknown) => thrown);
  if (!(error instanceof Refusal)) throw new Error(`not refused: ${String(error)}`);
  return error.error;
}

describe('A credential', () => {
  test.each([
    ['a bearer token', (key: string) => `Bearer ${key}`],
    ['a bearer token with more spaces', (key: string) => `  bearer   ${key} `],
    ['the password of Basic', (key: string) => `Basic ${Buffer.from(`anyone:${key}`).toString('base64')}`],
    ['Basic without a user', (key: string) => `BASIC ${Buffer.from(key).toString('base64')}`],
  ])('may be an API key as %s', async (_, header) => {
    const { authenticator, key, id } = setUp();
    expect((await authenticator.authenticate({ authorization: header(key) }, address, true)).credentialId).toBe(id);
  });

  test('is not taken as Basic where a program calls', async () => {
    const { authenticator, key } = setUp();
    const basic = { authorization: `Basic ${Buffer.from(`x:${key}`).toString('base64')}` };
    expect(await refusalOf(authenticator.authenticate(basic, address))).toMatchObject({
      family: 'UNAUTHORIZED',
      message: expect.stringContaining('send Authorization: Bearer'),
    });
  });

  test('that was looked at is known at once, until it changes and only as it came', async () => {
    const { authenticator, keys, key, id } = setUp();
    const headers = { authorization: `Bearer ${key}` };
    expect(authenticator.authenticateAtOnce(headers)).toBeNull();
    const caller = await authenticator.authenticate(headers, address);
    expect(authenticator.authenticateAtOnce(headers)).toBe(caller);
    const others = [
      { ...headers, 'x-user-id': 'u' },
      { authorization: `Basic ${Buffer.from(`x:${key}`).toString('base64')}` },
      { authorization: key },
      { authorization: `Bearer ${key}0` },
      {},
    ];
    expect(others.map((other) => authenticator.authenticateAtOnce(other))).toEqual(others.map(() => null));
    keys.forget(id);
    expect(authenticator.authenticateAtOnce(headers)).toBeNull();
  });

  test('of another form is a token', async () => {
    const { authenticator } = setUp();
    expect(await authenticator.authenticate({ authorization: 'Bearer abc.def.ghi' }, address)).toBe(jwtCaller);
  });

  test.each([undefined, '', 'Bearer', 'Bearer ', 'Digest abc', 'abc', 'Bearer a b', `Bearer ${'x'.repeat(8_193)}`])(
    'is missing in %j',
    async (authorization) => {
      const { authenticator } = setUp();
      const headers = authorization === undefined ? {} : { authorization };
      expect((await refusalOf(authenticator.authenticate(headers, address))).family).toBe('UNAUTHORIZED');
    },
  );
});

test('A chat turn loses its rights with the key that began it', async () => {
  const { authenticator, id, row } = setUp();
  const turn = { authorization: 'Bearer turn_x~y' };
  expect((await authenticator.authenticate(turn, address)).credentialId).toBe(id);
  row.revokedAt = new Date();
  expect((await refusalOf(authenticator.authenticate(turn, address))).message).toBe('The API key has been revoked');
});

describe('X-User-Id', () => {
  const call = async (userId: string, scopes?: string[]) => {
    const { authenticator, key } = setUp(scopes ? { scopes } : {});
    return authenticator.authenticate({ authorization: `Bearer ${key}`, 'x-user-id': userId }, address);
  };

  test('makes a call of that user, with the rights of an ordinary user', async () => {
    expect(await call('u1')).toMatchObject({
      tenantId: 't',
      userId: 'u1',
      tier: 'pro',
      // A key that has it may have calls made later for a user.
      scopes: [...userScopes, 'schedules', 'approvals'],
      actor: { userId: null, tier: 'pro' },
    });
  });

  test("gives the user's own tier, and no right that the key lacks", async () => {
    expect(await call('vip-user', ['act-as', 'tools:read'])).toMatchObject({ tier: 'vip', scopes: ['tools:read'] });
  });

  test('needs the scope act-as', async () => {
    expect(await refusalOf(call('u1', ['tools:read', 'admin']))).toMatchObject({
      family: 'PERMISSION_DENIED',
      extra: { required_scope: 'act-as' },
    });
  });

  test('is UTF-8, like the same id in a token', async () => {
    const latin1 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
    for (const userId of ['张三', 'Ægir Þórsson', 'auth0|5f7c', 'jane@example.com'])
      expect(await call(latin1(userId))).toMatchObject({ userId });
  });

  test.each(['', ' a', 'a ', 'x'.repeat(129), 'a\u0000', 'a\nb', 'key:k1', '\u00e9', 'e\u00cc\u0081', '\u00ed\u00a0\u0080'])(
    'is refused when it is %j',
    async (userId) => {
      expect(await refusalOf(call(userId))).toMatchObject({
        family: 'INVALID_PARAMS',
        message: expect.stringMatching(/^X-User-Id must /),
        details: [{ path: 'X-User-Id' }],
      });
    },
  );
});

describe('Guessing', () => {
  test('has to wait after too many failures from one address', async () => {
    const { authenticator, key } = setUp({ failuresPerMinute: 2 });
    const guess = async (from: string) => (await refusalOf(authenticator.authenticate({ authorization: 'Bearer invoq_x' }, from))).family;
    expect([await guess(address), await guess(address)]).toEqual(['UNAUTHORIZED', 'UNAUTHORIZED']);
    const { family, retry_after_ms: wait } = await refusalOf(authenticator.authenticate({}, address));
    expect(family).toBe('RATE_LIMITED');
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60_000);
    // Neither another address nor a good credential has to wait.
    expect(await guess('192.0.2.2')).toBe('UNAUTHORIZED');
    expect((await authenticator.authenticate({ authorization: `Bearer ${key}` }, address)).tenantId).toBe('t');
  });

  test('is not counted for a caller that is known and lacks a right', async () => {
    const { authenticator, key } = setUp({ failuresPerMinute: 1, scopes: [] });
    for (let i = 0; i < 3; i++) {
      const call = authenticator.authenticate({ authorization: `Bearer ${key}`, 'x-user-id': 'u1' }, address);
      expect((await refusalOf(call)).family).toBe('PERMISSION_DENIED');
    }
  });
});

describe('A caller that was let in', () => {
  const isStillGood = async (authenticator: Authenticator, caller: Pick<Caller, 'credentialId' | 'credentialEndsAt'>) =>
    authenticator.check(caller).then(
      () => true,
      (error: unknown) => !(error instanceof Refusal && error.error.family === 'UNAUTHORIZED'),
    );

  test('stays so until its key is revoked', async () => {
    const { authenticator, key, row } = setUp();
    const caller = await authenticator.authenticate({ authorization: `Bearer ${key}` }, address);
    expect(await isStillGood(authenticator, caller)).toBe(true);
    row.revokedAt = new Date();
    expect(await isStillGood(authenticator, caller)).toBe(false);
  });

  test('by a token stays so until the token ends', async () => {
    const { authenticator } = setUp();
    const endsIn = (ms: number) => isStillGood(authenticator, { ...jwtCaller, credentialEndsAt: Date.now() + ms });
    expect([await endsIn(60_000), await endsIn(0), await endsIn(-1)]).toEqual([true, false, false]);
  });

  test('by a token or as a guest has no key to revoke', async () => {
    const { authenticator } = setUp();
    for (const credentialId of ['jwt:t/u', 'guest:192.0.2.1'])
      expect(await isStillGood(authenticator, { ...jwtCaller, credentialId })).toBe(true);
    expect(await isStillGood(authenticator, { ...jwtCaller, credentialId: 'unknown' })).toBe(false);
  });
});
