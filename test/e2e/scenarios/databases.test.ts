// Queries of a tenant's Postgres, from registration to call, through gateways and workers as processes.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Client } from 'pg';
import { HttpCaller, startTimeoutMs, Tenant } from '#lib/testing';
import { startDebianPostgres } from '../debian-postgres.js';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { startOutsideSystem, type OutsideSystem } from '../outside-system.js';
import { inProcess } from '../in-process.js';

jest.setTimeout(60_000);

describe('the database of a tenant', () => {
  let started: AsyncDisposableStack;
  let outside: OutsideSystem;
  let admin: HttpCaller;
  let user: HttpCaller;
  let stranger: HttpCaller;
  let address: string;

  beforeAll(async () => {
    started = new AsyncDisposableStack();
    outside = started.use(await startOutsideSystem({ inProcess }));
    const postgres = started.use(await startDebianPostgres({ checksPasswords: true }));
    const url = postgres.newDatabase('shop');
    const owner = new Client({ connectionString: url });
    await owner.connect();
    await owner.query(`CREATE TABLE orders (id int, customer text, total numeric);
      INSERT INTO orders VALUES (1, 'ada', 9.90), (2, 'bob', 5);
      CREATE ROLE shop_reader LOGIN PASSWORD 'word-of-the-reader'; GRANT SELECT ON orders TO shop_reader`);
    await owner.end();
    address = `postgres://shop_reader:word-of-the-reader@${new URL(url).host}/shop?sslmode=disable`;
    const [tenant, other] = await Promise.all([Tenant.create(outside.databaseUrl), Tenant.create(outside.databaseUrl)]);
    started.use(tenant);
    started.use(other);
    const caller = async (of: Tenant, scopes: readonly string[]) =>
      new HttpCaller(outside.system.gateway.url, await of.key({ userId: 'user_001', scopes }));
    admin = await caller(tenant, ['tenant:admin', 'tools:read', 'tools:write', 'tenant:read']);
    [user, stranger] = [await caller(tenant, ['tools:read']), await caller(other, ['tenant:admin', 'tools:read', 'tools:write'])];
  }, startTimeoutMs);
  afterAll(async () => started?.disposeAsync());

  const queries = [
    { name: 'orders_of', description: 'Orders of a customer.', sql: 'SELECT id, total FROM orders WHERE customer = :customer' },
    { name: 'broken', description: 'Broken.', sql: 'SELECT FROM WHERE' },
  ];

  test('is registered with its queries, which its users call, and nobody else finds', async () => {
    const reply = await admin.post('/mcp/servers', { name: 'shop', kind: 'sql', url: address, queries });
    expect(reply.status).toBe(201);
    expect(JSON.parse(reply.text)).toMatchObject({
      name: 'shop',
      kind: 'sql',
      has_headers: true,
      tools: [
        { name: 'orders_of', offered_as: 'shop__orders_of', state: 'served' },
        { name: 'broken', offered_as: null, state: 'rejected', reason: expect.stringContaining('syntax error') },
      ],
    });
    const called = await user.call('shop__orders_of', { customer: 'ada' });
    expect(expectSuccess(called.envelope)).toEqual({ rows: [{ id: 1, total: '9.90' }], has_more: false });
    expect(expectSuccess((await user.call('shop__orders_of', { customer: "' OR true --" })).envelope)).toEqual({
      rows: [],
      has_more: false,
    });
    expectRefusal(await user.call('shop__orders_of', {}), { status: 400, code: 'INVALID_PARAMS', paths: ['customer'] });
    expectRefusal(await stranger.call('shop__orders_of', { customer: 'ada' }), { status: 404, code: 'TOOL_NOT_FOUND' });
    expect((await stranger.get('/mcp/servers/shop')).status).toBe(404);
  });

  test('its login is in no answer, record, log or key', async () => {
    const answers = await Promise.all(
      ['/mcp/servers', '/mcp/servers/shop', '/history', '/jobs', '/audit'].map(async (path) => admin.get(path)),
    );
    const { system } = outside;
    const database = new Client({ connectionString: outside.databaseUrl });
    await database.connect();
    const { rows } = await database.query(
      "SELECT string_agg(t::text, ' ') AS text FROM (SELECT s::text AS t FROM mcp_server s) AS all_of_it",
    );
    await database.end();
    for (const text of [
      ...answers.map((answer) => answer.text),
      JSON.stringify(system.logs()),
      await system.redis.everything(),
      JSON.stringify(rows),
    ])
      expect(text).not.toMatch(/word-of-the-reader|d29yZC1vZi10aGUtcmVhZGVy/);
    expect(answers[1]?.text).toContain('shop__orders_of');
  });

  test.each([
    [{ url: 'postgres://shop_reader:word-of-the-reader@ /shop' }, 'url'],
    [{ url: 'https://shop_reader:word-of-the-reader@db.example.com/shop' }, 'url'],
    [{ url: undefined }, null],
    [{ headers: { authorization: 'Bearer a' } }, 'headers'],
    [{ queries: undefined }, null],
    [{ queries: 'SELECT 1' }, 'queries'],
    [{ queries: [{ name: 'q', description: 'q', sql: 'SELECT 1', max_rows: 1_000_000 }] }, 'queries.0.max_rows'],
  ])('a wrong registration names its field, and not the login: %j', async (wrong, path) => {
    const reply = await admin.post('/mcp/servers', { name: 'wrong', kind: 'sql', url: address, queries, ...wrong });
    expect(reply.status).toBe(400);
    expect(reply.text).not.toContain('word-of-the-reader');
    if (path !== null) expect(JSON.parse(reply.text)).toMatchObject({ error: { details: [{ path }] } });
  });
});
