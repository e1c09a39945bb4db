import { describe, expect, test } from '@jest/globals';
import { Refusal } from '#lib/contracts';
import { mintApiKey } from '#lib/platform';
import { ApiKeyDirectory } from './api-key-directory.js';
import type { KeyRow } from './key-store.js';

const minted = mintApiKey();
const row: KeyRow = {
  id: minted.id,
  hash: minted.hash,
  tenantId: 't',
  userId: 'u',
  tier: 'pro',
  scopes: ['tools:read'],
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

/** A store of keys that counts its reads and can be changed or taken away. */
function store(state: { row: KeyRow | null; fault?: Error | undefined; hangs?: boolean }) {
  const seen = { reads: 0 };
  const find = async (): Promise<KeyRow | null> => {
    seen.reads += 1;
    if (state.hangs) return new Promise(() => undefined);
    if (state.fault) throw state.fault;
    return state.row;
  };
  return { seen, directory: new ApiKeyDirectory({ find }, { note: () => undefined }) };
}

const family = (promise: Promise<unknown>) =>
  promise.then(
    () => 'let in',
    (error: unknown) => (error instanceof Refusal ? error.error.family : String(error)),
  );

describe('a key', () => {
  test('gives its caller, and the database is asked once a second', async () => {
    const { directory, seen } = store({ row });
    expect(await directory.callerOf(minted.key)).toEqual({
      tenantId: 't',
      userId: 'u',
      tier: 'pro',
      scopes: ['tools:read'],
      credentialId: minted.id,
    });
    await Promise.all(Array.from({ length: 50 }, () => directory.callerOf(minted.key)));
    expect(seen.reads).toBe(1);
    await directory.callerOf(minted.key, Date.now() + 1_100);
    expect(seen.reads).toBe(2);
  });

  test('in use is read again before its second is over, by one caller, while the others go on', async () => {
    const { directory, seen } = store({ row });
    const caller = await directory.callerOf(minted.key);
    const from = Date.now();
    for (let n = 0; n < 50; n++) expect(directory.acceptedCallerOf(minted.key, from + 600)).toBe(caller);
    expect(seen.reads).toBe(1);
    for (let n = 0; n < 50; n++) expect(directory.acceptedCallerOf(minted.key, from + 800)).toBe(caller);
    expect(seen.reads).toBe(2);
  });

  test('that was read again and is as it was has the same caller', async () => {
    let reads = 0;
    const directory = new ApiKeyDirectory({ find: async () => (reads++, { ...row, scopes: [...row.scopes] }) }, { note: () => undefined });
    const caller = await directory.callerOf(minted.key);
    expect(await directory.callerOf(minted.key, Date.now() + 1_100)).toBe(caller);
    expect(reads).toBe(2);
  });

  test.each([
    ['was revoked', { revokedAt: new Date() }],
    ['has another owner', { userId: 'v' }],
    ['has other rights', { scopes: [] }],
  ])('that %s is found so when it is read ahead', async (_, change) => {
    const state = { row };
    const { directory } = store(state);
    const caller = await directory.callerOf(minted.key);
    state.row = { ...row, ...change };
    // This one was let in, and has it read.
    expect(directory.acceptedCallerOf(minted.key, Date.now() + 800)).toBe(caller);
    await Promise.resolve();
    await new Promise(setImmediate);
    expect(directory.acceptedCallerOf(minted.key)).toBeNull();
    if ('revokedAt' in change) expect(await family(directory.callerOf(minted.key))).toBe('UNAUTHORIZED');
    else expect(await directory.callerOf(minted.key)).toMatchObject(change);
  });

  test('that cannot be read ahead is used until its second is over, and then read again', async () => {
    const state: Parameters<typeof store>[0] = { row, fault: undefined };
    const { directory, seen } = store(state);
    await directory.callerOf(minted.key);
    state.fault = new Error('away');
    const from = Date.now();
    expect(directory.acceptedCallerOf(minted.key, from + 800)).not.toBeNull();
    await new Promise(setImmediate);
    expect(directory.acceptedCallerOf(minted.key, from + 900)).not.toBeNull();
    expect(directory.acceptedCallerOf(minted.key, from + 1_100)).toBeNull();
    expect(seen.reads).toBe(3);
  });

  test('that is garbled is refused without a query', async () => {
    const { directory, seen } = store({ row });
    for (const key of ['', 'invoq_x', `${minted.key.slice(0, -1)}!`, `${minted.key}0`])
      expect(await family(directory.callerOf(key))).toBe('UNAUTHORIZED');
    expect(seen.reads).toBe(0);
  });

  test.each([{ tenantId: '*' }, { tenantId: 'guests' }, { tenantId: 't ' }, { userId: 'key:k1' }, { userId: 'e\u0301' }, { userId: '' }])(
    'of an id that could be taken for another one is refused, and says why: %j',
    async (ids) => {
      const { directory } = store({ row: { ...row, ...ids } });
      await expect(directory.callerOf(minted.key)).rejects.toThrow('whose id is not allowed');
    },
  );

  test('of another owner with the same id is refused', async () => {
    const { directory } = store({ row: { ...row, hash: mintApiKey().hash } });
    expect(await family(directory.callerOf(minted.key))).toBe('UNAUTHORIZED');
  });

  test('that was revoked or has expired is refused, within a second of it', async () => {
    const state: { row: KeyRow | null } = { row };
    const { directory } = store(state);
    await directory.callerOf(minted.key);
    state.row = { ...row, revokedAt: new Date() };
    expect(await family(directory.callerOf(minted.key, Date.now() + 1_001))).toBe('UNAUTHORIZED');
    expect(await family(store({ row: { ...row, expiresAt: new Date(Date.now() - 1) } }).directory.callerOf(minted.key))).toBe(
      'UNAUTHORIZED',
    );
  });
});

test('What is remembered of a key ends with its second, with its row, and when it is forgotten', async () => {
  const state: { row: KeyRow | null } = { row };
  const { directory, seen } = store(state);
  await directory.callerOf(minted.key);
  state.row = { ...row, tier: 'vip' };
  expect((await directory.callerOf(minted.key)).tier).toBe('pro');
  expect((await directory.callerOf(minted.key, Date.now() + 1_000)).tier).toBe('vip');
  directory.forget(minted.id);
  state.row = null;
  expect(await family(directory.callerOf(minted.key))).toBe('UNAUTHORIZED');
  expect(seen.reads).toBe(3);

  const expiring = store({ row: { ...row, expiresAt: new Date(Date.now() + 500) } }).directory;
  expect(await family(expiring.callerOf(minted.key))).toBe('let in');
  expect(await family(expiring.callerOf(minted.key, Date.now() + 600))).toBe('UNAUTHORIZED');
  expect(await family(expiring.callerOf(`${minted.key.slice(0, -1)}${minted.key.endsWith('0') ? '1' : '0'}`))).toBe('UNAUTHORIZED');
});

describe('while the database is away', () => {
  test('known keys go on, unknown ones get 503', async () => {
    const state: { row: KeyRow | null; fault?: Error } = { row };
    const { directory } = store(state);
    await directory.callerOf(minted.key);
    state.fault = new Error('down');
    expect(await family(directory.callerOf(minted.key, Date.now() + 60_000))).toBe('let in');
    expect(await family(store(state).directory.callerOf(minted.key))).toBe('NETWORK_ERROR');
  });

  test('a hanging one does not hang callers it has known before', async () => {
    const state: { row: KeyRow | null; hangs?: boolean } = { row };
    const { directory } = store(state);
    await directory.callerOf(minted.key);
    state.hangs = true;
    const start = performance.now();
    expect(await family(directory.callerOf(minted.key, Date.now() + 60_000))).toBe('let in');
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
