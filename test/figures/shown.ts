// What a screen of the console shows, read out of the page: each number with what it stands under.
import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { eventually } from '#lib/testing';
import { shownWithin } from '../console/console-browser.js';

type Row = Readonly<Record<string, string>>;

/** Times stand as ISO, meters as `[3/10]`. */
export interface Shown {
  /** By name, with the panel's where several have it: `Calls`, `Own domains: sales › Waiting`. */
  readonly stats: Readonly<Record<string, string>>;
  /** Rows by the title of the panel, cells by that of the column. */
  readonly tables: Readonly<Record<string, readonly Row[]>>;
  /** Bars by the title of the figure: what each tells, the highest, and both ends. */
  readonly bars: Readonly<Record<string, readonly string[]>>;
  /** Rows of long lists that are in sight. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** Names with what they mean. */
  readonly facts: Readonly<Record<string, string>>;
  /** What stands anywhere else. */
  readonly rest: string;
}

/** What a screen should show. What is left out should not be there. Words without a number are not compared, but for the first of a row. */
export type Wanted = Partial<Shown>;

const texts = z.record(z.string(), z.string());
const lines = z.record(z.string(), z.array(z.string()));
const shape = z.strictObject({
  stats: texts,
  tables: z.record(z.string(), z.array(texts)),
  bars: lines,
  lists: lines,
  facts: texts,
  rest: z.string(),
});

/** Runs in the page. Whatever is read is taken out of a copy, so that the rest is what nobody has read. */
const reader = (without: string) => `(() => {
  const screen = document.querySelector('.screen').cloneNode(true);
  const all = (selector, within = screen) => [...within.querySelectorAll(selector)];
  for (const gone of all(${JSON.stringify(`${without}, select, svg, datalist, .chart, .hidden-visually`)})) gone.remove();
  for (const time of all('time[datetime]')) time.textContent = time.getAttribute('datetime');
  for (const meter of all('[role=meter]')) meter.textContent = '[' + meter.getAttribute('aria-valuenow') + '/' + meter.getAttribute('aria-valuemax') + ']';
  const words = (node) => {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    const parts = [];
    while (walker.nextNode()) parts.push(walker.currentNode.data);
    return parts.join(' ').replace(/\\s+/g, ' ').trim();
  };
  const panelOf = (node) => {
    const title = node.closest('section.panel')?.querySelector('h2');
    return title ? words(title) : '';
  };
  const taken = [];
  const shown = { stats: {}, tables: {}, bars: {}, lists: {}, facts: {}, rest: '' };
  for (const stat of all('.stat')) {
    const panel = panelOf(stat);
    shown.stats[(panel ? panel + ' › ' : '') + words(stat.querySelector('dt'))] = words(stat.querySelector('dd'));
    taken.push(stat);
  }
  for (const table of all('table')) {
    const columns = all('th', table).map(words);
    const rows = all('tbody > tr', table).map((row) => Object.fromEntries([...row.cells].map((cell, index) => [columns[index], words(cell)])));
    const title = panelOf(table);
    shown.tables[title] = [...(shown.tables[title] ?? []), ...rows];
    taken.push(table);
  }
  for (const figure of all('figure.bars')) {
    const ends = all('figcaption span', figure).map(words);
    shown.bars[figure.getAttribute('aria-label')] = [...all('.bar', figure).map((bar) => bar.getAttribute('aria-label')), words(figure.querySelector('.most')), ...ends];
    taken.push(figure);
  }
  for (const list of all('[role=list]')) {
    shown.lists[list.getAttribute('aria-label')] = all('[role=listitem]', list).map(words);
    taken.push(list);
  }
  for (const facts of all('dl.facts')) {
    const names = all('dt', facts);
    for (const name of names) shown.facts[words(name)] = words(name.nextElementSibling);
    taken.push(facts);
  }
  for (const one of taken) one.remove();
  shown.rest = words(screen);
  return shown;
})()`;

/** A number that is none of a name: `12`, `1,234`, `$0.0012`, `2026-01-31T…`, but not `p50` or `user_001`. */
const figure = /(?<![\w.-])[$<[]?\d[\w.,:/%µ-]*\]?/g;

interface Figures extends Omit<Shown, 'rest' | 'lists'> {
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly rest: readonly string[];
}

/** The numbers, with what they stand under. */
function figuresOf({ stats, tables, bars, lists, facts, rest }: Shown): Figures {
  const isFigure = (text: string) => text.includes('—') || text.match(figure) !== null;
  const numbers = (text: string) => text.match(figure) ?? [];
  const withFigures = (named: Row) => Object.fromEntries(Object.entries(named).filter(([, text]) => isFigure(text)));
  return {
    stats: withFigures(stats),
    tables: Object.fromEntries(
      Object.entries(tables)
        .filter(([, rows]) => rows.length > 0)
        .map(([title, rows]) => [
          title,
          rows.map((row) => ({ ...Object.fromEntries(Object.entries(row).slice(0, 1)), ...withFigures(row) })),
        ]),
    ),
    bars,
    lists: Object.fromEntries(Object.entries(lists).map(([label, rows]) => [label, rows.map((row) => numbers(row).join(' '))])),
    facts: withFigures(facts),
    rest: numbers(rest),
  };
}

/** Of a long list no more is drawn than is in sight. */
function drawn(right: Figures, shown: Figures): Figures {
  const lists = Object.entries(right.lists).map(([label, rows]) => [
    label,
    rows.slice(0, Math.max(leastDrawn, shown.lists[label]?.length ?? 0)),
  ]);
  return { ...right, lists: Object.fromEntries(lists) };
}

const leastDrawn = 5;

const nothing: Shown = { stats: {}, tables: {}, bars: {}, lists: {}, facts: {}, rest: '' };

interface Expected {
  readonly wanted: () => Promise<Wanted>;
  readonly without?: string;
  readonly isWhole?: boolean;
}

/**
 * Waits until a page shows what it should, which is asked for again each time: what the gateway tells goes on. Fails with the differences.
 * @returns how many numbers there were
 */
export async function expectShown(page: Page, { wanted, without = 'script', isWhole = false }: Expected): Promise<number> {
  let last: { readonly shown: Figures; readonly right: Figures } | undefined;
  await eventually(async () => {
    if (isWhole) for (const more of await page.getByRole('button', { name: 'Load more' }).all()) await more.click();
    // A page that is on its way to another address has no screen.
    const read = await page.evaluate(reader(without)).catch(() => null);
    if (read === null) return false;
    const right = { ...nothing, ...(await wanted()) };
    const shown = figuresOf(shape.parse(read));
    last = { shown, right: drawn(figuresOf(right), shown) };
    return isDeepStrictEqual(last.shown, last.right);
  }, shownWithin).catch(() => undefined);
  expect(last?.shown).toEqual(last?.right);
  return JSON.stringify(last?.shown ?? nothing).match(figure)?.length ?? 0;
}
