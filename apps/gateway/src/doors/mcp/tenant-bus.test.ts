import { expect, test } from '@jest/globals';
import { TenantBus } from './tenant-bus.js';

const change = { kind: 'tools_list_changed' } as const;

test('a change of one tenant is heard by its listeners alone, one of all by everybody, also beside one that throws', async () => {
  const bus = new TenantBus();
  const heard: string[] = [];
  const listen = (tenant: string) =>
    bus.within({ tenantId: tenant, resources: null }, async () => {
      await Promise.resolve();
      return bus.subscribe(() => void heard.push(tenant));
    });
  const leave = await listen('acme');
  await listen('bolt');
  bus.subscribe(() => {
    throw new Error('gone');
  });
  bus.tell(new Set(['acme']), () => bus.publish(change));
  expect(heard).toEqual(['acme']);
  bus.publish(change);
  expect(heard).toEqual(['acme', 'acme', 'bolt']);
  leave();
  bus.tell(new Set(['acme', 'none']), () => bus.publish(change));
  expect(heard).toHaveLength(3);
});
