// Outside servers of two tenants under one name: each tenant calls its own, with its own credential, at every door.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { envelopeShape, eventually, HttpCaller, startTimeoutMs, Tenant } from '#lib/testing';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { resultOf, sendMessage, meta } from '../mcp-messages.js';
import { outsideTool as tool, startOutsideSystem, type OutsideSystem } from '../outside-system.js';
import { OutsideServer } from '../outside-server.js';

jest.setTimeout(60_000);

const scopes = ['tenant:admin', 'tools:read', 'tools:write'];
const reads = { annotations: { readOnlyHint: true } };

interface Customer {
  readonly tenant: Tenant;
  readonly key: string;
  readonly admin: HttpCaller;
  readonly user: HttpCaller;
  readonly server: OutsideServer;
}

describe('outside servers of two tenants', () => {
  let outside: OutsideSystem;
  let started: AsyncDisposableStack;
  let acme: Customer;
  let bolt: Customer;

  const customer = async (secret: string, shape: 'mcp' | 'rest'): Promise<Customer> => {
    const tenant = started.use(await Tenant.create(outside.databaseUrl));
    const server = started.use(await OutsideServer.start(shape));
    const key = await tenant.key({ userId: 'user_001', scopes: ['tools:read', 'tools:write'] });
    const caller = async (scope: readonly string[]) =>
      new HttpCaller(outside.system.gateway.url, await tenant.key({ userId: 'boss', scopes: scope }));
    const admin = await caller(scopes);
    server.tools = [tool('find', reads), tool(`only_${secret}`)];
    const url = shape === 'mcp' ? `${server.url}/mcp` : server.url;
    const body = { name: 'crm', url, kind: shape, headers: { authorization: `Bearer ${secret}` }, cache_ttl: 60 };
    expect((await admin.post('/mcp/servers', body)).status).toBe(201);
    return { tenant, key, admin, user: new HttpCaller(outside.system.gateway.url, key), server };
  };

  beforeAll(async () => {
    started = new AsyncDisposableStack();
    outside = started.use(await startOutsideSystem());
    acme = await customer('acme_secret', 'mcp');
    bolt = await customer('bolt_secret', 'rest');
  }, startTimeoutMs);
  afterAll(async () => started?.disposeAsync());

  test('are called with the credential of their tenant, and no answer is that of the other, from the cache either', async () => {
    for (const { user } of [acme, bolt]) for (const _ of [1, 2]) expectSuccess((await user.call('crm__find', { word: 'same' })).envelope);
    expect([acme, bolt].map(({ server }) => server.calls.map(({ headers }) => headers['authorization']))).toEqual([
      ['Bearer acme_secret'],
      ['Bearer bolt_secret'],
    ]);
  });

  test('have no tool that another tenant finds, at any door', async () => {
    const foreign = 'crm__only_acme_secret';
    expectSuccess((await acme.user.call(foreign, { word: 'a' })).envelope);
    const before = acme.server.calls.length;
    for (const caller of [bolt.user, bolt.admin, outside.user, outside.admin]) {
      expectRefusal(await caller.call(foreign, { word: 'a' }), { status: 404, code: 'TOOL_NOT_FOUND' });
      expect((await caller.get(`/tools/${foreign}`)).status).toBe(404);
      for (const path of ['/tools', '/tools?format=mcp', '/tools?format=openai', '/openapi.json'])
        expect([path, (await caller.get(path)).text.includes('only_acme_secret')]).toEqual([path, false]);
      const batch = await caller.post('/tools/batch', { calls: [{ id: 1, name: foreign, arguments: { word: 'a' } }] });
      expect(batch.text).toContain('TOOL_NOT_FOUND');
      expect((await caller.post('/tools/call', { name: foreign, arguments: { word: 'a' } })).status).toBe(404);
      expect((await caller.get(`/tools/${foreign}/sse?word=a`)).status).toBe(404);
    }
    const headers = { authorization: `Bearer ${bolt.key}` };
    const listed = await sendMessage(outside.system.gateway.url, { method: 'tools/list', params: { _meta: meta() } }, headers);
    expect(JSON.stringify(await resultOf(listed))).not.toContain('only_acme_secret');
    const called = { method: 'tools/call', params: { name: foreign, arguments: { word: 'a' }, _meta: meta() } };
    expect(await (await sendMessage(outside.system.gateway.url, called, headers)).text()).toMatch(/TOOL_NOT_FOUND|not found|error/i);
    expect(acme.server.calls).toHaveLength(before);
  });

  test('are suspended, approved again and removed without a change for the other', async () => {
    acme.server.tools = [tool('find', { ...reads, description: 'Something else.' })];
    let word = 0;
    await eventually(async () => (await acme.user.call('crm__find', { word: `x${word++}` })).status === 409, { what: 'the suspension' });
    expectSuccess((await bolt.user.call('crm__find', { word: 'x' })).envelope);
    const again = await acme.admin.post('/mcp/servers', { name: 'crm', url: `${acme.server.url}/mcp` });
    expect(again.status).toBe(201);
    expectSuccess((await acme.user.call('crm__find', { word: 'y' })).envelope);
    expect((await bolt.user.call('crm__find', { word: 'y' })).envelope.metadata.tool_version).toBe('1.0.0');
    expect((await acme.admin.delete('/mcp/servers/crm')).status).toBe(200);
    expectRefusal(await acme.user.call('crm__find', { word: 'z' }), { status: 404, code: 'TOOL_NOT_FOUND' });
    expectSuccess((await bolt.user.call('crm__find', { word: 'z' })).envelope);
  });

  test('are registered by an operator for all, and by no tenant; a name that is taken by one for all is refused', async () => {
    const name = outside.newName();
    const url = bolt.server.url;
    for (const post of [
      acme.admin.post('/mcp/servers', { name, url, tenants: '*' }),
      acme.admin.call('register_mcp_server', { name, url, tenants: '*' }),
    ])
      expect((await post).as(envelopeShape).error?.code).toBe('PERMISSION_DENIED');
    await outside.register({ name, url, kind: 'rest' });
    expectSuccess((await acme.user.call(`${name}__find`, { word: 'a' })).envelope);
    const taken = await acme.admin.post('/mcp/servers', { name, url });
    expect([taken.status, taken.as(envelopeShape).error?.message]).toEqual([403, expect.stringContaining('is a server for all tenants')]);
    expect((await acme.admin.get('/mcp/servers')).text).not.toContain(name);
    expect((await acme.admin.delete(`/mcp/servers/${name}`)).status).toBe(404);
  });
});
