// What people read and write: knowledge, the tree of the memory, conversations with the agent. And every component in all its looks.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { callSums } from '#lib/contracts';
import { eventually, HttpCaller, startTimeoutMs } from '#lib/testing';
import { scripted, startChatSystem, type ChatSystem } from '../e2e/chat-system.js';
import { importAll, page as document } from '../e2e/knowledge-system.js';
import { MemotreeSession } from '../e2e/memotree-system.js';
import { ConsolePages, journeyTimeoutMs, launchBrowser, shownWithin } from './console-browser.js';

jest.setTimeout(journeyTimeoutMs);

const workers = ['knowledge-worker', 'memotree-worker'].map((app) => ({ main: `dist/apps/${app}/src/main.js` }));

describe('the console of a system with knowledge, a memory and an agent', () => {
  let lab: ChatSystem;
  let browser: Browser;
  let pages: ConsolePages;
  let page: Page;
  let key: string;
  beforeAll(async () => {
    [lab, browser] = await Promise.all([startChatSystem({ more: workers }), launchBrowser()]);
    await importAll(await lab.system.admin(), 'health', [
      {
        path: 'nap.md',
        content: document({ title: '午睡', source: '睡眠手册' }, '## 午睡多久合适\n\n午睡二十分钟最好，超过一小时会影响夜间睡眠。'),
      },
      { path: 'water.md', content: document({ title: '喝水' }, '## 每天喝多少水\n\n成年人每天喝一升半到两升水。') },
    ]);
    key = await lab.system.tenant.key({ tier: 'vip' });
    pages = await ConsolePages.open(browser, lab.system.gateway.url);
    page = await pages.signedIn(key);
  }, startTimeoutMs * 3);
  afterAll(async () => {
    await pages?.[Symbol.asyncDispose]();
    await browser?.close();
    await lab?.[Symbol.asyncDispose]();
  });
  const go = (path: string) => page.goto(`${lab.system.gateway.url}/console${path}`);

  test('a question in Chinese finds its section, says why, and leads to the document', async () => {
    await go('/knowledge');
    await page.getByRole('searchbox').fill('午睡多久');
    await page.keyboard.press('Enter');
    const first = page.getByRole('region', { name: /^1\. / });
    await first.locator('mark').filter({ hasText: '午睡' }).first().waitFor();
    await first.getByText('Why it ranks here').click();
    await first.getByText('Words that match').waitFor();
    await pages.expectClean(page);
    await first.getByRole('button', { name: 'Read the document' }).click();
    const text = page.getByRole('dialog').getByRole('region', { name: 'Document' });
    await text.getByText('超过一小时会影响夜间睡眠').waitFor();
    await pages.expectClean(page);
    // The address is the document's, for a colleague too.
    await page.reload();
    await text.getByText('超过一小时会影响夜间睡眠').waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.search.includes('document'));
  });

  test('all collections are searched at once, the surest first', async () => {
    await importAll(await lab.system.admin(), 'house', [
      { path: 'bed.md', content: document({ title: '床' }, '## 午睡的床\n\n午睡用的床要短一些，二十分钟就够。') },
    ]);
    await go('/knowledge');
    await page.getByLabel('Collection', { exact: true }).selectOption({ label: 'All collections' });
    await page.getByRole('searchbox').fill('午睡多久');
    await page.keyboard.press('Enter');
    for (const name of ['health', 'house']) await page.locator('.panel .badge', { hasText: name }).first().waitFor();
    expect(new URL(page.url()).searchParams.get('collection')).toBe('*');
    await pages.expectClean(page);
  });

  test('the memory is unfolded by arrow keys, edited, staged, committed, compared, branched and merged with a conflict', async () => {
    const session = new MemotreeSession(await lab.system.caller({ tier: 'vip' }), 'seed');
    const parent = await session.create({ title: '计划', content: '今年的计划' });
    await session.create({ parentId: parent, title: '跑步', content: '每周三次' });
    await session.do('commit_changes', { message: 'seeded' });
    await go('/memory');
    const tree = page.getByRole('treegrid', { name: 'Nodes' });
    const child = tree.getByRole('row', { name: '跑步' });
    await tree.getByRole('row', { name: '计划' }).focus();
    await page.keyboard.press('ArrowRight');
    await child.waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '跑步' }).waitFor();
    await pages.expectClean(page);

    const edit = async (content: string) => {
      await tab('Read');
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Content (Markdown)').fill(content);
      await page.getByRole('button', { name: 'Stage the change' }).click();
      await page.getByRole('tab', { name: 'Changes (1)' }).click();
    };
    const commit = async (message: string) => {
      await page.getByLabel('Message').fill(message);
      await page.getByRole('button', { name: 'Commit' }).click();
      await page.getByText('Nothing is staged').waitFor();
    };
    const tab = (name: string) => page.getByRole('tab', { name }).click();
    await edit('每周四次');
    await page.getByRole('listitem').filter({ hasText: '跑步' }).getByText('changed').waitFor();
    await pages.expectClean(page);
    await commit('more often');

    await tab('History');
    const seeded = page.getByRole('listitem').filter({ hasText: 'seeded' });
    await seeded.getByRole('button', { name: 'Compare with now' }).click();
    await seeded.getByRole('button', { name: 'What differs' }).click();
    await seeded.getByText('每周三次').waitFor();
    await seeded.getByText('每周四次').waitFor();
    await pages.expectClean(page);

    await tab('Branches');
    await page.getByLabel('Name of the branch').fill('idea');
    await page.getByRole('button', { name: 'New branch' }).click();
    await page.getByRole('button', { name: 'Switch to main' }).waitFor();
    await edit('每天');
    await commit('on the branch');
    await tab('Branches');
    await page.getByRole('button', { name: 'Switch to main' }).click();
    await page.getByRole('button', { name: 'Switch to idea' }).waitFor();
    await edit('从不');
    await commit('on main');
    await tab('Branches');
    await page.getByRole('button', { name: 'Merge idea into this one' }).click();
    const conflicts = page.getByRole('region', { name: /Both branches changed/ });
    await conflicts.getByText('每天').waitFor();
    await conflicts.getByText('从不').waitFor();
    await pages.expectClean(page);
    await conflicts.getByRole('button', { name: 'Take theirs' }).click();
    await page.getByText(/Merged: \d+ nodes?/).waitFor();
    await tab('Read');
    await page.getByRole('article').getByText('每天').waitFor();
  });

  test('what was typed for a new node is asked about before it is lost', async () => {
    await go('/memory');
    await page.getByRole('button', { name: 'New node' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title').fill('half a thought');
    await page.keyboard.press('Escape');
    await dialog.getByText('What you typed is not saved.').waitFor();
    await pages.expectClean(page);
    await dialog.getByRole('button', { name: 'Keep editing' }).click();
    expect(await dialog.getByLabel('Title').inputValue()).toBe('half a thought');
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Keep editing' }).click();
    // Nothing has the focus there.
    await dialog.getByRole('heading', { name: 'New node' }).click();
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Discard it' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  test('a node is found by its words, deleted after a question, and had back; what another session staged is told', async () => {
    const session = new MemotreeSession(await lab.system.caller({ tier: 'vip' }), 'elsewhere');
    const parent = await session.create({ title: '旅行', content: '去哪里' });
    await session.create({ parentId: parent, title: '行李', content: '两个箱子和一把伞' });
    await go('/memory');
    await page.getByText('2 changes are staged by another session of yours, elsewhere').waitFor();
    await pages.expectClean(page);
    await page.getByRole('link', { name: 'Open that session' }).click();
    await page.getByText('You see what this session sees: elsewhere').waitFor();
    await page.getByRole('tab', { name: 'Changes (2)' }).waitFor();
    await session.do('commit_changes', { message: 'travel' });
    await go('/memory');
    await page.getByLabel('Search nodes').fill('箱子');
    await page.keyboard.press('Enter');
    const found = page.getByRole('list', { name: 'Nodes that were found' });
    await found.getByRole('button', { name: '行李' }).waitFor();
    await pages.expectClean(page);
    await found.getByText('旅行').waitFor();
    await page.getByLabel('Search nodes').fill('旅行');
    await page.keyboard.press('Enter');
    await found.getByRole('button', { name: '旅行' }).click();
    await page.getByRole('article').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('everything below it').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: /旅行/ }).click();
    await page.getByText('旅行 is deleted').waitFor();
    await page.getByRole('tab', { name: /Changes \(\d\)/ }).waitFor();
    await pages.expectClean(page);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('tab', { name: 'Changes', exact: true }).waitFor();
    await page.getByRole('treegrid', { name: 'Nodes' }).getByRole('row', { name: '旅行' }).waitFor();
  });

  test('the agent draws a chart, is stopped, and a second tab goes on with what it says', async () => {
    await go('/chat');
    const say = async (text: string) => {
      await page.getByLabel('Say something to the agent').fill(text);
      await page.keyboard.press('Enter');
    };
    const messages = (shown: Page) => shown.getByRole('list', { name: 'Messages' });
    const birth = { birth_date: '1990-05-20', birth_time: '08:30', gender: 'male' };
    await say(
      scripted(
        lab.model,
        { calls: [{ name: 'use_skill', arguments: { skills: ['bazi'], topic: 'career' } }] },
        { calls: [{ name: 'search_knowledge', arguments: { query: '午睡' } }] },
        { calls: [{ name: 'show_bazi_chart', arguments: birth }] },
        { text: 'Your day master is wood.' },
      ),
    );
    await messages(page).getByRole('figure', { name: 'Four pillars' }).waitFor();
    await messages(page).getByText('Your day master is wood.').waitFor();
    await pages.expectClean(page);
    const call = messages(page).getByRole('link', { name: 'Open the call' });
    const conversation = page.url();
    await call.click();
    await page.getByRole('heading', { level: 1, name: 'search_knowledge' }).waitFor();
    await page.goto(conversation);
    await call.waitFor();

    // A minute of words: a busy machine takes long to open the second tab.
    const words = Array.from({ length: 240 }, (_, at) => `word-${at} `);
    await say(scripted(lab.model, { text: words, pieceMs: 250 }));
    await messages(page).getByText('word-2').waitFor();
    const second = await pages.page(`/chat${new URL(page.url()).search}`);
    await messages(second).getByText('word-4').waitFor();
    await messages(second).getByText('Your day master is wood.').waitFor();
    await second.getByRole('button', { name: 'Stop' }).click();
    await eventually(() => page.getByRole('button', { name: 'Send' }).isVisible(), shownWithin);
    expect(await messages(page).textContent()).not.toContain('word-239');
    await pages.expectClean(second);
    await second.close();
  });

  test.each(['model', 'conversation'] as const)('usage by %s has the figures of the API', async (group) => {
    const api = new HttpCaller(lab.system.gateway.url, key);
    const sums = async () => (await api.get(`/usage/calls?by=${group}`)).as(callSums).sums;
    const nameOf = (sum: Awaited<ReturnType<typeof sums>>[number]) => (group === 'model' ? sum.model : sum.conversation_id) ?? '';
    // Calls are in the sums a moment after their end.
    await eventually(async () => (await sums()).some((sum) => nameOf(sum) !== ''), shownWithin);
    await eventually(
      async () => {
        const told = await sums();
        await go(`/usage?by=${group}`);
        await page.getByRole('row', { name: told.map(nameOf).find((name) => name !== '') ?? '' }).waitFor();
        const rows = await page
          .locator('tbody tr')
          .evaluateAll((elements) => elements.map((element) => [...element.querySelectorAll('td')].map((cell) => cell.textContent.trim())));
        const shown = rows.map((cells) => [cells[1], cells[3], cells[4]].join(' ')).toSorted();
        const format = new Intl.NumberFormat('en');
        const expected = told.map(({ calls, failed, input_tokens, output_tokens }) =>
          [calls, failed, input_tokens + output_tokens].map((count) => format.format(count)).join(' '),
        );
        return JSON.stringify(shown) === JSON.stringify(expected.toSorted());
      },
      { ...shownWithin, what: 'the figures of the API' },
    );
    expect(await page.locator('tbody tr').count()).toBeGreaterThan(1);
    await pages.expectClean(page);
  });

  test.each(['states', 'controls', 'calls', 'charts'])('the stories of %s have no fault in either language or theme', async (group) => {
    await go('/stories');
    await page.getByRole('radio', { name: group }).check();
    await page.getByRole('region', { name: 'zh-CN dark' }).waitFor();
    await pages.expectClean(page);
  });
});
