// Signing in at an issuer of OpenID Connect, of another site than the console.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { SignInIssuer, startSystem, startTimeoutMs, type System } from '#lib/testing';
import { ConsolePages, journeyTimeoutMs, launchBrowser } from './console-browser.js';

jest.setTimeout(journeyTimeoutMs);

describe('the console of a gateway with an issuer', () => {
  let issuer: SignInIssuer;
  let system: System;
  let browser: Browser;
  beforeAll(async () => {
    issuer = await SignInIssuer.start({ places: [] });
    [system, browser] = await Promise.all([startSystem({ gatewayEnv: issuer.settings }), launchBrowser()]);
    await issuer.allow([system.gateway.url]);
  }, startTimeoutMs * 2);
  afterAll(async () => {
    await browser?.close();
    await system?.[Symbol.asyncDispose]();
    await issuer?.[Symbol.asyncDispose]();
  });

  test('somebody signs in there, comes to the screen that was asked for, makes a call, and signs out here and there', async () => {
    const user = `alice-${randomBytes(4).toString('hex')}@example.com`;
    issuer.user = { sub: user, tenant_id: system.tenant.id, permissions: ['tools:read', 'tools:write'] };
    await using pages = await ConsolePages.open(browser, system.gateway.url);
    pages.others.push(issuer.url);
    const page = await pages.page('/tools/calc_metrics');
    const button = page.getByRole('link', { name: `Sign in at ${new URL(issuer.url).host}` });
    await button.waitFor();
    await pages.expectClean(page);
    await button.click();
    await page.getByRole('heading', { level: 1, name: /calc_metrics|BMI|Body/i }).waitFor();
    expect(page.url()).toBe(`${system.gateway.url}/console/tools/calc_metrics`);
    await page.getByText(user).first().waitFor();
    await page.locator('.main .button.primary').first().click();
    await page.getByText('"bmi"').first().waitFor();
    await pages.expectClean(page);
    // The session is the browser's, and scripts cannot read it.
    const cookies = await pages.context.cookies(system.gateway.url);
    expect(cookies.filter(({ name }) => name === 'invoq_console')).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }]);
    expect(await page.evaluate('document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain('eyJ');
    await page.reload();
    await page.getByText(user).first().waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: /Yes, sign me out/ }).click();
    await button.waitFor();
    expect(page.url()).toContain(`${system.gateway.url}/console`);
    expect((await pages.context.cookies(system.gateway.url)).map(({ name }) => name)).not.toContain('invoq_console');
  });

  test('what goes wrong is told in words, in the language of the reader, and a key still signs in', async () => {
    await using pages = await ConsolePages.open(browser, system.gateway.url, { language: 'zh-CN', theme: 'dark' });
    pages.others.push(issuer.url);
    const page = await pages.page();
    await page.setViewportSize({ width: 390, height: 844 });
    const button = page.getByRole('link', { name: /^通过 localhost/ });
    issuer.consents = false;
    await button.click();
    await page.getByText('你或身份提供方拒绝了登录').waitFor();
    expect(page.url()).not.toContain('sign_in_fault');
    await pages.expectClean(page);
    issuer.consents = true;
    issuer.user = { sub: 'bob' };
    await button.click();
    await page.getByText('CONSOLE_OIDC_TENANT_CLAIMS').waitFor();
    await page.getByText('tenant_id、org_id、organization、tid').waitFor();
    await pages.expectClean(page);
    // Words that an address brings are not shown.
    await page.goto('about:blank');
    await page.goto(`${system.gateway.url}/console#sign_in_fault=Call%20the%20police`);
    await page.getByText('身份提供方的回答不属于本控制台').waitFor();
    expect(await page.getByText('police').count()).toBe(0);
    await page.locator('input[name=key]').fill(await system.tenant.key({}));
    await page.keyboard.press('Enter');
    await page.locator('.shell').waitFor();
    await pages.expectClean(page);
  });
});
