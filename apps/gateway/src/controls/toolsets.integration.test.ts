import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { auditPage, toolset, toolsetList, toolsetPreview, userScopes, type Outcome } from '#lib/contracts';
import { eventually, givenStores, HttpCaller, newNamespace, startTimeoutMs, Tenant, type Reply } from '#lib/testing';
import { mostToolsets } from '../rules/toolset-store.js';
import { startTestGateway, type TestGateway } from '../test-gateway.js';

let gateway: TestGateway;
let other: TestGateway;
const ran: string[] = [];
const tenants: Tenant[] = [];

beforeAll(async () => {
  const namespace = newNamespace();
  const settings = { SEALING_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}` };
  gateway = await startTestGateway({
    namespace,
    settings,
    handler: ({ head }): Outcome => {
      ran.push(head.tool);
      return { ok: true, data: { made: 'yes' } };
    },
  });
  other = await startTestGateway({ namespace, settings, handler: null });
}, startTimeoutMs);

afterAll(async () => {
  for (const one of tenants) await one[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

async function tenant() {
  const made = await Tenant.create(givenStores().databaseUrl);
  tenants.push(made);
  const [admin, user] = [
    new HttpCaller(gateway.url, await made.key({ userId: null, tier: 'vip', scopes: ['tenant:admin', ...userScopes] })),
    new HttpCaller(gateway.url, await made.key({ scopes: userScopes })),
  ];
  return { id: made.id, admin, user };
}

const put = async (by: HttpCaller, name: string, json: object) => by.request(`/toolsets/${name}`, { method: 'PUT', json });
const namesIn = (reply: Reply) =>
  reply.as(z.looseObject({ tools: z.array(z.looseObject({ name: z.string() })) })).tools.map(({ name }) => name);
const errorOf = (reply: Reply) =>
  reply.as(z.looseObject({ error: z.looseObject({ code: z.string(), message: z.string(), details: z.array(z.unknown()).optional() }) }))
    .error;
const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const listed = async (by: HttpCaller, path: string) => {
  const { result } = (await by.post(path, rpc('tools/list'))).as(
    z.looseObject({ result: z.looseObject({ tools: z.array(z.looseObject({ name: z.string() })) }) }),
  );
  return result.tools.map(({ name }) => name);
};
const body = { order: 'x' };
const shop = { tools: ['test_plain', 'calc_metrics'], rename: { test_plain: 'order' }, prefix: 'shop_' };
const names = ['shop_calc_metrics', 'shop_order'];

async function bound(admin: HttpCaller, id: string, json: object = {}): Promise<HttpCaller> {
  const made = await admin.post('/keys', { tenant_id: id, tier: 'free', scopes: userScopes, toolset: 'shop', user_id: 'anna', ...json });
  return new HttpCaller(gateway.url, made.as(z.looseObject({ key: z.string() })).key);
}

describe('A set of tools', () => {
  test('is seen and called under its names, where it is asked for, at every gateway', async () => {
    const { admin, user } = await tenant();
    const made = await put(admin, 'shop', shop);
    expect([made.status, made.headers.get('location')]).toEqual([201, '/toolsets/shop']);
    expect(made.as(toolset)).toMatchObject({ name: 'shop', ...shop, read_only: false, offers: 2, problems: [] });
    for (const format of ['native', 'mcp']) expect(namesIn(await user.get(`/tools?set=shop&format=${format}`))).toEqual(names);
    expect(namesIn(await user.get('/tools'))).toContain('test_plain');
    expect(await listed(user, '/mcp?set=shop')).toEqual(names);
    expect((await user.get('/tools/shop_order?set=shop')).as(z.looseObject({ name: z.string() })).name).toBe('shop_order');
    expect((await user.post('/tools/shop_order?set=shop', body)).status).toBe(200);
    expect((await user.post('/tools/shop_order', body)).status).toBe(404);
    expect((await user.post('/mcp?set=shop', rpc('tools/call', { name: 'shop_order', arguments: body }))).text).toContain('"made":"yes"');
    expect((await user.post('/mcp?set=shop', rpc('tools/call', { name: 'get_weather', arguments: {} }))).text).toContain('not found');
    expect(ran.slice(-2)).toEqual(['test_plain', 'test_plain']);
    await eventually(async () => (await user.at(other.url).get('/tools?set=shop')).status === 200);
    const changed = await put(admin, 'shop', { tools: ['calc_metrics'] });
    expect(changed.status).toBe(200);
    expect(namesIn(await user.get('/tools?set=shop'))).toEqual(['calc_metrics']);
    await eventually(async () => namesIn(await user.at(other.url).get('/tools?set=shop')).length === 1);
    expect((await admin.request('/toolsets/shop', { method: 'DELETE' })).status).toBe(200);
    expect([(await user.get('/tools?set=shop')).status, (await admin.get('/toolsets/shop')).status]).toEqual([404, 404]);
  });

  test('is a view and no right: what a caller lacks it lacks within it', async () => {
    const { admin, id } = await tenant();
    await put(admin, 'shop', { tools: ['create_node'], rename: { create_node: 'note' } });
    const reader = await bound(admin, id, { scopes: ['tools:read'] });
    expect((await reader.post('/tools/note', { title: 'x', content: 'y' })).status).toBe(403);
  });

  test('of another tenant is none', async () => {
    const [{ admin }, { user, admin: stranger }] = [await tenant(), await tenant()];
    await put(admin, 'mine', shop);
    expect((await user.get('/tools?set=mine')).status).toBe(404);
    expect((await user.post('/mcp?set=mine', rpc('tools/list'))).status).toBe(404);
    expect((await stranger.get('/toolsets/mine')).status).toBe(404);
    expect((await stranger.request('/toolsets/mine', { method: 'DELETE' })).status).toBe(404);
    expect((await stranger.get('/toolsets')).as(toolsetList).toolsets).toEqual([]);
  });

  test('is made by administrators, and changes are in the audit', async () => {
    const { admin, user } = await tenant();
    for (const refused of [await put(user, 'shop', shop), await user.get('/toolsets'), await user.post('/toolsets/preview', shop)])
      expect(refused.status).toBe(403);
    await put(admin, 'shop', shop);
    await put(admin, 'shop', shop);
    await put(admin, 'shop', { ...shop, read_only: true });
    await admin.request('/toolsets/shop', { method: 'DELETE' });
    const { events } = (await admin.get('/audit?scope=tenant')).as(auditPage);
    expect(events.map(({ action }) => action).filter((action) => action.startsWith('toolset'))).toEqual([
      'toolset.delete',
      'toolset.update',
      'toolset.insert',
    ]);
  });

  test.each([
    ['no tools', { tools: [] }, 'tools'],
    ['a tool that there is not', { tools: ['get_wether'] }, 'tools.0'],
    ['a name of no tool in it', { tools: ['test_plain'], rename: { get_weather: 'x' } }, 'rename.get_weather'],
    ['an illegal name', { tools: ['test_plain'], rename: { test_plain: 'a b' } }, 'rename.test_plain'],
    ['two of one name', { tools: ['test_plain', 'get_weather'], rename: { test_plain: 'x', get_weather: 'X' } }, 'rename.get_weather'],
    ["another's name", { tools: ['test_plain', 'get_weather'], rename: { test_plain: 'get_weather' } }, 'rename.test_plain'],
    [
      'a prefix that makes names too long',
      { tools: ['express_dashboard_login_link'], prefix: `${'p'.repeat(32)}`, rename: { express_dashboard_login_link: 'x'.repeat(40) } },
      'rename.',
    ],
    ['a prefix that begins with a digit', { tools: ['test_plain'], prefix: '1' }, 'prefix'],
    ['an internal tool', { tools: ['chat_turn'] }, 'tools.0'],
    ['a field that there is not', { tools: ['test_plain'], hide: true }, 'hide'],
  ])('is refused for %s', async (_, json, path) => {
    const { admin } = await tenant();
    const refused = await put(admin, 'x', json);
    expect([refused.status, errorOf(refused).message]).toEqual([400, expect.stringContaining(path)]);
    expect((await admin.get('/toolsets')).as(toolsetList).toolsets).toEqual([]);
  });

  test('is one of at most a hundred, also when many are made at once', async () => {
    const { admin } = await tenant();
    const made = async (name: string) => (await put(admin, name, { tools: ['*'] })).status;
    const statuses: number[] = [];
    for (let round = 0; round < 11; round++)
      statuses.push(...(await Promise.all(Array.from({ length: 10 }, async (__, place) => made(`s${round}-${place}`)))));
    expect(statuses.filter((status) => status === 201)).toHaveLength(mostToolsets);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });

  test('is shown as an agent sees it, with its tokens, stored or not', async () => {
    const { admin } = await tenant();
    await put(admin, 'shop', shop);
    const seen = (await admin.get('/toolsets/shop/preview')).as(toolsetPreview);
    expect(seen.tools.map(({ name, tool, effect }) => [name, tool, effect])).toEqual([
      ['shop_calc_metrics', 'calc_metrics', 'read'],
      ['shop_order', 'test_plain', 'read'],
    ]);
    expect(seen.tokens).toBe(seen.tools.reduce((sum, { tokens }) => sum + tokens, 0));
    expect(seen.tokens).toBeGreaterThan(100);
    const wide = (await admin.post('/toolsets/preview?format=openai', { tools: ['*'], prefix: 'p'.repeat(32), read_only: true })).as(
      toolsetPreview,
    );
    expect(wide.tools.every(({ effect, definition }) => effect === 'read' && 'function' in definition)).toBe(true);
    expect((await admin.get('/toolsets/shop/preview?format=xml')).status).toBe(400);
    expect((await admin.get('/toolsets/none/preview')).status).toBe(404);
  });
});

describe('A key for a set', () => {
  test('sees and calls that set alone, at every door and in every spelling', async () => {
    const { admin, id } = await tenant();
    await put(admin, 'shop', shop);
    await put(admin, 'wide', { tools: ['*'] });
    const key = await bound(admin, id);
    for (const path of ['/tools', '/tools?format=openai', '/tools?format=anthropic', '/openapi.json', '/tools?query=weather']) {
      const { text } = await key.get(path);
      expect(text).not.toMatch(/"get_weather"|tools\/get_weather/);
    }
    expect(namesIn(await key.get('/tools'))).toEqual(names);
    expect(await listed(key, '/mcp')).toEqual(names);
    expect(await listed(key, '/mcp?set=shop')).toEqual(names);
    expect((await key.post('/mcp?set=wide', rpc('tools/list'))).status).toBe(403);
    expect((await key.get('/tools?set=wide')).status).toBe(403);
    const before = ran.length;
    for (const name of ['shop_order', 'TEST_PLAIN', 'test_plain', 'shop_order@1', '%73hop_order'])
      expect([name, (await key.post(`/tools/${name}`, { order: randomUUID() })).status]).toEqual([name, 200]);
    expect(ran.slice(before)).toEqual(Array.from({ length: 5 }, () => 'test_plain'));
    const calls = ['get_weather', 'GetWeather', 'get_weather@2', '%67et_weather'];
    for (const name of calls) expect([name, (await key.post(`/tools/${name}`, { location: 'Berlin' })).status]).toEqual([name, 404]);
    expect((await key.post('/tools/get_weather/sse', { location: 'Berlin' })).status).toBe(404);
    const batch = await key.post('/tools/batch', { calls: [{ id: 1, name: 'get_weather', arguments: { location: 'Berlin' } }] });
    expect(batch.text).toContain('TOOL_NOT_FOUND');
    expect((await key.post('/mcp', rpc('tools/call', { name: 'get_weather', arguments: { location: 'Berlin' } }))).text).toContain(
      'not found',
    );
    expect(ran.length).toBe(before + 5);
  });

  test('is told in the list of keys, and its set is not deleted under it', async () => {
    const { admin, id } = await tenant();
    await put(admin, 'shop', shop);
    await bound(admin, id);
    const { keys } = (await admin.get('/keys')).as(
      z.looseObject({ keys: z.array(z.looseObject({ id: z.string(), toolset: z.string().nullable() })) }),
    );
    const [key] = keys.filter((one) => one.toolset === 'shop');
    const kept = await admin.request('/toolsets/shop', { method: 'DELETE' });
    expect([kept.status, errorOf(kept).message]).toEqual([409, expect.stringContaining(key?.id ?? 'none')]);
    expect((await admin.request(`/keys/${key?.id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await admin.request('/toolsets/shop', { method: 'DELETE' })).status).toBe(200);
  });

  test('sees nothing where its set is gone', async () => {
    const { admin, id } = await tenant();
    await put(admin, 'shop', shop);
    const key = await bound(admin, id);
    await gateway.stores.database.toolset.deleteMany({ where: { tenantId: id } });
    await eventually(async () => namesIn(await key.get('/tools')).length === 0);
    expect((await key.post('/tools/test_plain', body)).status).toBe(404);
  });

  test('makes no keys', async () => {
    const { admin, id } = await tenant();
    await put(admin, 'shop', shop);
    const key = await bound(admin, id, { user_id: undefined, scopes: ['tenant:admin', ...userScopes] });
    expect((await key.post('/keys', { tenant_id: id, tier: 'free', scopes: ['tools:read'] })).status).toBe(403);
  });

  test.each([
    [{ toolset: 'none' }, 'is no set of the tenant'],
    [{ tools: ['test_plain'] }, "stands in the place of 'tools'"],
  ])('is refused with %j', async (json, why) => {
    const { admin, id } = await tenant();
    await put(admin, 'shop', shop);
    const refused = await admin.post('/keys', { tenant_id: id, tier: 'free', scopes: userScopes, toolset: 'shop', ...json });
    expect([refused.status, errorOf(refused).message]).toEqual([400, expect.stringContaining(why)]);
  });
});
