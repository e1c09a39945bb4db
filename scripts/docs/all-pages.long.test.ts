import { beforeAll, describe, expect, test } from '@jest/globals';
import { Catalog, errorCodes, toDefinition, tools } from '#lib/contracts';
import { allPages } from './all-pages.js';
import { chineseTools } from './chinese-tools.js';
import { fieldRows } from './field-rows.js';
import { llmsText, markdownFile, markdownForm } from './markdown-forms.js';
import { addressOf, type Page } from './page.js';
import { sampleLanguages } from './tool-samples.js';

const listed = new Catalog(tools).listed;
let pages: readonly Page[];
const pageAt = (slug: string): Page => {
  const found = pages.find((page) => page.slug === slug);
  if (!found) throw new Error(`there is no page ${slug}`);
  return found;
};

beforeAll(async () => {
  pages = await allPages();
});

test('each page has an address of its own, a title, and something to say', () => {
  expect(new Set(pages.map(({ slug }) => slug)).size).toBe(pages.length);
  expect(pages.filter(({ title, body }) => title === '' || body.length < 100).map(({ slug }) => slug)).toEqual([]);
});

test('every link between pages leads to a page, and to a heading that it has', () => {
  const headings = new Map(pages.map((page) => [addressOf(page.slug), anchorsOf(page.body)]));
  const broken = pages.flatMap(({ slug, body }) =>
    [...body.matchAll(/\]\((\/docs\/[^)#\s]*)(?:#([^)\s]+))?\)/g)]
      .filter(([, address = '', anchor]) => {
        const known = headings.get(address);
        return !/^\/docs\/(pictures|migrations)\//.test(address) && (!known || (anchor !== undefined && !known.has(anchor)));
      })
      .map(([link]) => `${slug}: ${link}`),
  );
  expect(broken).toEqual([]);
});

describe('the page of a tool', () => {
  test.each(listed.map((contract) => [contract.name, contract] as const))('%s tells all of its contract', (name, contract) => {
    const { body } = pageAt(`reference/tools/${name}`);
    const definition = toDefinition(contract);
    for (const { path } of [...fieldRows(definition.parameters), ...fieldRows(definition.output_schema)])
      expect(body).toContain(`| \`${path}\``);
    for (const literal of Object.keys(contract.errors)) expect(body).toContain(`| \`${literal}\` |`);
    for (const way of sampleLanguages) expect(body).toContain(`### ${way}\n`);
    expect(body).toContain(`](/console/tools/${name})`);
  });

  test('in Chinese has a meaning for each parameter that the contract has, and for no other', () => {
    for (const [name, { parameters }] of Object.entries(chineseTools)) {
      const contract = listed.find((one) => one.name === name);
      const fields = Object.keys(contract ? (toDefinition(contract).parameters.properties ?? {}) : {});
      expect([name, Object.keys(parameters).toSorted()]).toEqual([name, fields.toSorted()]);
      expect(pageAt(`zh/reference/tools/${name}`).body).toMatch(/## 参数\n/);
    }
  });
});

test('the tables have what the sources have', () => {
  for (const name of Object.keys(errorCodes)) expect(pageAt('reference/errors').body).toContain(`| \`${name}\` |`);
  expect(pageAt('reference/metrics').body).toMatch(/\| `invoq_tool_calls_total` \| counter \| `tool`/);
  expect(pageAt('reference/settings').body).toContain('| `REDIS_URL` |');
  expect(pageAt('reference/alerts').body).toContain('## ToolSuccessRateLow');
  expect(pageAt('reference/command-line').body).toContain('## invoq keys create');
});

test('agents get each page as Markdown, whose links lead to Markdown, and a list of the pages', () => {
  const form = markdownForm(pageAt(''), pages);
  expect(form).toMatch(/^# Invoq\n/);
  expect(form).toContain('](/docs/tutorials/first-call.md)');
  expect(form).not.toMatch(/\]\(\/docs\/[^)]*\/\)/);
  const list = llmsText(pages);
  for (const { slug } of pages.filter((page) => page.slug.startsWith('tutorials/')))
    expect(list).toContain(`(/docs/${markdownFile(slug)})`);
});

/** As GitHub and the site make them; a heading that comes again gets a number, which no link needs. */
function anchorsOf(body: string): ReadonlySet<string> {
  const headings = body.replaceAll(/^```[^]*?^```/gm, '').matchAll(/^#{2,6} (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .replaceAll(/[`*\\]/g, '')
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
