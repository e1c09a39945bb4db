// Figures that the console has from the answers of tools: of the knowledge, of the memory, and what a model's tokens cost.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { callSums, collectionList } from '#lib/contracts';
import { eventually, HttpCaller, startTimeoutMs } from '#lib/testing';
import type { Browser, Page } from 'playwright-core';
import { ConsolePages, journeyTimeoutMs, launchBrowser } from '../console/console-browser.js';
import { chat, scripted, startChatSystem, type ChatSystem } from '../e2e/chat-system.js';
import { importAll, page as documentPage } from '../e2e/knowledge-system.js';
import { count, joined, meter, money, read, time } from './as-shown.js';
import { Seen } from './seen.js';
import { expectShown, type Wanted } from './shown.js';

jest.setTimeout(journeyTimeoutMs);

const session = 'figures';
const price = { input_micros_per_million: 2_000_000, output_micros_per_million: 10_000_000 };
const usage = { input: 1_200, output: 340 };
const costMicros = (usage.input * price.input_micros_per_million + usage.output * price.output_micros_per_million) / 1_000_000;

const answered = z.looseObject({ data: z.unknown() });
const found = z.looseObject({
  total_count: z.number(),
  search_time_ms: z.number(),
  results: z.array(
    z.looseObject({
      title: z.string(),
      page: z.string(),
      source: z.string(),
      content: z.string(),
      confidence_score: z.number(),
      last_updated: z.string(),
    }),
  ),
});
const view = z.looseObject({ tokens: z.number(), expandedNodes: z.number(), shownNodes: z.number() });
const commits = z.looseObject({
  commits: z.array(z.looseObject({ commitId: z.string(), message: z.string(), committedAt: z.string(), changes: z.number() })),
});

describe('the console of a system with knowledge, a memory, and a model that has a price', () => {
  let chats: ChatSystem;
  let browser: Browser;
  let opened: ConsolePages;
  let page: Page;
  let seen: Seen;
  let admin: HttpCaller;
  let adminInSession: HttpCaller;
  beforeAll(async () => {
    const worker = (name: string) => ({ main: `dist/apps/${name}-worker/src/main.js` });
    [chats, browser] = await Promise.all([
      startChatSystem({ agentEnv: { MODEL_PRICES: JSON.stringify({ scripted: price }) }, more: [worker('knowledge'), worker('memotree')] }),
      launchBrowser(),
    ]);
    const { system, model } = chats;
    const key = await system.tenant.key({ userId: null, tier: 'vip', scopes: ['*'] });
    admin = await system.admin();
    adminInSession = new HttpCaller(system.gateway.url, key).with({ 'x-session-id': session });
    await importAll(admin, 'shelf', [
      {
        path: 'bread.md',
        content: documentPage(
          { title: 'Sourdough bread', source: 'The baker' },
          '# Sourdough bread\n\nSourdough bread needs flour, water, salt and time.\n\n## The oven\n\nBake the bread in a hot oven until its crust is dark.',
        ),
      },
      {
        path: 'tea.md',
        content: documentPage({ title: 'Green tea', source: 'The gardener' }, '# Green tea\n\nGreen tea wants water that does not boil.'),
      },
    ]);
    const call = async (tool: string, input: object) => ask(tool, input, z.looseObject({}));
    for (const title of ['Bread', 'Tea', 'Coffee'])
      await call('create_node', { parentId: 'root', title, content: `${title} is on the list.` });
    await call('commit_changes', { message: 'The list' });
    await call('create_node', { parentId: 'root', title: 'Milk', content: 'Milk is wanted too.' });
    const user = await system.caller({ scopes: ['tools:read', 'tools:write', 'chat'] });
    await chat(user, { message: scripted(model, { text: 'Yes.', usage }) });
    opened = await ConsolePages.open(browser, system.gateway.url);
    page = await opened.signedIn(key);
    seen = new Seen(page);
  }, startTimeoutMs * 3);
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await browser?.close();
    await chats?.[Symbol.asyncDispose]();
  });
  const shows = async (path: string, wanted: () => Promise<Wanted>, without?: string) => {
    await page.goto(`${chats.system.gateway.url}/console${path}`);
    await page.locator('.screen').waitFor();
    const figures = await expectShown(page, { wanted, ...(without !== undefined && { without }) });
    expect(opened.faults).toEqual([]);
    return figures;
  };
  const ask = async <Data extends z.ZodType>(tool: string, input: object, data: Data): Promise<z.output<Data>> =>
    data.parse(answered.parse((await adminInSession.call(tool, input)).envelope).data);

  test('Knowledge has its collections, and each finding with its confidence', async () => {
    const query = 'how is bread baked';
    const wanted = async (): Promise<Wanted> => {
      const { results, total_count: all } = await ask('search_knowledge', { query, collection: 'shelf', max_results: 10 }, found);
      const { search_time_ms: ms } = found.parse((await seen.last('/tools/search_knowledge', answered)).data);
      const { collections } = await read(admin, '/knowledge/collections', collectionList);
      return {
        tables: {
          Collections: collections.map((one) => ({
            Collection: joined(one.name, one.is_shared ? 'shared' : 'your tenant’s', 'Last import', one.last_import_at),
            Documents: count(one.documents),
            Sections: count(one.sections),
          })),
        },
        rest: joined(
          `${results.length} of ${all} matches, ${ms} ms`,
          ...results.map(
            ({ title, confidence_score: sure, last_updated: at }, index) =>
              `${index + 1} . ${title} ${meter(sure, 1)} ${sure.toFixed(2)} Updated ${at}`,
          ),
        ),
      };
    };
    expect(await shows(`/knowledge?collection=shelf&q=${encodeURIComponent(query)}`, wanted)).toBeGreaterThan(8);
  });

  const budget = async (): Promise<string> => {
    const { tokens, expandedNodes: unfolded, shownNodes: shown } = await ask('render_view', { maxTokens: 8_000 }, view);
    const { total } = await ask('list_changes', {}, z.looseObject({ total: z.number() }));
    return `${count(tokens)} of 8,000 tokens ${count(unfolded)} unfolded, ${count(shown)} shown ${meter(tokens, 8_000)} Changes (${total})`;
  };

  test('Memory has the tokens of its view, and what is staged', async () => {
    expect(await shows(`/memory?session=${session}&tab=changes`, async () => ({ rest: await budget() }))).toBeGreaterThan(4);
  });

  test('Memory has its commits', async () => {
    const wanted = async (): Promise<Wanted> => {
      const { commits: all } = await ask('list_commits', { maxResults: 50 }, commits);
      const told = all.map(
        ({ commitId: id, message, committedAt: at, changes }) => `${message} ${id.slice(0, 8)} · ${at} · ${changes} changes`,
      );
      return { rest: joined(await budget(), ...told) };
    };
    expect(await shows(`/memory?session=${session}&tab=history`, wanted)).toBeGreaterThan(5);
  });

  test('Usage has what the tokens of the model cost, by its price', async () => {
    const day = new Date().toISOString().slice(0, 10);
    const sums = async () => (await read(admin, `/usage/calls?scope=tenant&by=model&from=${day}&to=${day}&limit=1000`, callSums)).sums;
    const row = await eventually(async () => (await sums()).find(({ model }) => model === 'scripted'), { withinMs: 60_000 });
    expect(row).toMatchObject({ calls: 1, input_tokens: usage.input, output_tokens: usage.output, cost_micros: costMicros });
    await page.goto(`${chats.system.gateway.url}/console/usage?scope=tenant&by=model`);
    const shown = page.getByRole('row', { name: /^scripted / });
    await shown.waitFor();
    const cells = await shown.getByRole('cell').allInnerTexts();
    expect(cells.map((text) => text.trim()).filter(Boolean)).toEqual([
      'scripted',
      '1',
      '0',
      count(usage.input + usage.output),
      time(row.execution_ms),
      money(costMicros),
    ]);
  });
});
