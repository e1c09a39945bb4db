import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Caller } from '#lib/contracts';
import { givenStores } from '#lib/testing';
import { TestPlatform } from '../test-platform.js';
import { Merchants } from './merchants.js';
import { PlatformReader } from './platform-reader.js';

let platform: TestPlatform;
let merchants: Merchants;
let other: string;

beforeAll(async () => {
  platform = new TestPlatform(givenStores().databaseUrl);
  merchants = new Merchants(platform.reader);
  other = `${platform.tenantId}-other`;
  await platform.addMerchant({ id: 'm_mine', account: 'acct_mine', name: 'Mine' });
  await platform.addMerchant({ id: 'm_second' });
  await platform.addMerchant({ id: 'm_bobs', userId: 'bob', account: 'acct_bobs' });
  await platform.addMerchant({ id: 'm_elsewhere', userId: 'alice', account: 'acct_elsewhere' }, other);
  await platform.addMerchant({ id: 'm_twice', userId: 'alice' });
  await platform.addMerchant({ id: 'm_twice', userId: 'mallory' }, other);
  await platform.addSession('s_mine', 'm_mine');
  await platform.addSession('s_second', 'm_second');
  await platform.addSession('s_bobs', 'm_bobs', { userId: 'bob' });
  await platform.addSession('s_alice_for_bob', 'm_bobs');
  await platform.addSession('s_old', 'm_mine', { expiresAt: new Date(Date.now() - 1_000) });
  await platform.addSession('s_elsewhere', 'm_elsewhere', { tenantId: other });
  await platform.addOrigin('https://app.example.com');
  await platform.addOrigin('https://other.example', other);
});
afterAll(async () => platform[Symbol.asyncDispose]());

const caller = (userId: string | null, scopes: Caller['scopes'] = []): Caller => ({
  tenantId: platform.tenantId,
  userId,
  tier: 'pro',
  scopes,
  credentialId: 'k',
});
const alice = (sessionId: string | null = null) => ({ caller: caller('alice'), sessionId });

describe('a merchant that is asked for', () => {
  test.each<[string, string | undefined, string | undefined, string | null, object]>([
    ['by an id of the caller’s', 'm_mine', undefined, null, { kind: 'merchant', merchant: { merchant_id: 'm_mine' } }],
    ['by a session of the caller’s', undefined, 's_mine', null, { kind: 'merchant', merchant: { merchant_id: 'm_mine' } }],
    ['by both, which agree', 'm_mine', 's_mine', null, { kind: 'merchant' }],
    ['by both, which do not', 'm_second', 's_mine', null, { kind: 'foreign' }],
    [
      'by a session that gives the caller another’s merchant',
      undefined,
      's_alice_for_bob',
      null,
      { kind: 'merchant', merchant: { merchant_id: 'm_bobs' } },
    ],
    ['by an id that nobody has', 'm_nobody', undefined, null, { kind: 'no-merchant', merchantId: 'm_nobody' }],
    ['by an id of another user', 'm_bobs', undefined, null, { kind: 'foreign' }],
    ['by an id of another tenant', 'm_elsewhere', undefined, null, { kind: 'foreign' }],
    ['by an id that two tenants have', 'm_twice', undefined, null, { kind: 'merchant', merchant: { user_id: 'alice' } }],
    ['by a session that nobody has', undefined, 's_nobody', null, { kind: 'no-session' }],
    ['by a session that has expired', undefined, 's_old', null, { kind: 'no-session' }],
    ['by a session of another user', undefined, 's_bobs', null, { kind: 'foreign' }],
    ['by a session of another tenant', undefined, 's_elsewhere', null, { kind: 'foreign' }],
    ['within a working session of it', 'm_mine', undefined, 's_mine', { kind: 'merchant' }],
    ['within a working session of another merchant', 'm_mine', undefined, 's_second', { kind: 'foreign' }],
    ['within a working session that is not there', 'm_mine', undefined, 's_nobody', { kind: 'foreign' }],
    ['by nothing, within a working session', undefined, undefined, 's_mine', { kind: 'merchant', merchant: { merchant_id: 'm_mine' } }],
  ])('%s', async (...[_what, merchantId, sessionId, working, expected]) => {
    expect(await merchants.resolve({ merchantId, sessionId }, alice(working))).toMatchObject(expected);
  });

  test('by a key with the scope may be anybody’s of its tenant, and of no other', async () => {
    const requester = { caller: caller(null, ['merchant:any']), sessionId: null };
    const kinds = [];
    for (const merchantId of ['m_mine', 'm_bobs', 'm_elsewhere'])
      kinds.push((await merchants.resolve({ merchantId, sessionId: undefined }, requester)).kind);
    expect(kinds).toEqual(['merchant', 'merchant', 'foreign']);
  });

  test('by a key without the scope is nobody’s', async () => {
    const requester = { caller: caller(null), sessionId: null };
    expect(await merchants.resolve({ merchantId: 'm_mine', sessionId: undefined }, requester)).toEqual({ kind: 'foreign' });
  });
});

describe('the row of a merchant', () => {
  const identity = (id: string) => ({ merchant_id: id, tenant_id: platform.tenantId, user_id: 'alice', version: 1 });

  test('has what the views show, and nothing personal', async () => {
    expect(await merchants.row(identity('m_mine'))).toEqual({
      stripe_account_id: 'acct_mine',
      status_summary: { onboarding: 'complete' },
      display_name: 'Mine',
      country: null,
      business_type: null,
    });
  });

  test('that went away meanwhile is none', async () => expect(await merchants.row(identity('m_gone'))).toBeNull());

  test('counts its changes', async () => {
    const version = async () => {
      const resolved = await merchants.resolve({ merchantId: 'm_second', sessionId: undefined }, alice());
      return resolved.kind === 'merchant' ? resolved.merchant.version : null;
    };
    const before = await version();
    await platform.sql('UPDATE merchant SET display_name = $1 WHERE id = $2 AND tenant_id = $3', ['New', 'm_second', platform.tenantId]);
    expect(await version()).toBe(Number(before) + 1);
  });
});

describe('an account', () => {
  test.each([
    ['of the caller', 'acct_mine', null, true],
    ['of another user', 'acct_bobs', null, false],
    ['of another tenant', 'acct_elsewhere', null, false],
    ['that nobody has', 'acct_nobody', null, false],
    ['of the working session', 'acct_mine', 's_mine', true],
    ['of another merchant than the working session’s', 'acct_mine', 's_second', false],
    ['that a session gives the caller', 'acct_bobs', 's_alice_for_bob', true],
    ['of an expired session', 'acct_mine', 's_old', false],
  ])('%s may be used: %s in session %s → %s', async (...[_whose, account, sessionId, expected]) => {
    expect((await merchants.checkAccess(account, alice(sessionId))).account).toBe(expected);
  });

  test.each([
    ['of a listed host', ['https://app.example.com/a/b?c=d'], true],
    ['of a host twice', ['https://app.example.com/a', 'https://app.example.com/b'], true],
    ['of another port', ['https://app.example.com:8443/'], false],
    ['of another scheme', ['http://app.example.com/'], false],
    ['of a host within', ['https://sub.app.example.com/'], false],
    ['of another tenant’s host', ['https://other.example/'], false],
    ['of which one is not listed', ['https://app.example.com/', 'https://evil.example/'], false],
    ['that are none', [], true],
  ])('with addresses %s: %j → %s', async (_what, urls, expected) => {
    expect(await merchants.checkAccess('acct_mine', alice(), urls)).toEqual({ account: true, urls: expected });
  });
});

describe('a reader', () => {
  test('can read the views, and write or read nothing else', async () => {
    expect(
      await platform.reader.read((query) =>
        query('SELECT count(*)::int AS count FROM platform_merchant WHERE tenant_id = $1', [platform.tenantId]),
      ),
    ).toEqual([{ count: 4 }]);
    for (const text of [
      'SELECT email FROM merchant',
      'SELECT origin FROM return_origin',
      "INSERT INTO platform_return_origin VALUES ('t', 'o')",
      'DELETE FROM merchant',
    ])
      await expect(platform.reader.read((query) => query(text, []))).rejects.toThrow(/permission denied|read-only/);
  });

  test('goes on after a read that failed', async () => {
    await expect(platform.reader.read((query) => query('SELECT 1 / 0', []))).rejects.toThrow('division by zero');
    for (let n = 0; n < 4; n++) expect(await platform.reader.read((query) => query('SELECT 1 AS one', []))).toEqual([{ one: 1 }]);
  });

  test('with the role none stays whoever it logs in as, and still cannot write', async () => {
    const own = new PlatformReader({ url: givenStores().databaseUrl, poolSize: 1, role: 'none', statementTimeoutMs: 2_000 });
    await expect(own.read((query) => query("INSERT INTO return_origin VALUES ('t', 'o')", []))).rejects.toThrow('read-only');
    await own.close();
  });

  test('of a database that is away fails', async () => {
    const away = new PlatformReader({ url: 'postgres://nobody@127.0.0.1:9/none', poolSize: 1, role: 'none', statementTimeoutMs: 500 });
    await expect(new Merchants(away).ping()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await away.close();
    await expect(merchants.ping()).resolves.toBeUndefined();
  });
});
