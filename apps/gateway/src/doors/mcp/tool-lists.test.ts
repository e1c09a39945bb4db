import { describe, expect, test } from '@jest/globals';
import { calcMetrics, Catalog, tools } from '#lib/contracts';
import { ToolDirectory } from '../../calls/tool-directory.js';
import { listStandIn, ToolLists, withLists } from './tool-lists.js';
import { McpView } from './view.js';

const today = () => new Date('2026-01-01');
const directory = new ToolDirectory(new Catalog(tools), today);
const viewOf = (query: Record<string, string>, of = directory) =>
  new McpView({ query } as unknown as ConstructorParameters<typeof McpView>[0], of, { most: 1_000, place: 'http://localhost' });
const namesIn = (list: Buffer): readonly string[] => JSON.parse(`[${list.toString()}]`).map(({ name }: { name: string }) => name);

describe('the list of a view', () => {
  test('is made once for as long as the catalog is the same', () => {
    const lists = new ToolLists();
    const list = lists.of(directory, viewOf({}));
    expect(lists.of(directory, viewOf({}))).toBe(list);
    expect(namesIn(list)).toEqual(directory.offered.map(({ name }) => name));
    const fewer = new ToolDirectory(new Catalog(tools.filter(({ domain }) => domain === 'profile')), today);
    expect(namesIn(lists.of(fewer, viewOf({}, fewer)))).toEqual(fewer.offered.map(({ name }) => name));
  });

  test('is that of no other view', () => {
    const lists = new ToolLists();
    const queries: Record<string, string>[] = [
      {},
      { result: 'data' },
      { result: 'text' },
      { read_only: 'true' },
      { domain: 'profile' },
      { domain: 'memotree' },
      { tools: 'calc_*' },
      { tools: 'search' },
    ];
    const all = queries.map((query) => lists.of(directory, viewOf(query)).toString());
    expect(new Set(all).size).toBe(queries.length);
    expect(queries.map((query) => lists.of(directory, viewOf(query)).toString())).toEqual(all);
  });

  test('ends with the tools that come to their end', () => {
    const lists = new ToolLists();
    const catalog = new Catalog([{ ...calcMetrics, sunsetDate: '2027-01-01' }]);
    const [before, after] = ['2026-12-31', '2027-01-02'].map((day) => new ToolDirectory(catalog, () => new Date(day)));
    expect([before, after].map((one) => one && namesIn(lists.of(one, viewOf({}, one))))).toEqual([['calc_metrics'], []]);
  });
});

describe('what the SDK wrote gets the entries', () => {
  const text = (list: string, message: object): string =>
    Buffer.concat([...withLists(JSON.stringify(message), () => Buffer.from(list))]).toString();

  test.each([
    ['alone', '{"a":1}', [listStandIn], '{"tools":[{"a":1}]}'],
    ['before others', '{"a":1},{"b":2}', [listStandIn, { c: 3 }], '{"tools":[{"a":1},{"b":2},{"c":3}]}'],
    ['of an empty list', '', [listStandIn], '{"tools":[]}'],
    ['of an empty list before others', '', [listStandIn, { c: 3 }], '{"tools":[{"c":3}]}'],
  ])('%s', (_where, list, given, expected) => {
    expect(text(list, { tools: given })).toBe(expected);
  });

  test('in each place, and nowhere else', () => {
    const answers = [{ tools: [listStandIn] }, { result: 'list-of-mine' }, { tools: [listStandIn] }];
    expect(JSON.parse(text('{"a":1}', answers))).toEqual([{ tools: [{ a: 1 }] }, { result: 'list-of-mine' }, { tools: [{ a: 1 }] }]);
  });
});
