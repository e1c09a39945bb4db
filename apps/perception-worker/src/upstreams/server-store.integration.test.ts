// Approved servers in a real Postgres, and their notices over a real Redis.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { outsideServer, sealedHeadersPurpose } from '#lib/contracts';
import { createDatabase, type Database } from '#lib/platform';
import { eventually, givenStores, newNamespace, testRedis } from '#lib/testing';
import { RedisKeys, Sealer } from '#lib/transport';
import { ServerStore } from './server-store.js';

const namespace = newNamespace();
const keys = new RedisKeys(namespace);
const sealer = new Sealer([{ id: 'k1', key: randomBytes(32) }]);
const names: string[] = [];
const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });

let database: Database;
let redis: ReturnType<typeof testRedis>;

beforeAll(() => {
  database = createDatabase({ url: givenStores().databaseUrl, poolSize: 3, name: 'server-store-test' });
  redis = testRedis(namespace);
});
afterAll(async () => {
  await database.mcpServer.deleteMany({ where: { OR: names.map((name) => ({ id: { endsWith: name } })) } });
  await database.$disconnect();
  await redis[Symbol.asyncDispose]();
});

function newName(): string {
  const name = `t${randomBytes(5).toString('hex')}`;
  names.push(name);
  return name;
}
const forAll = (name: string) => ({ tenantId: null, name });
const openStore = (own = sealer) => new ServerStore({ database, redis, keys, sealer: own });

describe('the store of servers', () => {
  const server = (name: string): Parameters<ServerStore['approve']>[0] => ({
    tenantId: null,
    name,
    kind: 'rest',
    url: 'http://x',
    stdio: null,
    headers: null,
    openapi: null,
    connection: null,
    mayAsk: [],
    apps: { domains: [], permissions: [] },
    timeoutMs: 1_000,
    cacheTtlSeconds: null,
    tools: [],
    rejected: [],
  });

  test('tells every process of an approval', async () => {
    await using subscriber = testRedis(namespace);
    const heard: string[] = [];
    subscriber.on('message', (_channel, message) => void heard.push(message));
    await subscriber.subscribe(keys.changesOf('outside'));
    const name = newName();
    await openStore().approve(server(name), 'admin');
    await eventually(() => heard.includes(name));
  });

  test('keeps the order of parameters, also over a suspension', async () => {
    const name = newName();
    const properties = { query: {}, zone: {}, a: {}, quite_a_long_name: {} };
    const store = openStore();
    await store.approve({ ...server(name), tools: [{ ...tool('find'), inputSchema: { type: 'object', properties } }] }, 'admin');
    const order = async () => {
      const found = await openStore().find(forAll(name), 1);
      return Object.keys(found?.tools[0]?.inputSchema.properties ?? {});
    };
    expect(await order()).toEqual(Object.keys(properties));
    const found = await store.find(forAll(name), 1);
    if (found) await store.suspend(found, new Map([['find', { reason: 'changed', offered: tool('find') }]]));
    expect(await order()).toEqual(Object.keys(properties));
  });

  test('counts approvals, and gives the newest to whoever knows of it', async () => {
    const name = newName();
    const [one, other] = [openStore(), openStore()];
    expect(await one.approve(server(name), 'admin')).toBe(1);
    expect(await other.find(forAll(name), 1)).toMatchObject({ approval: 1 });
    expect(await one.approve({ ...server(name), url: 'http://y' }, 'admin')).toBe(2);
    expect(await other.find(forAll(name), 2)).toMatchObject({ approval: 2, url: 'http://y' });
    expect(await one.find(forAll(newName()), 0)).toBeNull();
  });

  test('keeps the servers of each tenant apart that have one name: neither finds, renews, suspends nor counts the other', async () => {
    const name = newName();
    const servers = openStore();
    const [acme, bolt] = ['acme', 'bolt'].map((tenantId) => ({ ...server(name), tenantId, tools: [tool('a')] }));
    if (!acme || !bolt) throw new Error('two are needed');
    expect(await servers.approve({ ...acme, url: 'http://acme' }, 'admin')).toBe(1);
    expect(await servers.approve({ ...acme, url: 'http://acme' }, 'admin')).toBe(2);
    expect(await servers.find({ tenantId: 'bolt', name }, 1)).toBeNull();
    expect(await servers.isForAll(name)).toBe(false);
    expect(await servers.approve({ ...bolt, url: 'http://bolt' }, 'admin')).toBe(1);
    const found = await servers.find({ tenantId: 'bolt', name }, 1);
    if (!found) throw new Error('not there');
    await servers.suspend(found, new Map([['a', { reason: 'changed' }]]));
    expect(await servers.find({ tenantId: 'acme', name }, 2)).toMatchObject({ url: 'http://acme', tools: [{ name: 'a' }] });
    expect((await servers.find({ tenantId: 'acme', name }, 2))?.tools[0]?.suspended).toBeUndefined();
    expect(await servers.find(forAll(name), 1)).toBeNull();
  });

  test('bounds the servers of a tenant, in number and in size, however many are registered at once, and another has all its room', async () => {
    const tenantId = newName();
    const own = (name: string, tools: object[] = []) => ({ ...server(name), tenantId, tools }) as Parameters<ServerStore['approve']>[0];
    const [one, other] = [openStore(), openStore()];
    const tried = await Promise.allSettled(
      Array.from({ length: 54 }, (_, index) => (index % 2 ? one : other).approve(own(newName()), 'admin')),
    );
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
    expect(tried.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { name: 'TenantIsFull' } });
    const [first] = await database.mcpServer.findMany({ where: { tenantId } });
    const { name } = outsideServer.parse(first);
    expect(await openStore().approve(own(name), 'admin')).toBe(2);
    const large = Array.from({ length: 9 }, (_, index) => ({ ...tool(`t${index}`), description: 'x'.repeat(1024 * 1024) }));
    await expect(openStore().approve(own(name, large), 'admin')).rejects.toThrow(/8388608 is the most/);
    expect(await openStore().approve({ ...server(name), tenantId: newName() }, 'admin')).toBe(1);
  }, 30_000);

  test('does not suspend tools of an approval that came meanwhile', async () => {
    const name = newName();
    const servers = openStore();
    await servers.approve({ ...server(name), tools: [tool('a')] }, 'admin');
    const known = await servers.find(forAll(name), 1);
    if (!known) throw new Error('not there');
    await servers.approve({ ...server(name), tools: [tool('a')] }, 'admin');
    await servers.suspend(known, new Map([['a', { reason: 'changed' }]]));
    expect((await servers.find(forAll(name), 2))?.tools[0]?.suspended).toBeUndefined();
  });

  test('opens headers only for the server that they were sealed for', () => {
    const servers = openStore();
    const headers = sealer.sealText('{"a":"b"}', 'mcp-server mine');
    expect(servers.headersOf({ ...forAll('mine'), headers })).toEqual({ a: 'b' });
    expect(() => servers.headersOf({ ...forAll('theirs'), headers })).toThrow();
    expect(servers.headersOf({ ...forAll('mine'), headers: null })).toEqual({});
    expect(() => servers.headersOf({ tenantId: 'acme', name: 'mine', headers })).toThrow();
    const own = sealer.sealText('{"a":"c"}', sealedHeadersPurpose({ tenantId: 'acme', name: 'mine' }));
    expect(servers.headersOf({ tenantId: 'acme', name: 'mine', headers: own })).toEqual({ a: 'c' });
    for (const tenantId of ['bolt', 'acm', null]) expect(() => servers.headersOf({ tenantId, name: 'mine', headers: own })).toThrow();
  });

  describe('whose first sealing key is new', () => {
    const [older, newer] = ['older', 'newer'].map((id) => ({ id, key: randomBytes(32) }));
    if (!older || !newer) throw new Error('two keys are needed');
    const headersOf = async (name: string) => (await database.mcpServer.findUniqueOrThrow({ where: { id: name } })).headers;
    const sealedServer = (name: string, own: Sealer) => ({ ...server(name), headers: own.sealText('{"a":"b"}', `mcp-server ${name}`) });

    test('seals the headers of every server with it, once, and without a new approval', async () => {
      const [name, bare] = [newName(), newName()];
      await openStore().approve(sealedServer(name, new Sealer([older])), 'admin');
      await openStore().approve(server(bare), 'admin');
      const rotated = openStore(new Sealer([newer, older]));
      expect((await rotated.resealHeaders()).resealed).toContain(name);
      const headers = await headersOf(name);
      expect(openStore(new Sealer([newer])).headersOf({ ...forAll(name), headers })).toEqual({ a: 'b' });
      expect((await rotated.resealHeaders()).resealed).not.toContain(name);
      expect(await headersOf(name)).toBe(headers);
      expect(await rotated.find(forAll(name), 1)).toMatchObject({ approval: 1 });
      expect(await headersOf(bare)).toBeNull();
    });

    test('may do so from several processes at once', async () => {
      const name = newName();
      await openStore().approve(sealedServer(name, new Sealer([older])), 'admin');
      const stores = Array.from({ length: 4 }, () => openStore(new Sealer([newer, older])));
      const done = await Promise.all(stores.map((store) => store.resealHeaders()));
      expect(done.filter(({ resealed }) => resealed.includes(name))).toHaveLength(1);
      expect(openStore(new Sealer([newer])).headersOf({ ...forAll(name), headers: await headersOf(name) })).toEqual({ a: 'b' });
    });

    test('names those that no key opens, and leaves them as they are', async () => {
      const name = newName();
      const lost = sealedServer(name, new Sealer([{ id: 'lost', key: randomBytes(32) }]));
      await openStore().approve(lost, 'admin');
      expect((await openStore(new Sealer([newer, older])).resealHeaders()).unreadable).toContain(name);
      expect(await headersOf(name)).toBe(lost.headers);
    });
  });
});

test('a server that announces changes all the time is told of now and then, and its last change is not lost', async () => {
  const store = openStore();
  const [flooding, calm] = [newName(), newName()];
  const listener = redis.duplicate();
  const heard: string[] = [];
  listener.on('message', (_channel, notice) => void heard.push(notice));
  await listener.subscribe(keys.changesOf('outside'));
  try {
    const flood = setInterval(() => store.offersChanged(forAll(flooding)), 5);
    store.offersChanged(forAll(calm));
    await eventually(() => heard.length >= 2);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(heard.toSorted()).toEqual([`offers ${calm}`, `offers ${flooding}`].toSorted());
    clearInterval(flood);
    await eventually(() => heard.filter((notice) => notice.endsWith(flooding)).length === 2);
  } finally {
    listener.disconnect();
  }
});
