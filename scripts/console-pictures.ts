// `npm run console:pictures`: pictures of the console of a running `npm start`, for docs/console. It makes a few calls first.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { CommandError, print, root, runWithoutArguments } from '#lib/command-line';
import { makeSamples, type Samples } from './console-samples.js';
import { callTool, launchBrowser, runningProduct, signIn, type RunningProduct } from './running-console.js';

const folder = join(root, 'docs', 'console');
const maxBytes = 150_000;
const size = { width: 1_120, height: 680 };
const looks = [
  { language: 'en', theme: 'light' },
  { language: 'zh-CN', theme: 'dark' },
] as const;
type Look = (typeof looks)[number];

/** What is called before the pictures are taken; some of it is refused on purpose. */
const calls: readonly (readonly [string, object])[] = [
  ['calc_metrics', { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' }],
  ['get_weather', { location: 'Beijing' }],
  ['get_weather', { location: 'Nowhere' }],
  ['user_profile_lookup', { user_id: 'user_001' }],
  ['user_profile_lookup', { user_id: 'user_999' }],
  ['search_knowledge', { query: '每天应该睡几个小时' }],
  ['show_bazi_chart', { birth_date: '1990-05-20', birth_time: '08:30', gender: 'male' }],
];

/** What the memory holds. */
const memory = `# Sleep

Seven to nine hours for adults; see [[naps]].

## 午睡

二十分钟最好，超过一小时会影响夜间睡眠。

## Evening

- no screens after ten
- caffeine before two

# Training

## Strength

Three times a week, with a day between.

## 有氧运动

每周一百五十分钟中等强度。
`;

/** A picture: its name, its address, and what is done before it is taken. */
const pictures = ({
  scheduleId,
  batchId,
  webhookId,
}: Samples): readonly (readonly [string, string, (page: Page) => Promise<unknown>])[] => [
  ['home', '/', settled],
  ['tools', '/tools', settled],
  ['playground', '/tools/show_bazi_chart', call],
  ['calls', '/calls?scope=all', settled],
  ['call', '/tools/generate_report', call],
  ['errors', '/errors', settled],
  ['knowledge', `/knowledge?q=${encodeURIComponent('午睡')}`, settled],
  ['memory', '/memory', settled],
  ['chat', '/chat', ask],
  ['requests', '/requests', settled],
  ['request', '/requests', decide],
  ['schedules', '/schedules', settled],
  ['schedule', `/schedules/${scheduleId}`, settled],
  ['batches', '/batches', settled],
  ['batch', `/batches/${batchId}`, settled],
  ['webhooks', '/webhooks', settled],
  ['webhook', `/webhooks/${webhookId}`, settled],
  ['budgets', '/budgets', settled],
  ['policies', '/policies', test],
  ['flows', '/flows', settled],
  ['pauses', '/pauses', settled],
  ['providers', '/providers', settled],
  ['connections', '/connections', settled],
  ['usage', '/usage', settled],
  ['keys', '/keys', settled],
  ['servers', '/servers', settled],
  ['audit', '/audit', settled],
  ['health', '/health', settled],
];

const help = `Pictures of the console of a running npm start, for docs/console. It makes a few calls first.

  npm run console:pictures
`;

await runWithoutArguments(help, async () => {
  const product = runningProduct();
  mkdirSync(folder, { recursive: true });
  await callTool(product, 'import_markdown', { files: [{ path: 'health.md', text: memory }] });
  await callTool(product, 'commit_changes', { message: 'What health asks for' });
  for (let times = 0; times < 8; times++) for (const [tool, input] of calls) await callTool(product, tool, input);
  await using samples = await makeSamples(product);
  await using browser = await launchBrowser();
  for (const look of looks) await takeAll(browser.browser, look, { product, samples });
});

interface Shown {
  readonly product: RunningProduct;
  readonly samples: Samples;
}

async function takeAll(browser: Browser, look: Look, { product, samples }: Shown): Promise<void> {
  const context = await browser.newContext({ viewport: size, reducedMotion: 'reduce' });
  const kept = JSON.stringify(JSON.stringify(look));
  await context.addInitScript(`if (location.protocol !== 'about:') localStorage.setItem('invoq-console-preferences', ${kept})`);
  const page = await signIn(context, product);
  for (const [name, path, prepare] of pictures(samples)) {
    await page.goto(`${product.url}/console${path}`);
    await prepare(page);
    const file = join(folder, `${name}-${look.theme}.png`);
    await page.screenshot({ path: file });
    const bytes = statSync(file).size;
    if (bytes > maxBytes) throw new CommandError(`${file} has ${bytes} bytes, more than ${maxBytes}: show less on it`);
    print(`  ${name}-${look.theme}.png  ${Math.round(bytes / 1_000)} kB`);
  }
  await context.close();
}

async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  // Charts and lists draw themselves once more when their data is there.
  await page.waitForTimeout(1_500);
}

async function call(page: Page): Promise<void> {
  await page.locator('.button.primary').first().click();
  const called = page.locator('figure, .timeline li:nth-child(5)').first();
  // A tool that changes something is called after a question.
  const question = page.locator('dialog[open]');
  await called.or(question).first().waitFor();
  if (await question.isVisible()) await question.locator('.button').last().click();
  await called.waitFor();
  await settled(page);
}

async function decide(page: Page): Promise<void> {
  await page.locator('td .button').first().click();
  await page.locator('dialog .facts').waitFor();
  await settled(page);
}

async function test(page: Page): Promise<void> {
  await page.locator('form input').first().fill('calc_metrics');
  for (const [name, value] of Object.entries({ height_cm: '180', weight_kg: '250', age: '30' }))
    await page.locator(`[data-path=${name}]`).fill(value);
  await page.locator('[data-path=gender]').selectOption({ label: 'male' });
  await page.locator('[data-path=activity_level]').selectOption({ label: 'moderate' });
  await page.locator('form button[type=submit]').click();
  await page.locator('.verdict').first().waitFor();
  await settled(page);
}

async function ask(page: Page): Promise<void> {
  await page.locator('.empty button').nth(1).click();
  await page.locator('.tool-call').first().waitFor();
  await settled(page);
}
