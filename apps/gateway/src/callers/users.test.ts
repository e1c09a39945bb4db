import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Tier } from '#lib/contracts';
import { Users } from './users.js';

beforeEach(() => {
  jest.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  jest.useRealTimers();
});

function setUp(first: Tier | null) {
  const state = { tier: first, isAway: false, reads: 0 };
  const users = new Users({
    find: async () => {
      state.reads += 1;
      if (state.isAway) throw new Error('the database is away');
      return state.tier;
    },
  });
  return { state, users };
}

test('A tier is asked for once in five seconds', async () => {
  const { state, users } = setUp('pro');
  expect(await users.tierOf('t', 'u')).toBe('pro');
  state.tier = 'vip';
  jest.advanceTimersByTime(4_999);
  expect([await users.tierOf('t', 'u'), state.reads]).toEqual(['pro', 1]);
  jest.advanceTimersByTime(1);
  expect([await users.tierOf('t', 'u'), state.reads]).toEqual(['vip', 2]);
});

test('The last known tier is used while the database is away', async () => {
  const { state, users } = setUp('pro');
  await users.tierOf('t', 'u');
  state.isAway = true;
  jest.advanceTimersByTime(60_000);
  expect(await users.tierOf('t', 'u')).toBe('pro');
  expect(await users.tierOf('t', 'never seen')).toBeNull();
});

test('Users of different tenants are different, whatever their ids', async () => {
  const { state, users } = setUp('pro');
  expect(await users.tierOf('a', 'b/c')).toBe('pro');
  state.tier = null;
  expect(await users.tierOf('a/b', 'c')).toBeNull();
  expect(await users.tierOf('a","b', 'c')).toBeNull();
});

test('At most 10,000 users are remembered; the longest unused is asked for again', async () => {
  const { state, users } = setUp('free');
  for (let i = 0; i <= 10_000; i++) await users.tierOf('t', `u${i}`);
  await users.tierOf('t', 'u1');
  expect(state.reads).toBe(10_001);
  await users.tierOf('t', 'u0');
  expect(state.reads).toBe(10_002);
});
