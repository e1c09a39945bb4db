// Tools of own workers that act with the accounts of a user, a provider of OAuth, and what users and their browsers do.
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { z } from 'zod';
import { connectionAddress, connectionList, inputRequest } from '#lib/contracts';
import { handle, type ServedWorker, type ToolContext } from '#lib/serve';
import { CookieBrowser, eventually, OAuthServer, startTimeoutMs } from '#lib/testing';
import { contractOf } from '../../serving/test-contract.js';
import { startOwnWorker } from '../../serving/test-own-worker.js';
import { TestHttpGateway } from '../../test-http-gateway.js';

/** Opens them for the test file that calls it, and closes them at its end. */
export function withAccounts() {
  let gateway: TestHttpGateway;
  let oauth: OAuthServer;
  let key: string;
  const workers: ServedWorker[] = [];
  beforeAll(async () => {
    gateway = await TestHttpGateway.start({ NODE_ENV: 'test' });
    key = await gateway.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
    oauth = await OAuthServer.start({ redirectUris: [`http://127.0.0.1:${gateway.port}/connections/callback`] });
    const body = JSON.stringify({
      issuer: oauth.url,
      client_id: 'invoq',
      client_secret: oauth.clientSecret,
      scopes: ['mail.read'],
      more_scopes: ['mail.*'],
      title: 'Mail',
    });
    const made = await gateway.send('/providers/mail', { method: 'PUT', authorization: gateway.admin, body });
    expect([made.status, made.body]).toEqual([201, expect.any(String)]);
    // The first one starts the process that checks contracts.
    await served(async () => '');
  }, startTimeoutMs);
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop().catch(() => undefined)));
    for (const { id } of await accounts()) await gateway.send(`/connections/${id}`, { method: 'DELETE', authorization: gateway.user });
  });
  afterAll(async () => {
    await oauth?.[Symbol.asyncDispose]();
    await gateway?.[Symbol.asyncDispose]();
  });

  /** A busy machine needs its time. */
  const patient = { withinMs: 25_000 };
  let used = 0;
  const newName = (kind: string): string => `${kind}_${++used}`;
  const job = z.looseObject({
    state: z.string(),
    result: z.unknown(),
    rest: z.looseObject({ reason: z.string(), input_request: z.string().optional() }).nullish(),
  });
  const get = async (path: string, authorization = gateway.user) => JSON.parse((await gateway.send(path, { authorization })).body);
  const accounts = async () => connectionList.parse(await get('/connections')).connections;
  const until = async (id: string, ...states: string[]) =>
    eventually(async () => {
      const found = job.parse(await get(`/jobs/${id}`));
      return states.includes(found.state) && found;
    }, patient);

  /** Serves a tool that acts with the caller's account. */
  async function served(run: (context: ToolContext) => Promise<string>, scopes: readonly string[] = ['mail.read']): Promise<string> {
    const name = newName('mail_tool');
    const contract = contractOf(name, { connection: { provider: 'mail', scopes } });
    workers.push(await startOwnWorker(gateway, { key, tool: handle(contract, async (_input, context) => ({ said: await run(context) })) }));
    return name;
  }

  /** What an API client does: one more try with another token after a 401. */
  async function mails({ token }: Pick<ToolContext, 'token'>): Promise<string> {
    const ask = async (bearer: string) => fetch(`${oauth.url}/api/me`, { headers: { authorization: `Bearer ${bearer}` } });
    const first = await token();
    const answer = await ask(first);
    return (answer.status === 401 ? await ask(await token({ refused: first })) : answer).text();
  }

  async function connectAccount(): Promise<void> {
    const { body } = await gateway.post('/connections', { provider: 'mail' });
    const { url } = connectionAddress.parse(JSON.parse(body));
    expect((await new CookieBrowser().visit(url)).text).toContain('is connected');
  }

  /** The input request for which a call rests. */
  async function askedFor(id: string) {
    const { rest } = await until(id, 'resting');
    expect(rest).toMatchObject({ reason: 'connection' });
    return inputRequest.parse(await get(`/input-requests/${rest?.input_request}`));
  }

  /** Its page in a browser: the gateway of a test does not know its port before it listens. */
  const pageOf = (url: string | null | undefined) => `http://127.0.0.1:${gateway.port}${new URL(url ?? '').pathname}`;

  async function followed(url: string | null | undefined): Promise<string> {
    const browser = new CookieBrowser();
    const page = await browser.visit(pageOf(url));
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(`${gateway.tenant.id}/user_001`)]);
    const begun = await browser.request(page.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    const { location } = z.object({ location: z.string() }).parse(await begun.json());
    return (await browser.visit(location)).text;
  }

  return {
    get gateway() {
      return gateway;
    },
    get oauth() {
      return oauth;
    },
    /** Of the workers. */
    get key() {
      return key;
    },
    workers,
    patient,
    job,
    newName,
    get,
    accounts,
    until,
    served,
    mails,
    connectAccount,
    askedFor,
    pageOf,
    followed,
  };
}
