import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { collectionList, usageSchema, workspaceList } from '#lib/contracts';
import { eventually, givenStores, HttpCaller, startTimeoutMs, Tenant } from '#lib/testing';
import { startTestGateway, type TestGateway } from '../test-gateway.js';

let gateway: TestGateway;
let others: Tenant;
let user: HttpCaller;
let neighbour: HttpCaller;
let stranger: HttpCaller;
const documents = ['a', 'b'];

beforeAll(async () => {
  gateway = await startTestGateway({ handler: () => ({ ok: true, data: { made: 'x' } }) });
  others = await Tenant.create(givenStores().databaseUrl);
  [user, neighbour] = [await gateway.caller(), await gateway.caller({ userId: 'user_other' })];
  stranger = new HttpCaller(gateway.url, await others.key());
}, startTimeoutMs);

afterAll(async () => {
  const { database } = gateway.stores;
  await database.knowledgeCollection.deleteMany({ where: { tenantId: gateway.tenant.id } });
  await database.memotreeWorkspace.deleteMany({ where: { tenantId: gateway.tenant.id } });
  await gateway?.[Symbol.asyncDispose]();
  await others?.[Symbol.asyncDispose]();
});

describe('Collections', () => {
  const list = async (caller: HttpCaller) => (await caller.get('/knowledge/collections')).as(collectionList).collections;

  test('are those of the tenant and the shared ones, with what is in them', async () => {
    const { database } = gateway.stores;
    const { id } = await database.knowledgeCollection.create({
      data: {
        tenantId: gateway.tenant.id,
        name: 'handbook',
        documents: {
          create: documents.map((path) => ({
            path,
            title: path,
            type: 'internal',
            tags: [],
            content: path,
            hash: path,
            lastUpdated: new Date(),
          })),
        },
      },
    });
    await database.retrievalSpace.create({ data: { name: `knowledge:${id}`, units: 7 } });
    await database.knowledgeCollection.create({ data: { tenantId: gateway.tenant.id, name: 'nothing yet' } });
    const mine = (await list(user)).filter(({ is_shared }) => !is_shared);
    expect(mine).toEqual([
      { name: 'handbook', is_shared: false, documents: 2, sections: 7, last_import_at: expect.any(String) },
      { name: 'nothing yet', is_shared: false, documents: 0, sections: 0, last_import_at: null },
    ]);
    expect((await list(stranger)).filter(({ is_shared }) => !is_shared)).toEqual([]);
    await database.retrievalSpace.deleteMany({ where: { name: `knowledge:${id}` } });
  });
});

describe('Workspaces', () => {
  const list = async (caller: HttpCaller) => (await caller.get('/memotree/workspaces')).as(workspaceList).workspaces;

  test('are the own one, before it exists too, and those that the tenant shares', async () => {
    const { database } = gateway.stores;
    expect(await list(user)).toEqual([{ name: '~user_001', is_own: true, created_at: null, branches: 0, staged: [] }]);
    for (const name of ['~user_001', '~user_other', 'team']) {
      const { id } = await database.memotreeWorkspace.create({ data: { tenantId: gateway.tenant.id, name } });
      await database.memotreeLayer.create({ data: { workspaceId: id, parentSeq: 0, name: 'main' } });
    }
    const shown = ({ name, is_own, branches }: Awaited<ReturnType<typeof list>>[number]) => [name, is_own, branches];
    expect((await list(user)).map(shown)).toEqual([
      ['~user_001', true, 1],
      ['team', false, 1],
    ]);
    expect((await list(neighbour)).map(shown)).toEqual([
      ['~user_other', true, 1],
      ['team', false, 1],
    ]);
    expect((await list(stranger)).map(shown)).toEqual([['~user_001', true, 0]]);
  });

  test('tell which sessions of the caller have staged changes, and nothing of those of others', async () => {
    const { database } = gateway.stores;
    const { id: workspaceId } = await database.memotreeWorkspace.create({ data: { tenantId: gateway.tenant.id, name: 'plans' } });
    const { id: branchId } = await database.memotreeLayer.create({ data: { workspaceId, parentSeq: 0, name: 'main' } });
    const stage = async (principal: string, key: string, nodes: readonly string[]) => {
      const { id: sessionId } = await database.memotreeSession.create({ data: { workspaceId, principal, key, branchId } });
      const { id: layerId } = await database.memotreeLayer.create({ data: { workspaceId, parentSeq: 0, parentId: branchId, sessionId } });
      const state = {
        position: 'a',
        type: 'Concept',
        title: 'x',
        detailHash: 'x',
        detailChars: 1,
        detailTokens: 1,
        relations: [],
      } as const;
      for (const nodeId of nodes)
        await database.memotreeVersion.create({ data: { ...state, layerId, nodeId, seq: 0, untilSeq: 2_147_483_647, stateHash: 'x' } });
    };
    await stage('user_001', '', ['a', 'b']);
    await stage('user_001', 'phone', ['a']);
    await stage('user_001', 'nothing left', []);
    await stage('user_other', 'theirs', ['a']);
    const staged = async (caller: HttpCaller) => (await list(caller)).find(({ name }) => name === 'plans')?.staged;
    expect(await staged(user)).toEqual([
      { session: '', branch: 'main', changes: 2 },
      { session: 'phone', branch: 'main', changes: 1 },
    ]);
    expect(await staged(neighbour)).toEqual([{ session: 'theirs', branch: 'main', changes: 1 }]);
    expect(await staged(stranger)).toBeUndefined();
  });
});

test('usage is what has ended; what the limits have counted beside it is reserved', async () => {
  const before = (await user.get('/usage')).as(usageSchema);
  expect(before).toMatchObject({ tenant_id: gateway.tenant.id, user_id: 'user_001', tier: 'pro', rate_limit: 5_000 });
  expect(before.calls).toMatchObject({ limit: 5_000_000, resets_at: expect.stringMatching(/T00:00:00\.000Z$/) });
  expect(before.calls.days).toHaveLength(7);
  const used = before.calls.days[0]?.used ?? 0;
  await user.call('test_plain', { order: 'counted' });
  // A gateway counts some calls ahead. They are no calls.
  const today = async () => (await user.get('/usage')).as(usageSchema).calls.days[0];
  const after = await eventually(async () => await today().then((day) => (day && day.used > used ? day : undefined)));
  expect(after).toMatchObject({ used: used + 1, reserved: expect.any(Number) });
  expect((await stranger.get('/usage')).as(usageSchema).calls.days[0]?.used).toBe(0);
});

test.each(['/knowledge/collections', '/memotree/workspaces'])('%s needs the scope to read', async (path) => {
  expect((await (await gateway.caller({ scopes: ['tools:write'] })).get(path)).status).toBe(403);
});
