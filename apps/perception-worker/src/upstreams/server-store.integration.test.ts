// Approved servers in a real Postgres, and their notices over a real Redis.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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
  await database.mcpServer.deleteMany({ where: { name: { in: names } } });
  await database.$disconnect();
  await redis[Symbol.asyncDispose]();
});

function newName(): string {
  const name = `t${randomBytes(5).toString('hex')}`;
  names.push(name);
  return name;
}
const openStore = (own = sealer) => new ServerStore({ database, redis, keys, sealer: own });

describe('the store of servers', () => {
  const server = (name: string): Parameters<ServerStore['approve']>[0] => ({
    name,
    kind: 'rest',
    url: 'http://x',
    stdio: null,
    headers: null,
    timeoutMs: 1_000,
    cacheTtlSeconds: null,
    tools: [],
  });

  test('tells every process of an approval', async () => {
    await using subscriber = testRedis(namespace);
    const heard: string[] = [];
    subscriber.on('message', (_channel, message) => void heard.push(message));
    await subscriber.subscribe(keys.outsideChanges());
    const name = newName();
    await openStore().approve(server(name), 'admin');
    await eventually(() => heard.includes(name));
  });

  test('counts approvals, and gives the newest to whoever knows of it', async () => {
    const name = newName();
    const [one, other] = [openStore(), openStore()];
    expect(await one.approve(server(name), 'admin')).toBe(1);
    expect(await other.find(name, 1)).toMatchObject({ approval: 1 });
    expect(await one.approve({ ...server(name), url: 'http://y' }, 'admin')).toBe(2);
    expect(await other.find(name, 2)).toMatchObject({ approval: 2, url: 'http://y' });
    expect(await one.find(newName(), 0)).toBeNull();
  });

  test('does not suspend tools of an approval that came meanwhile', async () => {
    const name = newName();
    const servers = openStore();
    await servers.approve({ ...server(name), tools: [tool('a')] }, 'admin');
    const known = await servers.find(name, 1);
    if (!known) throw new Error('not there');
    await servers.approve({ ...server(name), tools: [tool('a')] }, 'admin');
    await servers.suspend(known, new Map([['a', { reason: 'changed' }]]));
    expect((await servers.find(name, 2))?.tools[0]?.suspended).toBeUndefined();
  });

  test('opens headers only for the server that they were sealed for', () => {
    const servers = openStore();
    const headers = sealer.sealText('{"a":"b"}', 'mcp-server mine');
    expect(servers.headersOf({ name: 'mine', headers })).toEqual({ a: 'b' });
    expect(() => servers.headersOf({ name: 'theirs', headers })).toThrow();
    expect(servers.headersOf({ name: 'mine', headers: null })).toEqual({});
  });

  describe('whose first sealing key is new', () => {
    const [older, newer] = ['older', 'newer'].map((id) => ({ id, key: randomBytes(32) }));
    if (!older || !newer) throw new Error('two keys are needed');
    const headersOf = async (name: string) => (await database.mcpServer.findUniqueOrThrow({ where: { name } })).headers;
    const sealedServer = (name: string, own: Sealer) => ({ ...server(name), headers: own.sealText('{"a":"b"}', `mcp-server ${name}`) });

    test('seals the headers of every server with it, once, and without a new approval', async () => {
      const [name, bare] = [newName(), newName()];
      await openStore().approve(sealedServer(name, new Sealer([older])), 'admin');
      await openStore().approve(server(bare), 'admin');
      const rotated = openStore(new Sealer([newer, older]));
      expect((await rotated.resealHeaders()).resealed).toContain(name);
      const headers = await headersOf(name);
      expect(openStore(new Sealer([newer])).headersOf({ name, headers })).toEqual({ a: 'b' });
      expect((await rotated.resealHeaders()).resealed).not.toContain(name);
      expect(await headersOf(name)).toBe(headers);
      expect(await rotated.find(name, 1)).toMatchObject({ approval: 1 });
      expect(await headersOf(bare)).toBeNull();
    });

    test('may do so from several processes at once', async () => {
      const name = newName();
      await openStore().approve(sealedServer(name, new Sealer([older])), 'admin');
      const stores = Array.from({ length: 4 }, () => openStore(new Sealer([newer, older])));
      const done = await Promise.all(stores.map((store) => store.resealHeaders()));
      expect(done.filter(({ resealed }) => resealed.includes(name))).toHaveLength(1);
      expect(openStore(new Sealer([newer])).headersOf({ name, headers: await headersOf(name) })).toEqual({ a: 'b' });
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
