// `npm run console:speed`: how fast the console of a running `npm start` is drawn, and whether 10,000 calls keep it smooth. It makes the calls first.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { CommandError, print, runWithoutArguments } from '#lib/command-line';
import { callTool, launchBrowser, runningProduct, signIn, type RunningProduct } from './running-console.js';

/** `growth`: what the last quarter of a burst costs a call, against the second. */
const bounds = { largestPaintMs: 1_000, longTaskMs: 100, growth: 1.5 };
const calls = 10_000;
const atOnce = 32;
const quarters = 4;
const categories = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'];
const coldLoads = 5;
const isRateLimited = 429;
const rateWaitMs = 2_000;
const screens = ['/', '/calls?scope=all', '/tools', '/tools/calc_metrics', '/errors', '/knowledge', '/health'];

const trace = z.object({
  traceEvents: z.array(
    z.looseObject({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      ts: z.number(),
      tdur: z.number().optional(),
      args: z.looseObject({ name: z.unknown().optional() }).optional(),
    }),
  ),
});

const help = `How fast the console of a running npm start is drawn, and whether 10,000 calls keep it smooth. It makes the calls first.

  npm run console:speed
`;

await runWithoutArguments(help, async () => {
  const product = runningProduct();
  await using browser = await launchBrowser();
  const isSmooth = await burst(browser.browser, product);
  const paints = await largestPaints(browser.browser, product);
  const longest = await longestTaskOfManyCalls(browser.browser, product);
  print(`longest task while ${calls} calls are read and scrolled: ${longest} ms (at most ${bounds.longTaskMs})`);
  return isSmooth && paints <= bounds.largestPaintMs && longest <= bounds.longTaskMs ? 0 : 1;
});

/** The list of calls is open while all of them are made: no long task, and a late call costs no more than an early one. */
async function burst(browser: Browser, product: RunningProduct): Promise<boolean> {
  const { context, page } = await freshPage(browser, product);
  await page.goto(`${product.url}/console/calls?scope=all`);
  await page.locator('.badge', { hasText: 'Live' }).waitFor();
  await browser.startTracing(page, { categories });
  const marks = [nowUs()];
  const started = performance.now();
  for (let quarter = 0; quarter < quarters; quarter++) {
    await makeCalls(product, calls / quarters);
    marks.push(nowUs());
  }
  const seconds = (performance.now() - started) / 1_000;
  await page.getByRole('button', { name: /new$/ }).click();
  await sleep(1_000);
  const tasks = pageTasks(trace.parse(JSON.parse((await browser.stopTracing()).toString('utf8'))).traceEvents);
  await context.close();
  const longest = longestMs(tasks);
  const costs = marks.slice(1).map((end, quarter) => {
    const within = tasks.filter(({ ts }) => ts >= (marks[quarter] ?? 0) && ts < end);
    return Math.round(within.reduce((sum, { tdur }) => sum + tdur, 0) / (calls / quarters));
  });
  print(`burst: ${calls} calls in ${seconds.toFixed(1)} s with the list open: longest task ${longest} ms (at most ${bounds.longTaskMs})`);
  print(`processor time of the page for a call, by quarters: ${costs.join(', ')} µs`);
  const [, second = 0, , last = 0] = costs;
  return longest <= bounds.longTaskMs && last <= second * bounds.growth;
}

/** The clock of traces. */
function nowUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

async function makeCalls(product: RunningProduct, count: number): Promise<void> {
  let left = count;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      // Different each time, so that no answer comes from the cache.
      const input = {
        height_cm: 150 + (left % 60),
        weight_kg: 45 + Math.random() * 100,
        age: 30,
        gender: 'male',
        activity_level: 'moderate',
      };
      while ((await callTool(product, 'calc_metrics', input)) === isRateLimited) await sleep(rateWaitMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
}

/** Each screen several times in a browser that has loaded nothing yet. @returns the worst median, ms */
async function largestPaints(browser: Browser, product: RunningProduct): Promise<number> {
  const medians: number[] = [];
  for (const screen of screens) {
    const times: number[] = [];
    for (let load = 0; load < coldLoads; load++) times.push(await coldPaint(browser, product, screen));
    const [median = 0] = times.toSorted((a, b) => a - b).slice(Math.floor(coldLoads / 2));
    medians.push(median);
    print(`largest paint of ${screen}: ${median} ms (of ${times.join(', ')}; at most ${bounds.largestPaintMs})`);
  }
  return Math.max(...medians);
}

async function coldPaint(browser: Browser, product: RunningProduct, screen: string): Promise<number> {
  const { context, page } = await freshPage(browser, product);
  await page.goto(`${product.url}/console${screen}`);
  await page.locator('.shell h1').waitFor();
  await sleep(500);
  const at = await read(
    page,
    `new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
    .observe({ type: 'largest-contentful-paint', buffered: true }))`,
  );
  await context.close();
  return at;
}

async function longestTaskOfManyCalls(browser: Browser, product: RunningProduct): Promise<number> {
  const { context, page } = await freshPage(browser, product);
  await browser.startTracing(page, { categories });
  await page.goto(`${product.url}/console/calls?scope=all`);
  await page.locator('[data-job]').first().waitFor();
  const list = page.getByRole('list', { name: 'Calls' });
  await list.focus();
  for (let shown = 0; shown < calls;) {
    await page.keyboard.press('End');
    await sleep(20);
    shown = Number(await list.getByRole('listitem').last().getAttribute('aria-setsize'));
  }
  for (const key of ['Home', 'PageDown', 'PageDown', 'End', 'Home']) {
    await page.keyboard.press(key);
    await sleep(200);
  }
  const { traceEvents } = trace.parse(JSON.parse((await browser.stopTracing()).toString('utf8')));
  await context.close();
  return longestMs(pageTasks(traceEvents));
}

function longestMs(tasks: ReturnType<typeof pageTasks>): number {
  if (tasks.length === 0) throw new CommandError('the trace of the browser has no tasks');
  return Math.round(tasks.reduce((most, { tdur }) => Math.max(most, tdur), 0) / 1_000);
}

/** The page's tasks with their processor time, µs: what a task waits for a processor is the machine's fault, not the page's. */
function pageTasks(events: z.infer<typeof trace>['traceEvents']): readonly { readonly ts: number; readonly tdur: number }[] {
  const mains = new Set(
    events.flatMap(({ name, args, pid, tid }) => (name === 'thread_name' && args?.name === 'CrRendererMain' ? [`${pid} ${tid}`] : [])),
  );
  return events.flatMap(({ name, tid, pid, ts, tdur }) =>
    name === 'RunTask' && tdur !== undefined && mains.has(`${pid} ${tid}`) ? [{ ts, tdur }] : [],
  );
}

/** A page with a session and without anything in its cache. */
async function freshPage(browser: Browser, product: RunningProduct) {
  const options = { viewport: { width: 1_440, height: 900 }, locale: 'en-US' };
  const before = await browser.newContext(options);
  await signIn(before, product);
  const cookies = await before.cookies();
  await before.close();
  const context = await browser.newContext(options);
  await context.addCookies(cookies);
  return { context, page: await context.newPage() };
}

async function read(page: Page, expression: string): Promise<number> {
  return Math.round(z.number().parse(await page.evaluate(expression)));
}
