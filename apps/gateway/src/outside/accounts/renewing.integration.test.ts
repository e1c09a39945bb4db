// Tokens are renewed by one process at a time, at a server that takes each refresh token once.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { AccountAccess, MissingAccount } from '#lib/accounts';
import { auditPage } from '#lib/contracts';
import { startTimeoutMs } from '#lib/testing';
import { connect, listed, startAccounts, type TestAccounts } from './test-accounts.js';

let accounts: TestAccounts;
beforeAll(async () => {
  // Each token ends so soon that it is renewed at once.
  accounts = await startAccounts({ accessTokenSeconds: 30 });
}, startTimeoutMs);
afterEach(() => {
  accounts.oauth.mood = 'fine';
});
afterAll(async () => accounts?.[Symbol.asyncDispose]());

async function connected() {
  const made = await accounts.tenant();
  const connection = await connect(made.user);
  const need = { ...made.owner, provider: 'mail', scopes: [] };
  const { connection: rows } = accounts.gateway.stores.database;
  return {
    ...made,
    id: connection.id,
    here: async (refused?: string) => accounts.gateway.stores.accounts.accounts.access(need, refused),
    there: async (refused?: string) => accounts.other.stores.accounts.accounts.access(need, refused),
    row: async () => rows.findUniqueOrThrow({ where: { id: connection.id } }),
    /** What the provider says of the token's end is changed here. */
    endsIn: async (ms: number) => rows.update({ where: { id: connection.id }, data: { expiresAt: new Date(Date.now() + ms) } }),
  };
}

function tokenOf(found: AccountAccess | MissingAccount): string {
  if (found.kind === 'missing') throw new Error(found.message);
  return found.token;
}

test('two gateways with many calls at once renew once, and all get the token that is good', async () => {
  const { here, there, endsIn, row } = await connected();
  await endsIn(0);
  accounts.oauth.mood = 'slow';
  const before = accounts.oauth.grants.length;
  const first = await Promise.all(
    [here(), there(), here(), there(), here(), there(), here(), there()].map(async (one) => tokenOf(await one)),
  );
  // 30 s are less than the minute that tokens are renewed ahead: each who comes later renews again, one after the other.
  const grants = accounts.oauth.grants.length - before;
  expect(grants).toBeGreaterThan(0);
  const last = tokenOf(await here());
  expect(await accounts.oauth.isLive(last)).toBe(true);
  expect(first.every((token) => token.length > 20)).toBe(true);
  // A refresh token that comes twice ends the grant at this server: nothing has come twice.
  expect(await row()).toMatchObject({ state: 'connected', lease: null });
});

test('a token that is good for long is given as it is', async () => {
  const { here, endsIn } = await connected();
  await endsIn(3_600_000);
  const before = accounts.oauth.grants.length;
  const tokens = await Promise.all([here(), here(), here()].map(async (one) => tokenOf(await one)));
  expect(new Set(tokens).size).toBe(1);
  expect(accounts.oauth.grants.length).toBe(before);
});

test('many at once renew exactly once where the new token is good for long', async () => {
  const { here, there, endsIn, row } = await connected();
  await endsIn(3_600_000);
  const refused = tokenOf(await here());
  accounts.oauth.mood = 'slow';
  const before = accounts.oauth.grants.length;
  const racing = [here(refused), there(refused), here(refused), there(refused)].map(async (one) => tokenOf(await one));
  const started = Date.now();
  // Whoever finds the renewed token finds one that is good for long.
  const { revision } = await row();
  while ((await row()).revision === revision && Date.now() - started < 10_000) await new Promise((resolve) => setTimeout(resolve, 2));
  await endsIn(3_600_000);
  const tokens = await Promise.all(racing);
  expect(tokens.some((token) => token === refused)).toBe(false);
  expect(accounts.oauth.grants.length - before).toBeLessThanOrEqual(2);
});

test('a token that the API refuses is renewed once; one that it never saw is not', async () => {
  const { here, endsIn } = await connected();
  await endsIn(3_600_000);
  const first = tokenOf(await here());
  const before = accounts.oauth.grants.length;
  const second = tokenOf(await here(first));
  expect(second).not.toBe(first);
  await endsIn(3_600_000);
  // Somebody else who still has the first one gets the second, and renews nothing.
  expect(tokenOf(await here(first))).toBe(second);
  expect(accounts.oauth.grants.length).toBe(before + 1);
});

test('when the grant is over, the account has to be connected again, which is said in words, and is so then', async () => {
  const { here, there, endsIn, admin, user, row } = await connected();
  await accounts.oauth.endAll();
  await endsIn(0);
  const said = await Promise.all([here(), there()]);
  for (const one of said)
    expect(one).toMatchObject({ kind: 'missing', why: 'reconnect', message: expect.stringContaining('Connect your mail account again') });
  expect(await listed(user)).toMatchObject([{ state: 'reconnect', reason: expect.stringContaining('does not renew') }]);
  const { events } = (await admin.get('/audit?limit=20')).as(auditPage);
  expect(events.filter(({ action }) => action === 'connection.update').length).toBe(1);
  await connect(user);
  expect(await row()).toMatchObject({ state: 'connected', reason: null });
  expect((await there()).kind).toBe('access');
});

test('a provider that fails or hangs costs no account: the token is used while it is good', async () => {
  const { here, endsIn, row } = await connected();
  await endsIn(20_000);
  accounts.oauth.mood = 'failing';
  expect((await here()).kind).toBe('access');
  await endsIn(0);
  await expect(here()).rejects.toMatchObject({ kind: 'away' });
  accounts.oauth.mood = 'hanging';
  await expect(here()).rejects.toMatchObject({ kind: 'away', message: expect.stringContaining('in time') });
  accounts.oauth.mood = 'fine';
  expect(await accounts.oauth.isLive(tokenOf(await here()))).toBe(true);
  expect(await row()).toMatchObject({ state: 'connected', lease: null });
});

test('whoever dies while it renews holds the others up for its lease alone', async () => {
  const { here, endsIn, row } = await connected();
  await endsIn(0);
  const dead = await accounts.other.stores.accounts.connections.lease(await row());
  expect(dead).not.toBeNull();
  expect(await accounts.gateway.stores.accounts.connections.lease(await row())).toBeNull();
  const { connection } = accounts.gateway.stores.database;
  const waiting = here();
  await connection.update({ where: { id: (await row()).id }, data: { leaseUntil: new Date(Date.now() - 1) } });
  expect(await accounts.oauth.isLive(tokenOf(await waiting))).toBe(true);
  // It comes back: what it has to store is not the account's any more.
  const tokens = { access: 'late', refresh: 'late', expiresAt: null, scopes: null };
  expect(await accounts.other.stores.accounts.connections.renewed(await row(), dead ?? '', { tokens, server: null })).toBe(false);
});

test('an account that is deleted while it is renewed leaves no token behind', async () => {
  const { here, endsIn, user, id } = await connected();
  await endsIn(0);
  accounts.oauth.mood = 'slow';
  const renewing = here();
  await new Promise((resolve) => setTimeout(resolve, 150));
  await user.delete(`/connections/${id}`);
  expect(await renewing).toMatchObject({ kind: 'missing', why: 'none' });
  const live = await Promise.all(accounts.oauth.given.slice(-2).map(async (token) => accounts.oauth.isLive(token)));
  expect(live).toEqual([false, false]);
});

test('after a provider has another client, tokens of the one before are sent to nobody', async () => {
  const { here, admin } = await connected();
  const before = accounts.oauth.grants.length;
  await admin.request('/providers/mail', { method: 'PUT', json: { issuer: accounts.oauth.url, client_id: 'another', client_secret: 's' } });
  expect(await here()).toMatchObject({ kind: 'missing', why: 'reconnect' });
  expect(accounts.oauth.grants.length).toBe(before);
});
