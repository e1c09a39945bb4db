// Accounts that end or change while a call waits, and accounts that are keys.
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { connectionAddress } from '#lib/contracts';
import { handle } from '#lib/serve';
import { CookieBrowser, eventually, givenStores, OAuthServer, RedisContents } from '#lib/testing';
import { contractOf } from '../../serving/test-contract.js';
import { begin, startOwnWorker } from '../../serving/test-own-worker.js';
import { Stores } from '../../stores.js';
import { withAccounts } from './test-account-calls.js';

const at = withAccounts();
const { workers, patient, job, newName, get, accounts, until, served, mails, connectAccount, askedFor, pageOf } = at;

describe('A call that waits', () => {
  /** Not taken by its worker before this time is over. */
  const delayed = async (name: string, delayMs: number) => {
    const options = { method: 'POST', authorization: at.gateway.user, body: JSON.stringify({ text: 'hello' }) };
    const { body } = await at.gateway.send(`/tools/${name}?delay_ms=${delayMs}`, options);
    return z.looseObject({ job_id: z.string() }).parse(JSON.parse(body)).job_id;
  };

  test('past the end of its token has a new one when it runs', async () => {
    await using brief = await OAuthServer.start({
      redirectUris: [`http://127.0.0.1:${at.gateway.port}/connections/callback`],
      accessTokenSeconds: 2,
    });
    const body = JSON.stringify({ issuer: brief.url, client_id: 'invoq', client_secret: brief.clientSecret, scopes: ['mail.read'] });
    expect((await at.gateway.send('/providers/brief', { method: 'PUT', authorization: at.gateway.admin, body })).status).toBe(201);
    const { url } = connectionAddress.parse(JSON.parse((await at.gateway.post('/connections', { provider: 'brief' })).body));
    expect((await new CookieBrowser().visit(url)).text).toContain('is connected');
    const ask = async (token: string) => (await fetch(`${brief.url}/api/me`, { headers: { authorization: `Bearer ${token}` } })).text();
    const tokens = new Set<string>();
    const name = newName('brief_tool');
    const contract = contractOf(name, { connection: { provider: 'brief', scopes: ['mail.read'] } });
    const tool = handle(contract, async (_input, { token }) => {
      const given = await token();
      tokens.add(given);
      return { said: await ask(given) };
    });
    workers.push(await startOwnWorker(at.gateway, { key: at.key, tool }));
    const ids = [await delayed(name, 0), await delayed(name, 3_000)];
    for (const id of ids) expect(await until(id, 'completed', 'failed')).toMatchObject({ result: { data: { said: '{"mail":3}' } } });
    expect(tokens.size).toBe(2);
  });

  test('while its account is taken away asks for one when it runs, and sends nothing before', async () => {
    let begins = 0;
    await connectAccount();
    const id = await delayed(await served(async (context) => ((begins += 1), mails(context))), 1_500);
    const [account] = await accounts();
    expect((await at.gateway.send(`/connections/${account?.id}`, { method: 'DELETE', authorization: at.gateway.user })).status).toBe(200);
    const request = await eventually(async () => {
      const { rest } = job.parse(await get(`/jobs/${id}`));
      return rest?.reason === 'connection' && rest;
    }, patient);
    expect(request.input_request).toEqual(expect.any(String));
    expect(begins).toBe(0);
    await connectAccount();
    expect(await until(id, 'completed')).toMatchObject({ result: { data: { said: '{"mail":3}' } } });
  });
});

describe('An account that is a key', () => {
  const body = async (path: string, authorization: string) => (await at.gateway.send(path, { authorization })).body;

  test('is given to tools of its user as it is, is found nowhere, and is asked for again once it is deleted', async () => {
    const secret = 'key-of-a-user-x9';
    const put = { method: 'PUT', authorization: at.gateway.admin, body: JSON.stringify({ api_key: true, title: 'Maps' }) };
    expect((await at.gateway.send('/providers/maps', put)).status).toBe(201);
    const name = newName('maps_tool');
    const tool = handle(contractOf(name, { connection: { provider: 'maps', scopes: [] } }), async (_input, { token }) => {
      const given = await token();
      // One that the API refuses cannot be renewed.
      return { said: given === secret ? 'the key' : 'another one' };
    });
    workers.push(await startOwnWorker(at.gateway, { key: at.key, tool }));
    const id = await begin(at.gateway, name);
    const browser = new CookieBrowser();
    const page = await browser.visit(pageOf((await askedFor(id)).url));
    const headers = { 'content-type': 'application/json' };
    const { location } = z
      .object({ location: z.string() })
      .parse(await (await browser.request(page.url, { method: 'POST', headers, body: '{}' })).json());
    const given = await browser.request(location, { method: 'POST', headers, body: JSON.stringify({ api_key: secret }) });
    expect([given.status, await given.text()]).toEqual([200, expect.stringContaining('is connected')]);
    expect(await until(id, 'completed')).toMatchObject({ result: { data: { said: 'the key' } } });
    const [account] = (await accounts()).filter(({ provider }) => provider === 'maps');
    const { database, settings } = at.gateway.app.get(Stores);
    using contents = new RedisContents(givenStores().redisUrl, settings.INVOQ_NAMESPACE);
    const places = [
      JSON.stringify(await database.connection.findMany({ where: { tenantId: at.gateway.tenant.id } })),
      await contents.everything(),
      ...(await Promise.all([`/jobs/${id}`, `/jobs/${id}/events`, '/connections'].map(async (path) => body(path, at.gateway.user)))),
      ...(await Promise.all(['/connections?scope=tenant', '/audit?limit=100'].map(async (path) => body(path, at.gateway.admin)))),
    ];
    for (const place of places) expect(place.includes(secret)).toBe(false);
    await at.gateway.send(`/connections/${account?.id}`, { method: 'DELETE', authorization: at.gateway.user });
    const again = await begin(at.gateway, name);
    expect((await until(again, 'resting')).rest).toMatchObject({ reason: 'connection' });
    await at.gateway.send(`/jobs/${again}`, { method: 'DELETE', authorization: at.gateway.user });
  });
});
