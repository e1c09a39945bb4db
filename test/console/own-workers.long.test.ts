// A tenant's own workers in the console: who sees them, what waits when the last one has gone, what their tools log.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { defineTool } from '#lib/contracts';
import { handle, serve, type ServedWorker } from '#lib/serve';
import { eventually, givenStores, HttpCaller, startSystem, startTimeoutMs, Tenant, type System } from '#lib/testing';
import { ConsolePages, journeyTimeoutMs, launchBrowser, shownWithin } from './console-browser.js';

jest.setTimeout(journeyTimeoutMs);

const quote = defineTool({
  name: 'make_quote',
  version: '1.0.0',
  title: 'Quote',
  description: 'Makes a quote. A tool of a test, served by a worker of a tenant.',
  domain: 'own-sales',
  effect: 'write',
  input: z.strictObject({ text: z.string().describe('What is asked for.') }),
  output: z.strictObject({ said: z.string() }),
  errors: {},
  timeoutMs: 20_000,
  retry: { network: { times: 1, baseMs: 10 } },
  estimatedTokens: 10,
  examples: [{ input: { text: 'a' }, output: { said: 'a' } }],
});

describe("the console of a system with a tenant's own worker", () => {
  let system: System;
  let browser: Browser;
  let worker: ServedWorker;
  let operator: ConsolePages;
  let page: Page;
  let user: HttpCaller;
  beforeAll(async () => {
    [system, browser] = await Promise.all([startSystem(), launchBrowser()]);
    const key = await system.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
    const isServing = Promise.withResolvers<void>();
    worker = serve({
      tools: [
        handle(quote, ({ text }, { log, attempt }) => {
          log('info', `asked for ${text}`);
          if (text === 'twice' && attempt === 1)
            throw Object.assign(new Error('upstream price.internal refused'), { code: 'ECONNREFUSED' });
          for (let n = 1; text === 'much' && n <= 60; n++) log('debug', `line ${n}`);
          log('warn', 'price is old');
          return { said: text };
        }),
      ],
      url: system.gateway.url,
      key,
      domain: 'sales',
      name: 'shop',
      stopsOnSignal: false,
      onEvent: ({ kind }) => kind === 'serving' && isServing.resolve(),
    });
    await Promise.race([isServing.promise, worker.stopped]);
    user = await system.caller();
    operator = await ConsolePages.open(browser, system.gateway.url);
    page = await operator.signedIn(await system.tenant.key({ userId: null, tier: 'vip', scopes: ['*'] }));
  }, startTimeoutMs * 2);
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await browser?.close();
    await worker?.stop();
    await system?.[Symbol.asyncDispose]();
  });
  const go = (path: string) => page.goto(`${system.gateway.url}/console${path}`);
  const calledWith = async (text: string) => String((await user.call('make_quote', { text })).envelope.metadata['job_id']);

  test('what a tool logged in each attempt is a list that can be searched, and what is left out is told', async () => {
    const [twice, much] = [await calledWith('twice'), await calledWith('much')];
    await go(`/calls/${twice}?tab=log`);
    const rows = page.getByRole('tabpanel').getByRole('row');
    await eventually(async () => (await rows.count()) === 4, shownWithin);
    expect((await rows.allTextContents()).slice(1)).toEqual([
      expect.stringMatching(/\d\d:\d\d:\d\d\.\d{3}infoasked for twice1$/),
      expect.stringMatching(/infoasked for twice2$/),
      expect.stringMatching(/warnprice is old2$/),
    ]);
    await page.getByLabel('Find in the log').fill('OLD');
    await page.getByText('1 of 3 lines').waitFor();
    expect(await rows.count()).toBe(2);
    await operator.expectClean(page);
    await go(`/calls/${much}?tab=log`);
    await page.getByText('of attempt 1: 12 more lines').waitFor();
  });

  test('the domain is on Home and on Health with its worker, for an operator and for its tenant alone', async () => {
    await go('/');
    const row = page.getByRole('region', { name: 'Own domains' }).getByRole('row', { name: /^sales/ });
    await row.getByText('served').waitFor();
    expect(await row.textContent()).toContain(system.tenant.id);
    await operator.expectClean(page);
    await go('/health');
    const panel = page.getByRole('region', { name: /^Own domains: sales/ });
    await panel.getByRole('cell', { name: 'shop' }).waitFor();
    await panel.getByText('make_quote@1.0.0').waitFor();
    await operator.expectClean(page);

    await using own = await ConsolePages.open(browser, system.gateway.url);
    const mine = await own.signedIn(await system.tenant.key({ userId: null, scopes: ['tenant:admin', 'tools:read'] }));
    await mine
      .getByRole('region', { name: 'Own domains' })
      .getByRole('row', { name: /^sales/ })
      .waitFor();
    await mine.getByRole('link', { name: 'Workers' }).click();
    await mine
      .getByRole('region', { name: /^Own domains: sales/ })
      .getByRole('cell', { name: 'shop' })
      .waitFor();
    expect(await mine.getByText('Dependencies').count()).toBe(0);
    await own.expectClean(mine);

    await using stranger = await Tenant.create(givenStores().databaseUrl);
    await using others = await ConsolePages.open(browser, system.gateway.url);
    const other = await others.signedIn(await stranger.key({ userId: null, scopes: ['tenant:admin', 'tools:read'] }), '/health');
    await other.getByText('No own worker has been connected').waitFor();
    expect(await other.content()).not.toContain('sales');
  });

  test('once the last worker has gone, Home says since when, and how many calls wait', async () => {
    await worker.stop();
    await user.with({ prefer: 'respond-async' }).post('/tools/make_quote', { text: 'waits' });
    await go('/');
    await page
      .getByRole('alert')
      .getByText(/sales: no worker since \d\d:\d\d:\d\d\. 1 call wait/)
      .waitFor();
    const row = page.getByRole('region', { name: 'Own domains' }).getByRole('row', { name: /^sales/ });
    await row.getByText(/no worker since \d\d:\d\d:\d\d/).waitFor();
    await operator.expectClean(page);
    await go('/health');
    await page.getByRole('region', { name: /^Own domains: sales.*no worker since/ }).waitFor();
  });
});
