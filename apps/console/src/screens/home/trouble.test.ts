import { expect, test } from '@jest/globals';
import { troubleOf } from './trouble.js';

const now = Date.parse('2026-11-22T10:00:00.000Z');
const quiet = { domain: 'profile', workers: 1, open: 0, waiting: 0, oldest_waiting_at: null };

test('domains without a worker are told while calls wait for one, the fullest first', () => {
  const domains = [
    quiet,
    { ...quiet, domain: 'idle', workers: 0 },
    { ...quiet, domain: 'sales', tenant_id: 'demo', workers: 0, open: 1, unserved_since: '2026-11-22T09:59:00.000Z' },
    { ...quiet, domain: 'agent', workers: 0, open: 3, waiting: 3, oldest_waiting_at: '2026-11-22T09:00:00.000Z' },
  ];
  expect(troubleOf(domains, now)).toEqual({
    unserved: [
      { key: ' agent', name: 'agent', since: null, open: 3 },
      { key: 'demo sales', name: 'sales', since: '2026-11-22T09:59:00.000Z', open: 1 },
    ],
    slow: [],
  });
});

test('a domain with workers is slow once a call has waited for ten seconds', () => {
  const waits = (oldest_waiting_at: string) => [{ ...quiet, open: 4, waiting: 2, oldest_waiting_at }];
  expect(troubleOf(waits('2026-11-22T09:59:51.000Z'), now).slow).toEqual([]);
  expect(troubleOf(waits('2026-11-22T09:59:40.000Z'), now).slow).toEqual([
    { key: ' profile', name: 'profile', waiting: 2, waitedMs: 20_000 },
  ]);
});
