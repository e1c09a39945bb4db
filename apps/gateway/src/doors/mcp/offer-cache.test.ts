import { expect, jest, test } from '@jest/globals';
import type { OutsideOffers } from '#lib/contracts';
import { OfferCache } from './offer-cache.js';

const server = { tenant: 'acme', server: 'docs', approval: 1, owner: null, apps: { domains: [], permissions: [] } };
const lists = (names: readonly string[] = [], filler = ''): OutsideOffers => ({
  resources: [{ uri: 'file:///a', name: filler }],
  templates: [],
  prompts: names.map((name) => ({ name })),
  completes: true,
  faults: [],
});
const read = (cache: OfferCache, given: OutsideOffers | null, fault: string | null = null) =>
  ({ lists: given, fault, changes: cache.changes }) as const;

test('lists hold until their server says otherwise, and for this approval alone', () => {
  const cache = new OfferCache();
  expect(cache.isFresh(server)).toBe(false);
  cache.keep(server, read(cache, lists(['say', 'ask it'])));
  expect(cache.isFresh(server)).toBe(true);
  expect(cache.find(server).prompts).toEqual(
    new Map([
      ['docs__ask_it', 'ask it'],
      ['docs__say', 'say'],
    ]),
  );
  for (const other of [
    { ...server, approval: 2 },
    { ...server, tenant: 'bolt' },
    { ...server, tenant: null },
    { ...server, owner: 'acme/ann' },
  ]) {
    expect(cache.isFresh(other)).toBe(false);
    expect(cache.find(other).lists.resources).toEqual([]);
  }
  cache.forget('acme/docs');
  expect(cache.isFresh(server)).toBe(false);
  // Until they are read again, the old ones are better than none.
  expect(cache.find(server).lists.resources).toHaveLength(1);
});

test('a change that comes while lists are read is not lost', () => {
  const cache = new OfferCache();
  const before = read(cache, lists());
  cache.forget('acme/docs');
  cache.keep(server, before);
  expect(cache.isFresh(server)).toBe(false);
});

test('a server that cannot be asked keeps its lists with the fault, and is asked again soon', () => {
  jest.useFakeTimers();
  try {
    const cache = new OfferCache();
    cache.keep(server, read(cache, lists()));
    cache.keep(server, read(cache, null, 'docs could not be reached'));
    expect(cache.find(server)).toMatchObject({ fault: 'docs could not be reached', lists: { resources: [{ uri: 'file:///a' }] } });
    expect(cache.isFresh(server)).toBe(true);
    jest.advanceTimersByTime(15_001);
    expect(cache.isFresh(server)).toBe(false);
  } finally {
    jest.useRealTimers();
  }
});

test('all lists together have a bound: the oldest go', () => {
  const cache = new OfferCache();
  const names = Array.from({ length: 80 }, (_, index) => ({ ...server, server: `s${index}` }));
  for (const one of names) cache.keep(one, read(cache, lists([], 'x'.repeat(1024 * 1024))));
  expect(names.map((one) => cache.isFresh(one)).indexOf(true)).toBe(17);
  expect(cache.isFresh({ ...server, server: 's79' })).toBe(true);
  cache.keep({ ...server, server: 's79' }, read(cache, lists()));
  expect(cache.find({ ...server, server: 's79' }).lists.resources).toMatchObject([{ name: '' }]);
});
