// A user's account, in a real browser: connected at a real OAuth server, used by an agent that finds the tool by words, and taken back.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { connectionAddress } from '#lib/contracts';
import { CookieBrowser, HttpCaller, OAuthServer, startTimeoutMs, Tenant } from '#lib/testing';
import { OutsideServer } from '../e2e/outside-server.js';
import { outsideTool, startOutsideSystem, type OutsideSystem } from '../e2e/outside-system.js';
import { ConsolePages, journeyTimeoutMs, launchBrowser } from './console-browser.js';

jest.setTimeout(journeyTimeoutMs);

describe('the console of a system whose tools act with accounts of users', () => {
  let outside: OutsideSystem;
  let browser: Browser;
  let oauth: OAuthServer;
  let server: OutsideServer;
  let tenant: Tenant;
  /** With which the server was asked. */
  const bearers = new Set<string>();

  beforeAll(async () => {
    [outside, browser] = await Promise.all([startOutsideSystem(), launchBrowser()]);
    const { url } = outside.system.gateway;
    [oauth, server, tenant] = await Promise.all([
      OAuthServer.start({ redirectUris: [`${url}/connections/callback`] }),
      OutsideServer.start(),
      Tenant.create(outside.databaseUrl),
    ]);
    server.tools = [
      outsideTool('read_inbox', { description: 'Read the newest letters in the mailbox.', annotations: { readOnlyHint: true } }),
    ];
    server.before = async ({ headers }, response) => {
      const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
      if (await oauth.isLive(token)) return bearers.add(token) && false;
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      return true;
    };
    const admin = new HttpCaller(url, await tenant.key({ userId: 'boss', scopes: ['tenant:admin', 'tools:read', 'tools:write'] }));
    const provider = { issuer: oauth.url, client_id: 'invoq', client_secret: oauth.clientSecret, scopes: ['mail.read'], title: 'Mail' };
    expect((await admin.request('/providers/mail', { method: 'PUT', json: provider })).status).toBe(201);
    const { url: begin } = (await admin.post('/connections', { provider: 'mail' })).as(connectionAddress);
    expect((await new CookieBrowser().visit(begin)).text).toContain('is connected');
    const made = await admin.post('/mcp/servers', { name: 'post', url: `${server.url}/mcp`, connection: { provider: 'mail' } });
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  }, startTimeoutMs * 2);
  afterAll(async () => {
    await browser?.close();
    await Promise.all([outside, oauth, server, tenant].map(async (one) => one?.[Symbol.asyncDispose]()));
  });

  test('a user connects one, an agent finds and calls a tool with it, it is taken back, and the agent is told so in words', async () => {
    const { url } = outside.system.gateway;
    const key = await tenant.key({ userId: 'ann', scopes: ['tools:read', 'tools:write'] });
    await using agent = await startAgent(url, key);

    await using pages = await ConsolePages.open(browser, url);
    pages.others.push(oauth.url);
    const page = await pages.signedIn(key, '/connections');
    await page.getByText('No account is connected').waitFor();
    await pages.expectClean(page);
    await page.getByRole('button', { name: 'Connect an account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Provider/).fill('mail');
    await dialog.getByRole('button', { name: 'Go on to mail' }).click();
    await page.getByText('The account is connected.').waitFor();
    await page.getByRole('row', { name: /mail.*connected/ }).waitFor();
    await pages.expectClean(page);

    bearers.clear();
    expect(await agent.say('search_tools', { query: 'newest letters' })).toContain('post__read_inbox');
    expect(await agent.say('call_tool', { name: 'post__read_inbox', arguments: { word: 'a' } })).toContain('read_inbox');
    const [token = ''] = bearers;
    expect(bearers.size).toBe(1);

    await page.getByRole('button', { name: 'Delete account at mail' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete account at mail' }).click();
    await page.getByText('No account is connected').waitFor();
    await pages.expectClean(page);
    // The provider has taken its tokens back: whoever had kept one would be refused.
    expect(await oauth.isLive(token)).toBe(false);

    const told = await agent.say('call_tool', { name: 'post__read_inbox', arguments: { word: 'a' } });
    expect(told).toMatch(/It goes on once its user has opened this address and connected their account: http\S+\/connections\/requests\//);
    // The call waits, and its user finds it in the console too.
    await page.goto(`${url}/console/requests`);
    await page.getByText('Connect your Mail account').first().waitFor();
    await pages.expectClean(page);
    for (const given of oauth.given) expect(told + (await page.content())).not.toContain(given);
  });
});

/** A client of a model, which has the two tools that find and call all others. */
async function startAgent(gateway: string, key: string) {
  const client = new Client({ name: 'agent', version: '1.0.0' });
  const to = new URL('/mcp?tools=search', gateway);
  await client.connect(new StreamableHTTPClientTransport(to, { requestInit: { headers: { authorization: `Bearer ${key}` } } }));
  return {
    say: async (name: string, input: Record<string, unknown>) => JSON.stringify(await client.callTool({ name, arguments: input })),
    [Symbol.asyncDispose]: async () => client.close(),
  };
}
