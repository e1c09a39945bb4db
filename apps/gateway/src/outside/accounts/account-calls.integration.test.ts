// Tools act with the accounts of their callers: calls rest until an account is there, and no token is found where it does not belong.
import { describe, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { inputRequestPage } from '#lib/contracts';
import { handle } from '#lib/serve';
import { CookieBrowser, givenStores, RedisContents, Tenant } from '#lib/testing';
import { contractOf } from '../../serving/test-contract.js';
import { begin, startOwnWorker } from '../../serving/test-own-worker.js';
import { Stores } from '../../stores.js';
import { withAccounts } from './test-account-calls.js';

const at = withAccounts();
const { workers, newName, get, accounts, until, served, mails, connectAccount, askedFor, pageOf, followed } = at;

describe('A call whose caller has no account', () => {
  test('rests until it is connected at the address of its input request, and goes on then', async () => {
    let begins = 0;
    const id = await begin(at.gateway, await served(async (context) => ((begins += 1), mails(context))));
    const request = await askedFor(id);
    expect(request).toMatchObject({ kind: 'connection', state: 'open', message: 'Connect your Mail account', schema: null });
    // Nothing of the handler has run.
    expect(begins).toBe(0);
    // Whoever approves calls could connect an account of their own for somebody else.
    expect(await get(`/input-requests/${request.id}`, at.gateway.admin)).toMatchObject({ id: request.id, url: null });
    const early = await at.gateway.post(`/input-requests/${request.id}`, { action: 'accept' });
    expect([early.status, early.body]).toEqual([409, expect.stringContaining('open the url')]);
    expect(await followed(request.url)).toContain('Mail is connected');
    expect(await until(id, 'completed')).toMatchObject({ result: { data: { said: '{"mail":3}' } } });
    expect(await get(`/input-requests/${request.id}`)).toMatchObject({
      state: 'accepted',
      decided_by: `${at.gateway.tenant.id}/user_001`,
      url: null,
    });
    expect((await new CookieBrowser().visit(pageOf(request.url))).status).toBe(410);
    expect((await new CookieBrowser().visit(`${pageOf(request.url).slice(0, -2)}xx`)).status).toBe(404);
  });

  test('goes on also when it is connected elsewhere, with all others that wait', async () => {
    const name = await served(mails);
    const ids = [await begin(at.gateway, name), await begin(at.gateway, name), await begin(at.gateway, name)];
    for (const id of ids) await until(id, 'resting');
    await connectAccount();
    for (const id of ids) expect(await until(id, 'completed')).toMatchObject({ result: { data: { said: '{"mail":3}' } } });
  });

  test('ends when its user says no, in words', async () => {
    const id = await begin(at.gateway, await served(mails));
    const request = await askedFor(id);
    expect((await at.gateway.post(`/input-requests/${request.id}`, { action: 'decline' })).status).toBe(200);
    const { result } = await until(id, 'completed', 'failed');
    expect(result).toMatchObject({
      error: { code: 'PERMISSION_DENIED', native_code: 'DECLINED', message: expect.stringContaining('has said no') },
    });
  });

  test('is asked for more where the account has less than the tool needs', async () => {
    await connectAccount();
    const id = await begin(at.gateway, await served(mails, ['mail.send']));
    const request = await askedFor(id);
    expect(request.message).toContain('mail.send');
    await followed(request.url);
    await until(id, 'completed');
    expect((await accounts())[0]?.scopes).toEqual(expect.arrayContaining(['mail.read', 'mail.send']));
  });

  test('is refused where nobody has set the provider up, and by a tool that names none', async () => {
    const name = newName('mail_tool');
    const contract = contractOf(name, { connection: { provider: 'nowhere' } });
    workers.push(
      await startOwnWorker(at.gateway, { key: at.key, tool: handle(contract, async (_input, { token }) => ({ said: await token() })) }),
    );
    const { result } = await until(await begin(at.gateway, name), 'completed', 'failed');
    expect(result).toMatchObject({ error: { native_code: 'NO_PROVIDER', message: expect.stringContaining('PUT /providers/nowhere') } });
  });
});

describe('An account', () => {
  test('whose token the API refuses is renewed once, and the call goes on', async () => {
    await connectAccount();
    const first = at.oauth.given.length;
    const id = await begin(
      at.gateway,
      await served(async (context) => {
        if (at.oauth.given.length === first) await at.oauth.endAccessTokens();
        return mails(context);
      }),
    );
    expect(await until(id, 'completed')).toMatchObject({ result: { data: { said: '{"mail":3}' } } });
    expect(at.oauth.given.length).toBeGreaterThan(first);
  });

  test('that was revoked at its provider has the call rest, which says so in words, and is healed by its user', async () => {
    await connectAccount();
    const name = await served(mails);
    expect(await until(await begin(at.gateway, name), 'completed')).toMatchObject({ result: { data: { said: '{"mail":3}' } } });
    await at.oauth.endAll();
    const id = await begin(at.gateway, name);
    const request = await askedFor(id);
    expect(request.message).toContain('Connect your Mail account again');
    expect(await accounts()).toMatchObject([{ state: 'reconnect' }]);
    await followed(request.url);
    await until(id, 'completed');
    expect(await accounts()).toMatchObject([{ state: 'connected' }]);
  });

  test('of one user is never used for another, nor for another tenant', async () => {
    await connectAccount();
    const name = await served(mails);
    const other = `Bearer ${await at.gateway.tenant.key({ userId: 'user_other' })}`;
    const answer = await at.gateway.send(`/tools/${name}`, { method: 'POST', authorization: other, body: JSON.stringify({ text: 'x' }) });
    expect([answer.status, answer.body]).toEqual([202, expect.stringContaining('"reason":"connection"')]);
    await using tenant = await Tenant.create(givenStores().databaseUrl);
    const foreign = `Bearer ${await tenant.key({})}`;
    expect((await at.gateway.send('/connections', { authorization: foreign })).body).toContain('"connections":[]');
  });

  test('leaves its tokens nowhere: not in Redis, Postgres, jobs, events, traces, the audit or lists', async () => {
    await connectAccount();
    const id = await begin(at.gateway, await served(mails));
    await until(id, 'completed');
    await at.oauth.endAccessTokens();
    await until(await begin(at.gateway, await served(mails)), 'completed');
    const { database, settings } = at.gateway.app.get(Stores);
    const { tenant } = at.gateway;
    const places: string[] = [];
    for (const model of ['connection', 'connectionAttempt', 'provider', 'inputRequest'] as const)
      places.push(
        JSON.stringify(await (database[model].findMany as (options: object) => Promise<unknown>)({ where: { tenantId: tenant.id } })),
      );
    places.push(JSON.stringify(await database.$queryRaw`SELECT * FROM audit_event WHERE tenant_id = ${tenant.id}`));
    using contents = new RedisContents(givenStores().redisUrl, settings.INVOQ_NAMESPACE);
    places.push(await contents.everything());
    for (const path of [`/jobs/${id}`, `/jobs/${id}/events`, '/connections', '/input-requests', '/jobs'])
      places.push((await at.gateway.send(path, { authorization: at.gateway.user })).body);
    for (const path of ['/audit?limit=100', '/connections?scope=tenant', '/providers'])
      places.push((await at.gateway.send(path, { authorization: at.gateway.admin })).body);
    expect(at.oauth.given.length).toBeGreaterThan(2);
    for (const secret of [...at.oauth.given, at.oauth.clientSecret]) for (const place of places) expect(place.includes(secret)).toBe(false);
  });
});

describe('A client of MCP', () => {
  async function client(mode: 'auto' | 'legacy', capabilities: object, onUrl: (url: string) => void) {
    const made = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode }, capabilities });
    made.setRequestHandler('elicitation/create', ({ params }) => {
      if ('url' in params) onUrl(params.url);
      return { action: 'accept' };
    });
    const url = new URL(`http://127.0.0.1:${at.gateway.port}/mcp?result=data`);
    await made.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: at.gateway.user } } }));
    return made;
  }

  test.each(['auto', 'legacy'] as const)('is sent to the address while the call is open, in mode %s', async (mode) => {
    const name = await served(mails);
    const opened: string[] = [];
    const made = await client(mode, { elicitation: { url: {} } }, (url) => {
      opened.push(url);
      void followed(url);
    });
    expect(await made.callTool({ name, arguments: { text: 'x' } })).toMatchObject({ structuredContent: { said: '{"mail":3}' } });
    expect(opened.length).toBe(1);
    await made.close();
  });

  test('that opens no addresses is told it in words', async () => {
    const name = await served(mails);
    const made = await client('auto', { elicitation: { form: {} } }, () => undefined);
    const { isError, content } = await made.callTool({ name, arguments: { text: 'x' } });
    expect([isError, JSON.stringify(content)]).toEqual([
      true,
      expect.stringMatching(/connected their account: http.*connections\/requests/),
    ]);
    await made.close();
    const { input_requests: open } = inputRequestPage.parse(await get('/input-requests?kind=connection&state=open'));
    expect(open.length).toBeGreaterThan(0);
  });
});
