// useChat in a page of a real browser: words appear while the model speaks, a reload goes on, stop stops.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { chromium, type Browser, type Page } from 'playwright-core';
import { eventually, startTimeoutMs } from '#lib/testing';
import { findChromium } from '../../../scripts/provision/chromium.js';
import { scripted, startChatSystem, type ChatSystem } from '../chat-system.js';

const packages = ['react', 'react-dom', 'ai', '@ai-sdk/react'];

async function servePage(): Promise<{ readonly server: Server; readonly origin: string }> {
  const { outputFiles } = await build({
    entryPoints: ['test/e2e/browser/chat-page.mjs'],
    bundle: true,
    // One React for the page and for the AI SDK: Bull Board has brought another one to the root.
    alias: Object.fromEntries(packages.map((name) => [name, resolve('apps/console/node_modules', name)])),
    write: false,
    format: 'esm',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  });
  const script = outputFiles[0]?.text ?? '';
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript; charset=utf-8' : 'text/html; charset=utf-8');
    response.end(
      isScript ? script : '<!doctype html><meta charset="utf-8"><div id="root"></div><script type="module" src="/page.js"></script>',
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the page is not served');
  return { server, origin: `http://127.0.0.1:${address.port}` };
}

describe('useChat in a browser', () => {
  let lab: ChatSystem;
  let browser: Browser;
  let page: Page;
  let pages: Awaited<ReturnType<typeof servePage>>;
  let chats = 0;

  beforeAll(async () => {
    const executablePath = findChromium();
    pages = await servePage();
    lab = await startChatSystem({ gatewayEnv: { CORS_ORIGINS: pages.origin } });
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
    page = await browser.newPage();
  }, startTimeoutMs * 4);
  afterAll(async () => {
    await browser?.close();
    pages?.server.close();
    await lab?.[Symbol.asyncDispose]();
  });

  const open = async () => {
    const key = await lab.system.tenant.key({ tier: 'vip' });
    const place = new URLSearchParams({ api: `${lab.system.gateway.url}/chat/v5/stream`, key, chatId: `browser-${++chats}` });
    await page.goto('about:blank');
    await page.goto(`${pages.origin}/#${place.toString()}`);
    await page.waitForSelector('#text');
  };
  const say = async (text: string) => {
    await page.fill('#text', text);
    await page.press('#text', 'Enter');
  };
  const answer = async () => (await page.locator('.assistant').allTextContents()).join('|');

  test('shows words while the model is still speaking, and the cards of tools', async () => {
    await open();
    const message = scripted(
      lab.model,
      { calls: [{ name: 'show_insight', arguments: { title: 'Rest', content: 'Sleep.' } }] },
      { text: ['first ', 'second ', 'third'], pieceMs: 700 },
    );
    await say(message);
    await eventually(async () => (await answer()) === '[tool-show_insight output-available]first ');
    expect(lab.model.open).toBe(1);
    await eventually(async () => (await answer()) === '[tool-show_insight output-available]first second third');
    await eventually(async () => (await page.textContent('#status')) === 'ready');
    expect(await page.textContent('#error')).toBe('');
  });

  test('goes on after a reload, from the first word, without doubling any', async () => {
    await open();
    const message = scripted(lab.model, { text: ['one ', 'two ', 'three ', 'four'], pieceMs: 900 });
    await say(message);
    await eventually(async () => (await answer()).startsWith('one '));
    await page.reload();
    await eventually(async () => (await answer()) === 'one two three four', { withinMs: 15_000 });
    expect(lab.model.asked(message)).toHaveLength(1);
  });

  test('stops the turn in the worker, and can go on', async () => {
    await open();
    await say(scripted(lab.model, { text: ['said ', ...Array.from({ length: 200 }, () => 'more ')], pieceMs: 100 }));
    await eventually(async () => (await answer()).startsWith('said '));
    await page.click('#stop');
    await eventually(() => lab.model.open === 0, { what: 'the model left alone' });
    await eventually(async () => (await page.textContent('#status')) === 'ready');
    await say(scripted(lab.model, { text: 'Going on.' }));
    await eventually(async () => (await answer()).endsWith('|Going on.'));
  });
});
