import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { WebhookTenants } from './webhook-tenants.js';

type Row = { readonly id: string; readonly tenantId: string; readonly url: string };

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** @param rows what the store has */
function directory(rows: Row[]) {
  const counts = { loads: 0, marks: 0, faults: 0 };
  const notices = new EventEmitter();
  const subscriber = Object.assign(notices, { subscribe: async () => 1 });
  const tenants = new WebhookTenants({
    mark: async () => (counts.marks++, JSON.stringify(rows)),
    load: async () => (counts.loads++, [...rows]),
    redis: { publish: async () => 1 },
    subscriber,
    keys: { changesOf: () => 'changes' },
    onFault: () => void counts.faults++,
  });
  return { tenants, counts, notices };
}

test('A tenant is known from the start, by the origins of its webhooks', async () => {
  const { tenants } = directory([{ id: 'w', tenantId: 't', url: 'https://hooks.example:8443/a?b=c' }]);
  await tenants.onApplicationBootstrap();
  expect([tenants.has('t'), tenants.has('u')]).toEqual([true, false]);
  expect(tenants.webhookAt('t', 'https://hooks.example:8443/other')).toBe('w');
  for (const url of [
    'https://hooks.example/',
    'http://hooks.example:8443/',
    'https://a@hooks.example:8443/',
    'https://hooks.example.evil:8443/',
  ])
    expect(tenants.webhookAt('t', url)).toBeUndefined();
  expect(tenants.webhookAt('u', 'https://hooks.example:8443/')).toBeUndefined();
  tenants.beforeApplicationShutdown();
});

test('The store is read again when it has changed, and not otherwise', async () => {
  const rows: Row[] = [];
  const { tenants, counts, notices } = directory(rows);
  await tenants.onApplicationBootstrap();
  await jest.advanceTimersByTimeAsync(20_000);
  expect([counts.loads, counts.marks >= 4]).toEqual([1, true]);
  rows.push({ id: 'w', tenantId: 't', url: 'https://hooks.example/' });
  expect(tenants.has('t')).toBe(false);
  await jest.advanceTimersByTimeAsync(5_000);
  expect([tenants.has('t'), counts.loads]).toEqual([true, 2]);
  rows.pop();
  notices.emit('message', 'changes');
  await jest.advanceTimersByTimeAsync(1);
  expect([tenants.has('t'), counts.loads, counts.faults]).toEqual([false, 3, 0]);
  tenants.beforeApplicationShutdown();
});
