import { expect, test } from '@jest/globals';
import { AnnouncementBudget, priceOfCheck, priceOfLook } from './announcement-budget.js';
import { announcedContract } from './announced-contract.js';

test('what is spent comes back with time, and no further than the most', () => {
  let now = 0;
  const budget = new AnnouncementBudget(() => now);
  budget.spend('a', 1_100);
  expect(() => budget.require('a')).toThrow('announces more contracts');
  budget.require('b');
  now = 9_000;
  expect(() => budget.spend('a', 1)).toThrow('announces more contracts');
  now = 12_000;
  budget.spend('a', 1);
  now = 10_000_000;
  budget.spend('a', 1_000);
  expect(() => budget.require('a')).toThrow('connect again later');
});

test('a refusal says when there will be something again', () => {
  const budget = new AnnouncementBudget(() => 0);
  budget.spend('a', 1_050);
  expect(() => budget.require('a')).toThrow(expect.objectContaining({ error: expect.objectContaining({ retry_after_ms: 5_100 }) }));
});

test('what a check took is paid for: small contracts may take long', () => {
  const budget = new AnnouncementBudget(() => 0);
  budget.spend('a', 10);
  budget.charge('a', 10_000);
  expect(() => budget.require('a')).toThrow('announces more contracts');
});

test('one announcement that takes long keeps its tenant away for minutes, not for hours', () => {
  let now = 0;
  const budget = new AnnouncementBudget(() => now);
  budget.charge('a', 3_600_000);
  now = 101_000;
  budget.require('a');
});

test('what changes costs by its bytes, and a look is nearly free', () => {
  const large = Array.from({ length: 10 }, (_, n) => announcedContract('d', { name: `t${n}`, filler: 'x'.repeat(51_000) }));
  expect(priceOfCheck(large)).toBeCloseTo(134.6, 0);
  expect(priceOfLook(large)).toBeLessThan(10);
});
