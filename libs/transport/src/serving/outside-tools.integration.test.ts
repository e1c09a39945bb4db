import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals';
import { Catalog, type OutsideServer } from '#lib/contracts';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { OutsideTools } from './outside-tools.js';
import { RedisKeys } from '../redis/redis-keys.js';
import { subscriberConnection } from '../redis/connections.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const keys = new RedisKeys(namespace);
const running: Disposable[] = [];

afterEach(() => {
  for (const one of running.splice(0)) one[Symbol.dispose]();
});
afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

type Tool = OutsideServer['tools'][number];
const toolNamed = (name: string): Tool => ({
  name,
  title: name,
  description: 'Says what it is asked.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  annotations: { readOnlyHint: true },
});
const serverWith = (...tools: string[]) => ownWith(null, ...tools);
const ownWith = (tenantId: string | null, ...tools: string[]) => ({
  id: tenantId === null ? 'echo' : `${tenantId}/echo`,
  tenantId,
  kind: 'mcp',
  url: 'http://127.0.0.1:1/mcp',
  stdio: null,
  headers: null,
  approval: 1,
  timeoutMs: 5_000,
  cacheTtlSeconds: null,
  tools: tools.map(toolNamed),
  rejected: [],
});

/** The outside tools of one process. What is stored can be changed, and reading it can be made to fail. */
async function started(...stored: unknown[]) {
  const subscriber = subscriberConnection({ REDIS_URL: process.env['REDIS_URL'] ?? '' });
  const store = { rows: stored, load: jest.fn(async () => store.rows) };
  const faults: unknown[] = [];
  const catalog = new Catalog([]);
  const tools = new OutsideTools({
    keys,
    subscriber,
    load: () => store.load(),
    catalog,
    retryBaseMs: 2_000,
    onFault: (fault) => faults.push(fault),
  });
  running.push({
    [Symbol.dispose]: () => {
      tools.stop();
      subscriber.disconnect();
    },
  });
  await tools.start();
  return { tools, store, faults, catalog, names: (tenant = 'any') => catalog.seenBy(tenant).tools.map(({ name }) => name) };
}

describe('the tools of outside servers', () => {
  test('are in the catalog once the process has started', async () => {
    const { names } = await started(serverWith('say', 'sing'));
    expect(names()).toEqual(['echo__say', 'echo__sing']);
  });

  test('change in every process when one of them says so', async () => {
    const [one, other] = [await started(serverWith('say')), await started(serverWith('say'))];
    for (const { store } of [one, other]) store.rows = [serverWith('say', 'sing')];
    await redis.publish(keys.changesOf('outside'), 'echo');
    await eventually(() => one.names().length === 2 && other.names().length === 2);
  });

  test('go when their server is removed', async () => {
    const { tools, store, names } = await started(serverWith('say'));
    store.rows = [];
    await tools.refresh();
    expect(names()).toEqual([]);
  });

  test('are said to be read after the first read that succeeds, even of none', async () => {
    const { tools, store } = await started('no row');
    expect(tools.isRead).toBe(false);
    store.rows = [];
    await tools.refresh();
    expect(tools.isRead).toBe(true);
    store.load.mockRejectedValueOnce(new Error('The database is away'));
    await tools.refresh();
    expect(tools.isRead).toBe(true);
  });

  test('are served as they were last known while the store is away', async () => {
    const { tools, store, faults, names } = await started(serverWith('say'));
    store.load.mockRejectedValueOnce(new Error('The database is away'));
    await tools.refresh();
    expect(names()).toEqual(['echo__say']);
    expect(faults).toEqual([new Error('The database is away')]);
  });

  test('stay as they are when a stored row cannot be read', async () => {
    const { tools, store, faults, names } = await started(serverWith('say'));
    store.rows = [{ id: 'echo' }];
    await tools.refresh();
    expect(names()).toEqual(['echo__say']);
    expect(faults).toHaveLength(1);
  });
});

describe('the tools of a tenant', () => {
  test('are its own: another tenant sees none of them, and its own under the same names', async () => {
    const { catalog, names } = await started(ownWith('acme', 'say'), ownWith('bolt', 'say', 'sing'));
    expect([names('acme'), names('bolt'), names('other')]).toEqual([['echo__say'], ['echo__say', 'echo__sing'], []]);
    expect(catalog.seenBy('acme').find('echo__say')?.upstream?.tenant).toBe('acme');
    expect(catalog.seenBy('bolt').find('echo__say')?.upstream?.tenant).toBe('bolt');
    expect(catalog.tools).toEqual([]);
  });

  test('hide a server for all with the same name, whole', async () => {
    const { names } = await started(serverWith('say', 'shout'), ownWith('acme', 'say'));
    expect([names('acme'), names('other')]).toEqual([['echo__say'], ['echo__say', 'echo__shout']]);
  });

  test('change, and go, without a change of what others see: their catalogs are the same objects', async () => {
    const { tools, store, catalog, names } = await started(ownWith('acme', 'say'), ownWith('bolt', 'say'));
    const before = catalog.seenBy('bolt');
    store.rows = [ownWith('acme', 'say', 'sing'), ownWith('bolt', 'say')];
    await tools.refresh();
    expect(names('acme')).toEqual(['echo__say', 'echo__sing']);
    store.rows = [ownWith('bolt', 'say')];
    await tools.refresh();
    expect(names('acme')).toEqual([]);
    expect(catalog.seenBy('bolt')).toBe(before);
    expect(catalog.seenBy('other')).toBe(catalog);
  });

  test('follow their rows while a row of another tenant cannot be read', async () => {
    const { tools, store, faults, names } = await started(ownWith('acme', 'say'), ownWith('bolt', 'say'));
    store.rows = [{ id: 'acme/echo' }, ownWith('bolt', 'say', 'sing')];
    await tools.refresh();
    expect([names('acme'), names('bolt')]).toEqual([['echo__say'], ['echo__say', 'echo__sing']]);
    expect(faults).toHaveLength(1);
  });
});

describe('listeners', () => {
  test('hear of a change, and not of a read that found the same', async () => {
    const { tools, store } = await started(serverWith('say'));
    let changes = 0;
    tools.onChange(() => changes++);
    await tools.refresh();
    expect(changes).toBe(0);
    store.rows = [serverWith('sing')];
    await tools.refresh();
    expect(changes).toBe(1);
  });
});

describe('reading', () => {
  test('is done once for all who ask while it has not begun', async () => {
    const { tools, store } = await started();
    store.load.mockClear();
    await Promise.all(Array.from({ length: 10 }, () => tools.refresh()));
    expect(store.load.mock.calls.length).toBeLessThanOrEqual(2);
  });

  test('is done again for one who asks while it runs, who may know of more', async () => {
    const { tools, store, names } = await started();
    const slow = Promise.withResolvers<unknown[]>();
    store.load.mockReturnValueOnce(slow.promise);
    const first = tools.refresh();
    await eventually(() => store.load.mock.calls.length === 2);
    store.rows = [serverWith('say')];
    const second = tools.refresh();
    slow.resolve([]);
    await Promise.all([first, second]);
    expect(names()).toEqual(['echo__say']);
  });
});
