import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { fingerprint } from '#lib/contracts';
import { DayKeeper } from '../records/day-keeper.js';
import { Stores } from '../stores.js';
import { TestHttpGateway } from '../test-http-gateway.js';
import { KeyUses } from './key-uses.js';

const shownKey = z.looseObject({ id: z.string(), prefix: z.string(), key: z.string().optional(), revoked_at: z.string().nullable() });
const refusal = z.object({
  error: z.looseObject({ code: z.string(), message: z.string(), details: z.array(z.object({ path: z.string() })).optional() }),
});

let gateway: TestHttpGateway;
beforeAll(async () => {
  gateway = await TestHttpGateway.start();
});
afterAll(async () => gateway[Symbol.asyncDispose]());

const wanted = () => ({ tenant_id: gateway.tenant.id, user_id: 'user_001', tier: 'free', scopes: ['tools:read'] });
const create = async (body: object = {}) => gateway.post('/keys', { ...wanted(), ...body }, gateway.admin);
const asAdmin = async (path: string, method = 'GET') => gateway.send(path, { method, authorization: gateway.admin });

describe('A key', () => {
  test('is told in full once, works at once, and is never told again', async () => {
    const created = await create();
    const { id, key = '', prefix } = shownKey.parse(JSON.parse(created.body));
    expect([created.status, prefix]).toEqual([201, `invoq_${id}`]);
    expect(key.startsWith(`${prefix}_`)).toBe(true);
    expect((await gateway.send('/tools', { authorization: `Bearer ${key}` })).status).toBe(200);
    for (const path of ['/keys', `/keys/${id}`]) {
      const { status, body } = await asAdmin(path);
      expect([status, body.includes(id), body.includes(key)]).toEqual([200, true, false]);
    }
  });

  test('that is revoked stops working here at once, and stays on record', async () => {
    const { id, key } = shownKey.parse(JSON.parse((await create()).body));
    expect((await gateway.send('/tools', { authorization: `Bearer ${key}` })).status).toBe(200);
    const revoked = await asAdmin(`/keys/${id}`, 'DELETE');
    expect([revoked.status, shownKey.parse(JSON.parse(revoked.body)).revoked_at]).toEqual([200, expect.any(String)]);
    expect((await gateway.send('/tools', { authorization: `Bearer ${key}` })).status).toBe(401);
    const again = shownKey.parse(JSON.parse((await asAdmin(`/keys/${id}`, 'DELETE')).body));
    expect(again.revoked_at).toBe(shownKey.parse(JSON.parse(revoked.body)).revoked_at);
    expect((await asAdmin(`/keys/${id}`)).status).toBe(200);
  });

  test('for workers says which domains they may serve, and no other key does', async () => {
    const made = await create({ scopes: ['tools:serve'], serves: ['sales'], approves_tools: true });
    expect([made.status, JSON.parse(made.body)]).toEqual([201, expect.objectContaining({ serves: ['sales'], approves_tools: true })]);
    expect(JSON.parse((await create()).body)).toMatchObject({ serves: [], approves_tools: false });
    const refused = await create({ serves: ['sales'] });
    expect([refused.status, refusal.parse(JSON.parse(refused.body)).error.details]).toEqual([400, [{ path: 'scopes' }]]);
    expect((await create({ scopes: ['tools:serve'], serves: ['Sales!'] })).status).toBe(400);
  });

  test('says which tools it is for, by names that some tool has', async () => {
    const made = await create({ tools: ['calc_metrics', 'search_*', 'get_current_weather'] });
    expect([made.status, JSON.parse(made.body)]).toEqual([
      201,
      expect.objectContaining({ tools: ['calc_metrics', 'search_*', 'get_current_weather'] }),
    ]);
    expect(JSON.parse((await create()).body)).toMatchObject({ tools: [] });
    const unknown = await create({ tools: ['calc_metrics', 'calc_metric'] });
    expect([unknown.status, refusal.parse(JSON.parse(unknown.body)).error.details]).toEqual([400, [{ path: 'tools.1' }]]);
    for (const tools of [[], [''], ['a b'], ['chat_turn'], ['x'.repeat(101)], Array.from({ length: 101 }, () => '*'), 'calc_metrics'])
      expect([tools, (await create({ tools })).status]).toEqual([tools, 400]);
  });

  test('has the name that it was given, and says when it was last used', async () => {
    const created = await create({ name: ' the report job ' });
    const { id, key } = z.looseObject({ id: z.string(), key: z.string() }).parse(JSON.parse(created.body));
    expect(JSON.parse(created.body)).toMatchObject({ name: 'the report job', last_used_at: null });
    await gateway.send('/tools', { authorization: `Bearer ${key}` });
    const before = Date.now();
    await gateway.app.get(KeyUses).flush();
    const { last_used_at } = z.looseObject({ last_used_at: z.string() }).parse(JSON.parse((await asAdmin(`/keys/${id}`)).body));
    expect(Math.abs(before - Date.parse(last_used_at))).toBeLessThan(10_000);
    // Another gateway was told of an earlier use.
    const uses = new KeyUses(gateway.app.get(Stores));
    uses.note(id, 0);
    uses.note('nothing', before);
    await uses.flush();
    expect(JSON.parse((await asAdmin(`/keys/${id}`)).body)).toMatchObject({ last_used_at });
  });

  test('of a tenant itself names no user', async () => {
    const { user_id: _, ...tenantKey } = wanted();
    expect(JSON.parse((await gateway.post('/keys', tenantKey, gateway.admin)).body)).toMatchObject({ user_id: null, expires_at: null });
  });

  test('ends when it says', async () => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    expect(JSON.parse((await create({ expires_at: expires })).body)).toMatchObject({ expires_at: expires });
  });

  test('may end with the last year that is written in four digits', async () => {
    const expires = '9999-12-31T23:59:59.000Z';
    expect(JSON.parse((await create({ expires_at: expires })).body)).toMatchObject({ expires_at: expires });
    expect((await asAdmin('/keys')).status).toBe(200);
  });

  test.each(['GET', 'DELETE'])('that does not exist is not found: %s', async (method) => {
    expect((await asAdmin('/keys/nothing', method)).status).toBe(404);
  });
});

describe('A wrong key', () => {
  test.each([
    [{ tenant_id: '' }, ['tenant_id']],
    [{ tenant_id: 'x'.repeat(129) }, ['tenant_id']],
    [{ tenant_id: '*' }, ['tenant_id']],
    [{ tenant_id: 'a\u200b' }, ['tenant_id']],
    [{ user_id: '' }, ['user_id']],
    [{ user_id: 'key:k1' }, ['user_id']],
    [{ user_id: ' u' }, ['user_id']],
    [{ user_id: 'e\u0301' }, ['user_id']],
    [{ tier: 'gold' }, ['tier']],
    [{ scopes: [] }, ['scopes']],
    [{ scopes: ['everything'] }, ['scopes.0']],
    [{ expires_at: 'tomorrow' }, ['expires_at']],
    [{ expires_at: '2020-01-01T00:00:00Z' }, ['expires_at']],
    [{ expires_at: '9999-12-31T23:59:59-14:00' }, ['expires_at']],
    [{ secret: 'x' }, ['secret']],
    [{ tier: 'gold', scopes: [] }, ['tier', 'scopes']],
  ])('is refused with each field that is wrong: %j', async (body, paths) => {
    const answer = await create(body);
    const { error } = refusal.parse(JSON.parse(answer.body));
    expect([answer.status, error.code]).toEqual([400, 'INVALID_PARAMS']);
    expect(error.details?.map(({ path }) => path)).toEqual(paths);
    for (const path of paths) expect(error.message).toContain(path);
  });

  test('is refused without a body', async () => {
    const answer = await gateway.send('/keys', { method: 'POST', authorization: gateway.admin });
    expect(refusal.parse(JSON.parse(answer.body)).error.details?.map(({ path }) => path)).toEqual(['tenant_id', 'tier', 'scopes']);
  });
});

test('Keys are for administrators', async () => {
  for (const [method, path] of [
    ['GET', '/keys'],
    ['POST', '/keys'],
    ['GET', '/keys/x'],
    ['DELETE', '/keys/x'],
  ] as const) {
    const answer = await gateway.send(path, { method, authorization: gateway.user });
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'PERMISSION_DENIED', required_scope: 'tenant:admin' } });
    expect(answer.status).toBe(403);
  }
});

describe('The audit', () => {
  const database = () => gateway.app.get(Stores).database;
  const ofSubject = async (subject: string) =>
    database().auditEvent.findMany({ where: { subject }, orderBy: { at: 'asc' }, omit: { at: true, id: true } });
  /** The principal of the administrator. */
  const actorOf = async () => (await ofSubject(shownKey.parse(JSON.parse((await create()).body)).id))[0]?.actor ?? 'nobody';

  test('says who made and who revoked a key, once, and holds no secret', async () => {
    const { id } = shownKey.parse(JSON.parse((await create({ name: 'audited' })).body));
    await database().apiKey.update({ where: { id }, data: { lastUsedAt: new Date() } });
    await Promise.all(Array.from({ length: 5 }, () => asAdmin(`/keys/${id}`, 'DELETE')));
    const events = await ofSubject(id);
    // The embedded Postgres does not know the names of its connections.
    const every = {
      actor: expect.stringMatching(/^\S+$/),
      application: expect.stringMatching(/^(gateway)?$/),
      subject: id,
      tenantId: gateway.tenant.id,
    };
    const made = { action: 'api_key.insert', changed: [], facts: expect.objectContaining({ name: 'audited', revoked_at: null }) };
    const revoked = {
      action: 'api_key.update',
      changed: ['revoked_at'],
      facts: expect.objectContaining({ revoked_at: expect.any(String) }),
    };
    expect(events).toEqual([
      { ...every, ...made },
      { ...every, ...revoked },
    ]);
    const { hash } = await database().apiKey.findUniqueOrThrow({ where: { id } });
    expect(JSON.stringify(events)).not.toContain(hash);
    // A connection that another transaction has used names nobody.
    await database().apiKey.delete({ where: { id } });
    expect((await ofSubject(id)).at(-1)).toMatchObject({ action: 'api_key.delete', actor: null });
  });

  test('has nothing of a change that was undone', async () => {
    const { id } = shownKey.parse(JSON.parse((await create()).body));
    const undone = database().$transaction(async (transaction) => {
      await transaction.apiKey.update({ where: { id }, data: { revokedAt: new Date() } });
      await transaction.$executeRaw`SELECT 1 / 0`;
    });
    await expect(undone).rejects.toThrow();
    expect(await ofSubject(id)).toHaveLength(1);
  });

  test('says who approved and who removed a tool of a tenant, and nothing of what waits', async () => {
    const key = { tenantId: gateway.tenant.id, name: 'audited_tool', version: '1.0.0' };
    const contract = { name: key.name };
    await database().servedTool.create({ data: { ...key, domain: 'd', contract, announcedBy: 'k', announcedAt: new Date() } });
    const subject = Object.values(key).join(' ');
    expect(await ofSubject(subject)).toEqual([]);
    const approval = { tenant_id: key.tenantId, name: key.name, version: key.version, fingerprint: fingerprint(contract) };
    expect((await gateway.post('/served-tools/approvals', approval, gateway.admin)).status).toBe(200);
    expect((await asAdmin(`/served-tools/${key.name}/${key.version}?tenant_id=${key.tenantId}`, 'DELETE')).status).toBe(200);
    const actor = await actorOf();
    expect(await ofSubject(subject)).toMatchObject([
      { action: 'served_tool.update', actor, changed: ['approved_at', 'approved_by'] },
      { action: 'served_tool.delete', actor },
    ]);
  });

  test('says who removed an outside server, without its headers', async () => {
    const name = `audited${gateway.tenant.id.replaceAll(/[^a-z0-9]/g, '')}`.slice(0, 30);
    const approved = { approval: 1, approvedBy: 'a', approvedAt: new Date(), tools: [] };
    await database().mcpServer.create({
      data: { id: name, kind: 'mcp', url: 'http://x', headers: 'sealed-text', timeoutMs: 1_000, ...approved },
    });
    expect((await asAdmin(`/mcp/servers/${name}`, 'DELETE')).status).toBe(200);
    const events = await ofSubject(name);
    expect(events).toMatchObject([
      { action: 'mcp_server.insert', actor: null },
      { action: 'mcp_server.delete', actor: await actorOf() },
    ]);
    expect(JSON.stringify(events)).not.toContain('sealed-text');
  });

  test('is dropped by the day; a day is made once, and no younger one goes', async () => {
    const { id } = shownKey.parse(JSON.parse((await create()).body));
    const made = Array.from({ length: 4 }, () => database().$executeRaw`SELECT audit_partition('2001-02-03')`);
    await Promise.all(made);
    await database().$executeRaw`
      INSERT INTO audit_event (at, application, action, subject, facts) VALUES ('2001-02-03T23:59:59.999Z', '', '', 'long ago', '{}')`;
    await gateway.app.get(DayKeeper).keep();
    expect(await ofSubject('long ago')).toEqual([]);
    expect(await database().$queryRaw`SELECT to_regclass('audit_event_20010203')::text AS old`).toEqual([{ old: null }]);
    expect(await ofSubject(id)).toHaveLength(1);
    await expect(database().$queryRaw`SELECT keep_audit(29)`).rejects.toThrow('30 days');
  });
});
