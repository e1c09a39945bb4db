// Signing in and out, keys, and what an ordinary key may not see.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { eventually, startSystem, startTimeoutMs, type System } from '#lib/testing';
import { ConsolePages, journeyTimeoutMs, launchBrowser, shownWithin } from './console-browser.js';

jest.setTimeout(journeyTimeoutMs);

describe('the console of a system', () => {
  let system: System;
  let browser: Browser;
  beforeAll(async () => {
    [system, browser] = await Promise.all([startSystem(), launchBrowser()]);
  }, startTimeoutMs * 2);
  afterAll(async () => {
    await browser?.close();
    await system?.[Symbol.asyncDispose]();
  });
  const pagesFor = () => ConsolePages.open(browser, system.gateway.url);
  const adminKey = () => system.tenant.key({ userId: null, tier: 'vip', scopes: ['*'] });

  test('whoever begins is led from a first call to its trace, until there was a call', async () => {
    await using pages = await pagesFor();
    const scopes = ['tenant:admin', 'tools:read', 'tools:write'] as const;
    const page = await pages.signedIn(await system.tenant.key({ userId: null, scopes: [...scopes] }));
    const steps = page.getByRole('region', { name: 'The first ten minutes' });
    await steps.waitFor();
    for (const [client, words] of [
      ['Claude Desktop', 'mcp-remote'],
      ['Cursor', '"mcpServers"'],
      ['VS Code', '"servers"'],
      ['Codex', 'bearer_token_env_var'],
      ['Claude Code', 'claude mcp add'],
    ] as const) {
      await steps.getByText(client, { exact: true }).click();
      const setup = (await steps.getByRole('region', { name: client }).textContent()) ?? '';
      expect([client, setup.includes(words), setup.includes(`${system.gateway.url}/mcp`)]).toEqual([client, true, true]);
    }
    await pages.expectClean(page);
    await steps.getByRole('button', { name: 'Call it now' }).click();
    await steps.getByText('"bmi"').waitFor();
    await pages.expectClean(page);
    await steps.getByRole('link', { name: 'Open the trace' }).click();
    await page.getByRole('heading', { level: 1, name: /trace/i }).waitFor();
    await page.goBack();
    await steps.waitFor();
    await eventually(async () => {
      await page.reload();
      await page.getByRole('heading', { level: 2, name: 'Your day' }).waitFor();
      await page.getByRole('table').getByText('calc_metrics').waitFor();
      return (await steps.count()) === 0;
    }, shownWithin);
    await pages.expectClean(page);
  });

  test('a ticket signs in once; a wrong key is refused; signing out ends the session; so does revoking the key', async () => {
    await using pages = await pagesFor();
    const key = await adminKey();
    const page = await pages.page();
    await page.locator('input[name=key]').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('No such key').waitFor();
    await pages.expectClean(page);
    await page.locator('input[name=key]').fill(key);
    await page.keyboard.press('Enter');
    await page.locator('.shell').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.locator('input[name=key]').waitFor();

    const issued = await fetch(`${system.gateway.url}/console/tickets`, { method: 'POST', headers: { authorization: `Bearer ${key}` } });
    const { ticket }: { readonly ticket: string } = JSON.parse(await issued.text());
    await page.goto(`${system.gateway.url}/console#ticket=${ticket}`);
    await page.locator('.shell').waitFor();
    expect(page.url()).not.toContain(ticket);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto('about:blank');
    await page.goto(`${system.gateway.url}/console#ticket=${ticket}`);
    await page.getByText('works once').waitFor();

    await page.locator('input[name=key]').fill(key);
    await page.keyboard.press('Enter');
    await page.locator('.shell').waitFor();
    const id = /^invoq_([^_]+)_/.exec(key)?.[1] ?? '';
    await (await system.admin()).delete(`/keys/${id}`);
    await eventually(async () => {
      await page.reload();
      await page.locator('.shell, input[name=key]').first().waitFor();
      return page.locator('input[name=key]').isVisible();
    }, shownWithin);
    expect(pages.faults).toEqual([]);
  });

  test('a key that was minted here is shown once, works, and is refused when it is revoked', async () => {
    await using pages = await pagesFor();
    const page = await pages.signedIn(await adminKey(), '/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('User', { exact: true }).fill('user_001');
    await pages.expectClean(page);
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = (await page.locator('[data-secret=once]').textContent()) ?? '';
    const snippet = (await page.getByRole('region', { name: 'A first call with it' }).textContent()) ?? '';
    expect(snippet).toContain(secret);
    const call = () =>
      fetch(`${system.gateway.url}/tools/calc_metrics`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: /-d '(.+)'/.exec(snippet)?.[1] ?? '',
      });
    expect((await call()).status).toBe(200);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    expect(await page.content()).not.toContain(secret);
    const prefix = secret.slice(0, secret.lastIndexOf('_'));
    await page.getByRole('button', { name: `Revoke ${prefix}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('revoked', { exact: true }).first().waitFor();
    // Keys are looked up again after a second.
    await eventually(async () => (await call()).status === 401);
    await pages.expectClean(page);
  });

  test('an ordinary key sees no screen of administrators', async () => {
    await using pages = await pagesFor();
    const page = await pages.signedIn(await system.tenant.key({}), '/health');
    await page.getByRole('heading', { name: 'Your key does not open this screen' }).first().waitFor();
    const screens = await page.getByRole('navigation', { name: 'Screens' }).getByRole('link').allTextContents();
    expect(screens).toEqual([
      'Home',
      'Calls',
      'Input requests',
      'Tools',
      'Chat',
      'Batches',
      'Knowledge',
      'Memory',
      'Accounts',
      'Usage and cost',
    ]);
    await pages.expectClean(page);
  });
});
