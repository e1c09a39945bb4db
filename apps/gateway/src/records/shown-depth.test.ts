import { expect, test } from '@jest/globals';
import { shownDepth } from './shown-depth.js';

const at = Date.parse('2026-11-22T10:00:00.000Z');

test('the partitions of a domain are told as one', () => {
  const depths = [
    { open: 3, waiting: 2, oldestAt: at + 5 },
    { open: 1, waiting: 1, oldestAt: at },
    { open: 0, waiting: 0, oldestAt: null },
  ];
  expect(shownDepth(depths)).toEqual({ open: 4, waiting: 3, oldest_waiting_at: '2026-11-22T10:00:00.000Z' });
});

test('a call that ended in its queue waits no more', () => {
  expect(shownDepth([{ open: 0, waiting: 1, oldestAt: at }])).toEqual({ open: 0, waiting: 0, oldest_waiting_at: null });
  expect(shownDepth([{ open: 1, waiting: 4, oldestAt: at }]).waiting).toBe(1);
});
