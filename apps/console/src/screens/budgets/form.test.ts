import { expect, test } from '@jest/globals';
import type { Budget } from '#lib/client';
import { bodyOf, formFrom, newForm, shareOf } from './form.js';

const budget: Budget = {
  name: 'support',
  tenant: 'acme',
  user: 'alice',
  key: null,
  tool: null,
  period: 'month',
  time_zone: 'Europe/Berlin',
  limit_micros: 12_500_000,
  limit_calls: null,
  warn_at: 0.8,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  spent: {
    micros: 5_000_000,
    calls: 7,
    reserved_micros: 5_000_000,
    reserved_calls: 0,
    since: '2026-01-01T00:00:00Z',
    resets_at: '2026-02-01T00:00:00Z',
  },
};

test('a budget that is saved unchanged stays as it is', () => {
  expect(bodyOf(formFrom(budget))).toEqual({
    period: 'month',
    time_zone: 'Europe/Berlin',
    user: 'alice',
    limit_micros: 12_500_000,
    warn_at: 0.8,
  });
});

test('a limit is needed, of cost or of calls, and 0 is one', () => {
  const form = { ...newForm(), name: 'a' };
  expect(bodyOf(form)).toBeNull();
  expect(bodyOf({ ...form, dollars: 'much' })).toBeNull();
  expect(bodyOf({ ...form, calls: '0' })).toMatchObject({ limit_calls: 0 });
  expect(bodyOf({ ...form, dollars: '0.1' })).toMatchObject({ limit_micros: 100_000 });
});

test('the share counts open calls, and nothing is left of a limit of 0', () => {
  expect(shareOf(budget)).toBe(0.8);
  expect(shareOf({ ...budget, limit_calls: 0 })).toBe(1);
});
