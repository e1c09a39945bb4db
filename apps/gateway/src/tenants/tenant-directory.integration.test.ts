// A directory of rows of tenants, in several gateways: each with a Redis connection of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { RedisKeys } from '#lib/transport';
import { newNamespace, testRedis } from '#lib/testing';
import { TenantDirectory } from './tenant-directory.js';

interface Row {
  readonly tenantId: string;
  readonly name: string;
}

const namespace = newNamespace();
const keys = new RedisKeys(namespace);
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A gateway whose reads of the rows take so long; null where the store is away. */
async function gateway(rows: readonly Row[], readMs: () => number | null = () => 0) {
  const [redis, subscriber] = [testRedis(namespace), testRedis(namespace)];
  const faults: unknown[] = [];
  const directory = new TenantDirectory<Row, string>(
    { redis, subscriber, keys, log: { warn: (fault: unknown) => void faults.push(fault) } },
    {
      notice: 'policy',
      what: 'policies',
      event: 'policies-fault',
      ready: ({ name }) => name,
      store: {
        marks: async () => {
          const ms = readMs();
          if (ms === null) throw new Error('Postgres is away');
          await sleep(ms);
          return [...new Set(rows.map(({ tenantId }) => tenantId))].map((tenantId) => ({ tenantId, mark: String(rows.length) }));
        },
        ofTenants: async (tenants) => rows.filter(({ tenantId }) => tenants.includes(tenantId)),
      },
    },
  );
  await directory.onApplicationBootstrap();
  await subscriber.ping();
  ends.push(async () => {
    await directory.beforeApplicationShutdown();
    redis.disconnect();
    subscriber.disconnect();
  });
  return { directory, faults };
}

test('A change is known to every gateway once it is answered', async () => {
  const rows: Row[] = [];
  const [here, there, slow] = [await gateway(rows), await gateway(rows), await gateway(rows, () => 200)];
  for (const name of ['one', 'two', 'three']) {
    rows.push({ tenantId: 't', name });
    await here.directory.changed();
    const names = rows.map((row) => row.name);
    expect([here, there, slow].map(({ directory }) => directory.of('t'))).toEqual([names, names, names]);
  }
});

test('Changes at the same time, by several gateways, are known to all', async () => {
  const rows: Row[] = [];
  const all = [await gateway(rows, () => 20), await gateway(rows, () => 50), await gateway(rows)];
  await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const name = `row ${n}`;
      rows.push({ tenantId: 't', name });
      await all[n % 3]?.directory.changed();
      for (const { directory } of all) expect(directory.of('t')).toContain(name);
    }),
  );
});

test('One that does not say so holds a change up for a second, and learns it later', async () => {
  const rows: Row[] = [];
  let isAway = false;
  const [here, there] = [await gateway(rows), await gateway(rows, () => (isAway ? null : 0))];
  isAway = true;
  rows.push({ tenantId: 't', name: 'one' });
  const began = performance.now();
  await here.directory.changed();
  expect(performance.now() - began).toBeGreaterThan(900);
  expect([here.directory.of('t'), there.directory.of('t')]).toEqual([['one'], []]);
  expect(there.faults).not.toEqual([]);
  isAway = false;
  rows.push({ tenantId: 't', name: 'two' });
  await here.directory.changed();
  expect(there.directory.of('t')).toEqual(['one', 'two']);
});
