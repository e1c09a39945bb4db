import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { SeenDomain } from '#lib/transport';
import { HttpCaller, eventually, givenStores, startTimeoutMs, Tenant } from '#lib/testing';
import { Outbox } from '../../outbox/outbox.js';
import { WebhookTenants } from '../../outbox/webhook-tenants.js';
import { TestReceiver } from '../../webhooks/test-receiver.js';
import { makeWebhook, startHooking, webhookScopes, type Hooking } from '../../webhooks/test-webhooks.js';
import { AlertSweeper } from './alert-sweeper.js';
import { noFaults } from '../../test-log.js';

let gateway: Hooking;
let receiver: TestReceiver;
let tenant: Tenant;
let user: HttpCaller;

beforeAll(async () => {
  gateway = await startHooking();
  receiver = await TestReceiver.start();
  tenant = await Tenant.create(givenStores().databaseUrl);
  user = new HttpCaller(gateway.url, await tenant.key({ tier: 'vip', scopes: webhookScopes }));
  await makeWebhook(user, { url: receiver.url, events: ['tool.failing', 'domain.without_workers'] });
}, startTimeoutMs);

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await tenant?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

/** What looks at the stores of the gateway, at times of the test's own. */
function sweeper({ now = Date.now, unserved = async () => [], seen = async () => [] }: Partial<Seen> = {}): AlertSweeper {
  const { database, store, keys, settings } = gateway.stores;
  const stores = { database, store, keys, settings, servedDirectory: { seen }, log: noFaults };
  return new AlertSweeper(stores, gateway.app.get(Outbox), gateway.app.get(WebhookTenants), { unserved }, { now });
}

interface Seen {
  readonly now: () => number;
  readonly unserved: () => Promise<readonly string[]>;
  readonly seen: () => Promise<readonly SeenDomain[]>;
}

const call = async (order: string) => user.post('/tools/test_plain', { order });
const told = (type: string) => receiver.received.filter((one) => one.type === type);
const inHistory = async () => gateway.stores.database.callHistory.count({ where: { tenantId: tenant.id } });

describe('Webhooks are told', () => {
  test('once that a tool fails, and not of a few failures or of few calls', async () => {
    for (let n = 0; n < 8; n++) await call(`good ${n}`);
    await call('bad 0');
    await eventually(async () => (await inHistory()) === 9, { withinMs: 30_000 });
    await sweeper().sweep();
    await call('good 9');
    await eventually(async () => (await inHistory()) === 10, { withinMs: 30_000 });
    await sweeper().sweep();
    await Promise.all(Array.from({ length: 3 }, async (_, n) => call(`bad ${n + 1}`)));
    await eventually(async () => (await inHistory()) === 13, { withinMs: 30_000 });
    await Promise.all([sweeper().sweep(), sweeper().sweep()]);
    await sweeper().sweep();
    await eventually(() => told('tool.failing').length > 0, { withinMs: 30_000 });
    const [first, ...others] = told('tool.failing');
    expect(first?.data).toMatchObject({
      tool_name: 'test_plain',
      tenant_id: tenant.id,
      calls: 13,
      failed: 4,
      error_rate: 0.308,
      code: 'EXECUTION_ERROR',
    });
    expect(others).toEqual([]);
    // What ended long ago is no news.
    await sweeper({ now: () => Date.now() + 3_600_000 }).sweep();
  });

  test('that a domain has had no worker for a minute: of the product, or of their own tenant alone', async () => {
    let now = Date.now();
    let missing = ['unreal'];
    const own = { queue: 'own-x', tenant: tenant.id, domain: 'sales', at: now - 61_000 };
    const seen = async () => [own, { ...own, domain: 'fresh', at: now - 1_000 }, { ...own, tenant: 'other', domain: 'theirs' }];
    const looking = sweeper({ now: () => now, unserved: async () => missing, seen });
    await looking.sweep();
    missing = [];
    await looking.sweep();
    missing = ['unreal'];
    now += 59_000;
    await looking.sweep();
    await eventually(() => told('domain.without_workers').length > 0, { withinMs: 30_000 });
    expect(told('domain.without_workers').map(({ data }) => data['domain'])).toContain('sales');
    expect(told('domain.without_workers').map(({ data }) => data['domain'])).not.toContain('unreal');
    now += 60_000;
    await looking.sweep();
    await eventually(() => told('domain.without_workers').some(({ data }) => data['domain'] === 'unreal'), { withinMs: 30_000 });
    expect(told('domain.without_workers').filter(({ data }) => data['domain'] === 'theirs')).toEqual([]);
  });
});
