import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { InvoqError } from './invoq-error.js';
import { readItems } from './pages.js';
import { caught, collect, metadata } from './test-answers.js';

/** A tool with so many items, which fills its pages as far as it likes. */
function toolWith(count: number, sizes: readonly number[]) {
  const asked: { readonly limit: number; readonly cursor?: string }[] = [];
  const fetchPage = async (page: { readonly limit: number; readonly cursor?: string }) => {
    const from = Number(page.cursor ?? 0);
    const size = Math.min(page.limit, sizes[asked.length % sizes.length] ?? 1);
    asked.push(page);
    const items = Array.from({ length: Math.min(size, count - from) }, (_, index) => from + index);
    const next = from + items.length;
    return { data: { items, pagination: { has_more: next < count, next_cursor: next < count ? String(next) : null } }, metadata };
  };
  return { asked, fetchPage };
}

test.each([
  [0, 1],
  [25, 1],
  [100, 1],
  [101, 2],
  [1_000, 10],
  [1_500, 10],
])('of %i items the first 1,000 are read, in %i pages of 100 (TU-96)', async (count, pages) => {
  const { asked, fetchPage } = toolWith(count, [100]);
  expect(await collect(readItems(fetchPage, {}))).toHaveLength(Math.min(1_000, count));
  expect(asked).toHaveLength(pages);
  // C-81: the first page is asked for without a cursor.
  expect(asked[0]).toEqual({ limit: 100 });
});

test('every item comes once and in order, whatever the sizes of the pages, and never more than wanted', async () => {
  const property = fc.asyncProperty(
    fc.nat(300),
    fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 5 }),
    fc.integer({ min: 1, max: 350 }),
    async (count, sizes, maxItems) => {
      const { fetchPage } = toolWith(count, sizes);
      const items = await collect(readItems(fetchPage, { maxItems }));
      expect(items).toEqual(Array.from({ length: Math.min(count, maxItems) }, (_, index) => index));
    },
  );
  await fc.assert(property);
});

test('no page is asked for before its items are wanted', async () => {
  const { asked, fetchPage } = toolWith(1_000, [2]);
  const items = readItems(fetchPage, {});
  for (let index = 0; index < 3; index++) await items.next();
  expect(asked).toHaveLength(2);
});

test.each([
  ['an object without items', { pagination: { has_more: false, next_cursor: null } }],
  ['items that are no list', { items: {}, pagination: {} }],
  ['items without pagination', { items: [] }],
  ['a text', 'text'],
  ['nothing', null],
])('%s is no page, and the error names the tool', async (_what, data) => {
  const error = await caught(collect(readItems(async () => ({ data, metadata }), {})));
  expect(error).toMatchObject({ code: 'EXECUTION_ERROR', message: 'calc_metrics does not answer in pages' });
});

test.each([[{ has_more: true, next_cursor: null }], [{ has_more: false, next_cursor: 'more' }], [{}]])(
  'a page with %j is the last',
  async (pagination) => {
    expect(await collect(readItems(async () => ({ data: { items: [1], pagination }, metadata }), {}))).toEqual([1]);
  },
);

test('a tool that repeats its cursor is not asked for ever', async () => {
  const fetchPage = async () => ({ data: { items: [], pagination: { has_more: true, next_cursor: 'again' } }, metadata });
  expect(await caught(collect(readItems(fetchPage, {})))).toMatchObject({ message: 'calc_metrics repeats the cursor again' });
});

test('an error of a page ends the reading, after the items before it (TU-96)', async () => {
  const { fetchPage } = toolWith(500, [100]);
  const seen: unknown[] = [];
  const reading = (async () => {
    const broken = async (page: { readonly limit: number; readonly cursor?: string }) => {
      if (page.cursor === '200') throw new InvoqError({ code: 'TIMEOUT', message: 'late', retryable: true }, { status: 504 });
      return fetchPage(page);
    };
    for await (const item of readItems(broken, {})) seen.push(item);
  })();
  expect(await caught(reading)).toMatchObject({ code: 'TIMEOUT' });
  expect(seen).toHaveLength(200);
});
