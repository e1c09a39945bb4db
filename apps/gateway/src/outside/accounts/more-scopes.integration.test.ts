// Own tools that need more rights of an account than their contract says: `context.token({ scopes })`.
import { describe, expect, test } from '@jest/globals';
import { givenStores, Tenant } from '#lib/testing';
import { begin } from '../../serving/test-own-worker.js';
import { withAccounts } from './test-account-calls.js';

const at = withAccounts();
const { accounts, until, served, connectAccount, askedFor, followed } = at;

/** Says with which rights the token came that it got. */
const sends = (scopes: readonly string[]) =>
  served(async ({ token }) => (await at.oauth.scopesOf(await token({ scopes }))).toSorted().join(' '));

describe('A tool that asks for more rights', () => {
  test('rests until its user has granted them, and has them at once the next time', async () => {
    await connectAccount();
    const name = await sends(['mail.send']);
    const id = await begin(at.gateway, name);
    const request = await askedFor(id);
    expect(request).toMatchObject({ kind: 'connection', message: expect.stringContaining('with the rights mail.send') });
    expect((await accounts())[0]?.state).toBe('connected');
    const other = await Tenant.create(givenStores().databaseUrl);
    const seen = await at.gateway.send(`/input-requests/${request.id}`, { authorization: `Bearer ${await other.key()}` });
    await other[Symbol.asyncDispose]();
    expect(seen.status).toBe(404);
    expect(await followed(request.url)).toContain('Mail is connected');
    expect(await until(id, 'completed', 'failed')).toMatchObject({ result: { data: { said: 'mail.read mail.send' } } });
    const again = await begin(at.gateway, name);
    expect(await until(again, 'completed', 'failed', 'resting')).toMatchObject({ result: { data: { said: 'mail.read mail.send' } } });
  });

  test('wakes all calls that wait for the same rights', async () => {
    await connectAccount();
    const name = await sends(['mail.send']);
    const ids = await Promise.all([begin(at.gateway, name), begin(at.gateway, name)]);
    const [first] = await Promise.all(ids.map(askedFor));
    expect(await followed(first?.url)).toContain('Mail is connected');
    for (const id of ids) expect(await until(id, 'completed', 'failed')).toMatchObject({ state: 'completed' });
  });

  test('is told in words what was not granted, what may not be asked for, and a no', async () => {
    await connectAccount();
    at.oauth.withholds = ['mail.send'];
    const withheld = await begin(at.gateway, await sends(['mail.send']));
    expect(await followed((await askedFor(withheld)).url)).toContain('Mail is connected');
    expect(await until(withheld, 'completed', 'failed')).toMatchObject({ result: { error: { native_code: 'SCOPES_NOT_GRANTED' } } });
    at.oauth.withholds = [];
    const unasked = await begin(at.gateway, await sends(['files.read']));
    expect(await until(unasked, 'completed', 'failed', 'resting')).toMatchObject({
      result: { error: { native_code: 'SCOPES_NOT_ALLOWED', message: expect.stringContaining("with 'more_scopes' of the provider") } },
    });
    const declined = await begin(at.gateway, await sends(['mail.send']));
    const { id } = await askedFor(declined);
    expect((await at.gateway.post(`/input-requests/${id}`, { action: 'decline' })).status).toBe(200);
    expect(await until(declined, 'completed', 'failed')).toMatchObject({ result: { error: { native_code: 'DECLINED' } } });
  });

  test('that names what is no scope is at fault itself', async () => {
    await connectAccount();
    for (const scopes of [['two words'], Array.from({ length: 51 }, (_, n) => `s${n}`)]) {
      const ended = await until(await begin(at.gateway, await sends(scopes)), 'completed', 'failed', 'resting');
      expect(JSON.stringify(ended)).not.toContain('"said"');
      expect(ended.state).not.toBe('resting');
    }
  });
});
