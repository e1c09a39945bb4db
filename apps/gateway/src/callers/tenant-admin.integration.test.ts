// What the administrator of one tenant sees and does at each door, beside another tenant and an operator.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { givenStores, Tenant } from '#lib/testing';
import { Stores } from '../stores.js';
import { TestHttpGateway, type TestAnswer } from '../test-http-gateway.js';

const wanted = (more: object = {}, { id: tenant_id } = gateway.tenant) => ({ tenant_id, tier: 'free', scopes: ['tools:read'], ...more });
const scopes = ['tenant:admin', 'tools:read', 'tools:write', 'tools:serve'];
const madeKey = z.looseObject({ id: z.string(), key: z.string(), tenant_id: z.string() });
const refusal = z.object({ error: z.looseObject({ code: z.string(), required_scope: z.string().optional() }) });

let gateway: TestHttpGateway;
let other: Tenant;
let admin: string;
let otherAdmin: string;
beforeAll(async () => {
  gateway = await TestHttpGateway.start();
  other = await Tenant.create(givenStores().databaseUrl);
  admin = `Bearer ${await gateway.tenant.key({ userId: 'boss', scopes })}`;
  otherAdmin = `Bearer ${await other.key({ userId: 'boss', scopes })}`;
});
afterAll(async () => {
  await gateway.app.get(Stores).database.mcpServer.deleteMany({ where: { tenantId: { in: [gateway.tenant.id, other.id] } } });
  await gateway[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

const as = (authorization: string) => ({
  get: async (path: string) => gateway.send(path, { authorization }),
  delete: async (path: string) => gateway.send(path, { method: 'DELETE', authorization }),
  post: async (path: string, body: object) => gateway.post(path, body, authorization),
});
const refusedFor = (answer: TestAnswer, scope: string | undefined) =>
  expect([answer.status, refusal.parse(JSON.parse(answer.body)).error]).toMatchObject([
    403,
    { code: 'PERMISSION_DENIED', ...(scope && { required_scope: scope }) },
  ]);

describe('Keys', () => {
  test('are made, seen and revoked in the own tenant alone', async () => {
    const made = madeKey.parse(JSON.parse((await as(admin).post('/keys', wanted())).body));
    expect(made.tenant_id).toBe(gateway.tenant.id);
    expect((await as(admin).get(`/keys/${made.id}`)).status).toBe(200);
    expect((await as(admin).get('/keys')).body).toContain(made.id);
    expect((await as(otherAdmin).get('/keys')).body).not.toContain(made.id);
    for (const answer of [await as(otherAdmin).get(`/keys/${made.id}`), await as(otherAdmin).delete(`/keys/${made.id}`)])
      expect(answer.status).toBe(404);
    refusedFor(await as(otherAdmin).get(`/keys?tenant_id=${gateway.tenant.id}`), 'admin');
    expect((await gateway.send('/tools', { authorization: `Bearer ${made.key}` })).status).toBe(200);
    expect((await as(admin).delete(`/keys/${made.id}`)).status).toBe(200);
    expect((await gateway.send('/tools', { authorization: `Bearer ${made.key}` })).status).toBe(401);
  });

  test('with more than the maker has are refused, and none is made', async () => {
    const before = (await as(gateway.admin).get(`/keys?tenant_id=${gateway.tenant.id}`)).body.length;
    refusedFor(await as(admin).post('/keys', wanted({}, other)), 'admin');
    for (const scope of ['admin', '*', 'act-as', 'profile:read:any', 'merchant:any', 'stripe:links'])
      refusedFor(await as(admin).post('/keys', wanted({ scopes: ['tools:read', scope] })), scope);
    refusedFor(await as(admin).post('/keys', wanted({ tier: 'vip' })), undefined);
    expect((await as(gateway.admin).get(`/keys?tenant_id=${gateway.tenant.id}`)).body).toHaveLength(before);
  });

  test('are not made by a key for some tools alone, though it administers everything', async () => {
    const narrow = `Bearer ${await gateway.tenant.key({ userId: null, tier: 'vip', scopes: ['*'], tools: ['calc_metrics'] })}`;
    refusedFor(await as(narrow).post('/keys', wanted()), undefined);
    const kept = madeKey.parse(JSON.parse((await as(admin).post('/keys', wanted())).body));
    refusedFor(await as(narrow).delete(`/keys/${kept.id}`), undefined);
  });

  test("of workers serve no domain that the maker's own workers may not", async () => {
    const narrow = `Bearer ${await gateway.tenant.key({ userId: null, scopes, serves: ['sales'] })}`;
    const worker = wanted({ scopes: ['tools:serve'] });
    refusedFor(await as(narrow).post('/keys', worker), undefined);
    refusedFor(await as(narrow).post('/keys', { ...worker, serves: ['billing'] }), undefined);
    expect((await as(narrow).post('/keys', { ...worker, serves: ['sales'], approves_tools: true })).status).toBe(201);
  });

  test("of an operator are not the tenant's to revoke", async () => {
    const operator = madeKey.parse(JSON.parse((await as(gateway.admin).post('/keys', wanted({ scopes: ['admin'] }))).body));
    refusedFor(await as(admin).delete(`/keys/${operator.id}`), 'admin');
    expect((await gateway.send('/keys', { authorization: `Bearer ${operator.key}` })).status).toBe(200);
  });
});

describe('Tools that workers serve', () => {
  const served = (tenantId: string, name: string) => ({
    tenantId,
    name,
    version: '1.0.0',
    domain: 'sales',
    contract: {},
    announcedBy: 'k',
    announcedAt: new Date(),
    approvedBy: null,
    approvedAt: null,
  });

  test('are listed, approved and removed by the administrators of their tenant alone', async () => {
    const { database } = gateway.app.get(Stores);
    await database.servedTool.createMany({ data: [served(gateway.tenant.id, 'own_tool'), served(other.id, 'other_tool')] });
    const list = (await as(admin).get('/served-tools')).body;
    expect([list.includes('own_tool'), list.includes('other_tool')]).toEqual([true, false]);
    refusedFor(await as(admin).get(`/served-tools?tenant_id=${other.id}`), 'admin');
    const version = { name: 'other_tool', version: '1.0.0', fingerprint: 'x'.repeat(64) };
    refusedFor(await as(admin).post('/served-tools/approvals', { ...version, tenant_id: other.id }), 'admin');
    expect((await as(admin).post('/served-tools/approvals', { ...version, tenant_id: gateway.tenant.id })).status).toBe(404);
    refusedFor(await as(admin).delete(`/served-tools/other_tool/1.0.0?tenant_id=${other.id}`), 'admin');
    expect((await as(admin).delete(`/served-tools/other_tool/1.0.0?tenant_id=${gateway.tenant.id}`)).status).toBe(404);
    expect((await as(otherAdmin).delete(`/served-tools/other_tool/1.0.0?tenant_id=${other.id}`)).status).toBe(200);
  });
});

describe('Outside servers', () => {
  const server = (tenantId: string | null, name: string) => ({
    id: tenantId === null ? name : `${tenantId}/${name}`,
    tenantId,
    kind: 'mcp',
    url: `https://${tenantId ?? 'all'}.example/mcp`,
    timeoutMs: 1_000,
    approval: 1,
    approvedBy: 'a',
    approvedAt: new Date(),
    tools: [{ name: 'find', description: `Find it in ${tenantId}.`, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
  });
  const name = 'crm';
  const ofAll = `all${Date.now().toString(36)}`;

  test('are seen and removed by the administrators of their tenant alone; one name may be of two tenants', async () => {
    const { database, outside } = gateway.app.get(Stores);
    await database.mcpServer.createMany({ data: [server(gateway.tenant.id, name), server(other.id, name), server(null, ofAll)] });
    await outside.refresh();
    const ownUrl = `https://${gateway.tenant.id}.example/mcp`;
    const otherUrl = `https://${other.id}.example/mcp`;
    const list = (await as(admin).get('/mcp/servers')).body;
    expect([list.includes(ownUrl), list.includes(otherUrl), list.includes(ofAll)]).toEqual([true, false, false]);
    expect((await as(admin).get(`/mcp/servers/${name}`)).body).toContain(ownUrl);
    expect((await as(admin).get(`/mcp/servers/${ofAll}`)).status).toBe(404);
    for (const tenant of [other.id, '*']) {
      refusedFor(await as(admin).get(`/mcp/servers/${name}?tenant=${tenant}`), 'admin');
      refusedFor(await as(admin).delete(`/mcp/servers/${name}?tenant=${tenant}`), 'admin');
    }
    for (const path of [`${other.id}%2F${name}`, `..%2F${other.id}%2F${name}`])
      expect((await as(admin).delete(`/mcp/servers/${path}`)).status).toBe(404);
    const operators = (await as(gateway.admin).get('/mcp/servers')).body;
    expect([ownUrl, otherUrl, ofAll].every((text) => operators.includes(text))).toBe(true);
    expect((await as(gateway.admin).get(`/mcp/servers/${name}?tenant=${other.id}`)).body).toContain(otherUrl);
    expect((await as(gateway.admin).get(`/mcp/servers/${ofAll}?tenant=*`)).status).toBe(200);
    expect((await as(gateway.admin).get(`/mcp/servers/${name}?tenant=*`)).status).toBe(404);
  });

  test('have their tools in the lists of their tenant alone, at every door', async () => {
    const doors = ['/tools', `/tools/${name}__find`, '/openapi.json', '/tools?format=openai', '/tools?format=mcp'];
    for (const path of doors) {
      const own = (await as(admin).get(path)).body;
      if (path !== '/openapi.json') expect([path, own.includes(`Find it in ${gateway.tenant.id}.`)]).toEqual([path, true]);
      expect([path, own.includes(`Find it in ${other.id}.`)]).toEqual([path, false]);
      const stranger = (await as(otherAdmin).get(path)).body;
      expect([path, stranger.includes(`Find it in ${gateway.tenant.id}.`)]).toEqual([path, false]);
    }
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const mcp = (authorization: string) =>
      gateway.send('/mcp', {
        method: 'POST',
        authorization,
        headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
        body: JSON.stringify(list),
      });
    expect((await mcp(admin)).body).toContain(`Find it in ${gateway.tenant.id}.`);
    expect((await mcp(otherAdmin)).body).not.toContain(`Find it in ${gateway.tenant.id}.`);
  });

  test('are removed in their tenant without a change of the other', async () => {
    expect((await as(admin).delete(`/mcp/servers/${name}`)).status).toBe(200);
    expect((await as(admin).get(`/tools/${name}__find`)).status).toBe(404);
    expect((await as(otherAdmin).get(`/tools/${name}__find`)).body).toContain(`Find it in ${other.id}.`);
    expect((await as(gateway.admin).delete(`/mcp/servers/${ofAll}?tenant=*`)).status).toBe(200);
  });

  test('for all tenants are registered by an operator alone', async () => {
    refusedFor(await as(admin).post('/mcp/servers', { name: 'mine', url: 'https://tools.example/mcp', tenants: '*' }), 'admin');
  });
});

describe('What was done', () => {
  test('is told of the own tenant: audit, history, sums, runs', async () => {
    const mine = madeKey.parse(JSON.parse((await as(admin).post('/keys', wanted())).body));
    const theirs = madeKey.parse(JSON.parse((await as(otherAdmin).post('/keys', wanted({}, other))).body));
    const audit = (await as(admin).get('/audit')).body;
    expect([audit.includes(mine.id), audit.includes(theirs.id)]).toEqual([true, false]);
    for (const path of ['/history', '/usage/calls', '/jobs']) {
      expect([path, (await as(admin).get(`${path}?scope=tenant`)).status]).toEqual([path, 200]);
      refusedFor(await as(admin).get(`${path}?scope=all`), 'admin');
      refusedFor(await as(gateway.user).get(`${path}?scope=tenant`), 'tenant:admin');
    }
    refusedFor(await as(admin).get('/audit?scope=all'), 'admin');
    refusedFor(await as(admin).get(`/audit?scope=all&tenant=${other.id}`), 'admin');
  });

  test('of others is not read whole: their calls stay theirs', async () => {
    const call = await as(gateway.user).post('/tools/calc_metrics', {});
    expect(call.status).toBe(400);
    for (const path of ['/metrics', '/admin/activity', '/admin/settings', '/admin/queues']) refusedFor(await as(admin).get(path), 'admin');
  });
});
