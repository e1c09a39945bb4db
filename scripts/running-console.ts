// A Chromium before the console of a running `npm start`, for the commands that picture and measure it.
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { CommandError } from '#lib/command-line';
import { DataDir } from './provision/data-dir.js';
import { findChromium } from './provision/chromium.js';

export interface RunningProduct {
  readonly url: string;
  readonly adminKey: string;
  /** Of a user in the tenant of the administrator. */
  readonly userKey: string;
}

/** Throws CommandError where nothing was started. */
export function runningProduct(): RunningProduct {
  const { INVOQ_URL: url, INVOQ_ADMIN_KEY: adminKey, INVOQ_API_KEY: userKey } = new DataDir().readEnv('dev.env');
  if (!url || !adminKey || !userKey) throw new CommandError('nothing runs here: begin npm start in another terminal, then try again');
  return { url, adminKey, userKey };
}

export async function launchBrowser(): Promise<AsyncDisposable & { readonly browser: Browser }> {
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] });
  return { browser, [Symbol.asyncDispose]: () => browser.close() };
}

export async function signIn(context: BrowserContext, { url, adminKey }: RunningProduct): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${url}/console`);
  await page.locator('input[name=key]').fill(adminKey);
  await page.keyboard.press('Enter');
  await page.locator('.shell').waitFor();
  return page;
}

/** Calls a tool as an administrator. @returns the status */
export async function callTool({ url, adminKey }: RunningProduct, tool: string, input: object): Promise<number> {
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}/tools/${tool}`, { method: 'POST', headers, body: JSON.stringify(input) });
  await response.body?.cancel();
  return response.status;
}
