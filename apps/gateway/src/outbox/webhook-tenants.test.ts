import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { WebhookPlace } from './webhook-places.js';
import { WebhookTenants } from './webhook-tenants.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** @param rows what the store has */
function directory(rows: WebhookPlace[], subscribe: () => Promise<unknown> = async () => 1) {
  const read: (readonly string[])[] = [];
  const faults: unknown[] = [];
  const notices = new EventEmitter();
  const tenants = new WebhookTenants(
    {
      redis: { publish: async () => 1 },
      subscriber: Object.assign(notices, { subscribe }),
      keys: { changesOf: () => 'changes' },
      log: { warn: (fault: unknown) => void faults.push(fault) },
    },
    {
      marks: async () =>
        [...Map.groupBy(rows, ({ tenantId }) => tenantId)].map(([tenantId, own]) => ({ tenantId, mark: JSON.stringify(own) })),
      ofTenants: async (ids) => {
        read.push(ids);
        return rows.filter(({ tenantId }) => ids.includes(tenantId));
      },
    },
  );
  return { tenants, read, faults, notices };
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
  await tenants.beforeApplicationShutdown();
});

test('The rows of a tenant are read again when they have changed, and not otherwise', async () => {
  const rows: WebhookPlace[] = [{ id: 'v', tenantId: 'u', url: 'https://hooks.example/' }];
  const { tenants, read, faults, notices } = directory(rows);
  await tenants.onApplicationBootstrap();
  await jest.advanceTimersByTimeAsync(20_000);
  expect(read.filter((ids) => ids.length > 0)).toEqual([['u']]);
  rows.push({ id: 'w', tenantId: 't', url: 'https://hooks.example/' });
  expect(tenants.has('t')).toBe(false);
  await jest.advanceTimersByTimeAsync(5_000);
  expect([tenants.has('t'), read.filter((ids) => ids.length > 0)]).toEqual([true, [['u'], ['t']]]);
  rows.pop();
  notices.emit('message', 'changes', '');
  await jest.advanceTimersByTimeAsync(1);
  expect([tenants.has('t'), tenants.tenants, faults]).toEqual([false, ['u'], []]);
  await tenants.beforeApplicationShutdown();
});

test('A start does not wait for a Redis that is away', async () => {
  const { tenants } = directory([{ id: 'w', tenantId: 't', url: 'https://hooks.example/' }], () => new Promise(() => undefined));
  await tenants.onApplicationBootstrap();
  expect(tenants.has('t')).toBe(true);
  await tenants.beforeApplicationShutdown();
});
