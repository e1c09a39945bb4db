// Databases from registration to call, over a real PostgreSQL.
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { outsideContract, outsideServer } from '#lib/contracts';
import { eventually } from '#lib/testing';
import { closedPort } from '../test-server.js';
import { database, openServices, tenantId } from '../upstreams/test-upstreams.js';
import { addressOf, asked, call, newServer, orders, owner, registered, sealed, withShop } from './test-shop.js';

withShop();

test('queries are registered, described by the database, and called', async () => {
  await using services = openServices({}, 60_000);
  const name = newServer();
  const queries = [orders, { name: 'broken', description: 'Broken.', sql: 'SELECT nothing FROM orders' }];
  expect(await registered(services, queries, { name })).toMatchObject({
    kind: 'done',
    data: {
      tools: [{ name: `${name}__orders` }],
      rejected: [{ tool: 'broken', reason: expect.stringContaining('column "nothing" does not exist') }],
    },
  });
  const stored = outsideServer.parse(await database.mcpServer.findUniqueOrThrow({ where: { id: `${tenantId}/${name}` } }));
  expect(stored.tools[0]?.inputSchema).toEqual({
    type: 'object',
    properties: { country: { type: 'string' } },
    required: ['country'],
    additionalProperties: false,
  });
  expect(stored.tools[0]?.outputSchema).toMatchObject({
    properties: { rows: { items: { properties: { id: { type: ['integer', 'null'] }, total: { type: ['string', 'null'] } } } } },
  });
  expect(outsideContract(stored, stored.tools[0] ?? (orders as never))).toMatchObject({ effect: 'read', idempotent: true });
  expect(await call(services, name, { tool: 'orders', input: { country: 'de' } })).toMatchObject({
    kind: 'done',
    data: { rows: expect.arrayContaining([{ id: 2, total: '3.0000' }]), has_more: true },
  });
  expect(JSON.stringify(await database.mcpServer.findUniqueOrThrow({ where: { id: `${tenantId}/${name}` } }))).not.toContain(':none@');
});

test('parameters have words and defaults of the registration, and types of the database', async () => {
  const parameters = { least: { description: 'Least id.', default: 499 }, country: { default: null } };
  const sql = 'SELECT id FROM orders WHERE id >= :least AND (:country::text IS NULL OR country = :country) ORDER BY 1';
  expect(await asked(sql, { more: { parameters } })).toMatchObject({ data: { rows: [{ id: 499 }, { id: 500 }], has_more: false } });
  expect(await asked(sql, { more: { parameters }, input: { country: 'de' } })).toMatchObject({ data: { rows: [{ id: 500 }] } });
  await expect(asked(sql, { more: { parameters }, input: { least: 'many' } })).rejects.toThrow(/least/);
});

test.each<[string, unknown]>([
  ['9007199254740993::bigint', '9007199254740993'],
  ['12345678901234567890.123456789::numeric', '12345678901234567890.123456789'],
  ["'NaN'::float8", 'NaN'],
  ['1.5::float8', 1.5],
  ['0.1::float4', 0.1],
  ['true', true],
  ['NULL::int', null],
  ["'2026-01-31'::date", '2026-01-31'],
  ["'2026-01-31 12:30:00.123456+02'::timestamptz", '2026-01-31T10:30:00.123456Z'],
  ["'2026-01-31 12:30:00'::timestamp", '2026-01-31T12:30:00'],
  ["'1 day 2 hours'::interval", 'P1DT2H'],
  ["'infinity'::timestamptz", 'infinity'],
  [`'{"a": [1, 9007199254740993, null], "b": 1.5}'::jsonb`, { a: [1, '9007199254740993', null], b: 1.5 }],
  [`'{"__proto__": 1, "a": 2}'::json`, { a: 2 }],
  [
    `'{"\\\\\\"12345678901234567": "12345678901234567", "f": 0.12345678901234567, "e": 1e20, "n": [-12345678901234567, 9007199254740991]}'::json`,
    { '\\"12345678901234567': '12345678901234567', f: Number('0.12345678901234567'), e: 1e20, n: ['-12345678901234567', 9007199254740991] },
  ],
  ["'null'::jsonb", null],
  ['ARRAY[1, NULL, 3]', [1, null, 3]],
  [
    'ARRAY[[1, 2], [3, 4]]',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ["ARRAY['a,b', '\"', NULL]", ['a,b', '"', null]],
  ['ARRAY[\'{"a": 1}\'::jsonb]', [{ a: 1 }]],
  ["'\\x00ff'::bytea", 'AP8='],
  ['int4range(1, 5)', '[1,5)'],
  ["'192.168.0.1'::inet", '192.168.0.1'],
  ["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
])('the value %s is %j', async (expression, value) => {
  expect(await asked(`SELECT ${expression} AS v`)).toMatchObject({ kind: 'done', data: { rows: [{ v: value }] } });
});

test.each<[string, unknown, unknown]>([
  [':v::int[]', [1, 2], [1, 2]],
  [':v::jsonb', [{ a: "it's" }], [{ a: "it's" }]],
  [':v::text[]', ['a"b', '{x}', ','], ['a"b', '{x}', ',']],
  [':v::bigint', '9007199254740993', '9007199254740993'],
  [':v::bytea', 'AP8=', 'AP8='],
  [':v::date', '2026-01-31', '2026-01-31'],
  [':v', "'; DROP TABLE orders; --", "'; DROP TABLE orders; --"],
])('a parameter %s takes %j', async (expression, given, value) => {
  expect(await asked(`SELECT ${expression} AS v`, { input: { v: given } })).toMatchObject({ kind: 'done', data: { rows: [{ v: value }] } });
});

test('a bad value is the mistake of the caller, and a fault of the query is told', async () => {
  expect(await asked('SELECT :v::date AS d', { input: { v: 'tomorrowish' } })).toMatchObject({
    kind: 'refused',
    error: { native_code: 'UPSTREAM_INVALID_PARAMS', message: expect.stringContaining('tomorrowish') },
  });
  expect(await asked('SELECT 1 / :v::int AS d', { input: { v: 0 } })).toMatchObject({
    kind: 'refused',
    error: { native_code: 'UPSTREAM_REFUSED', message: expect.stringContaining('division by zero') },
  });
});

test.each([
  ['reader', []],
  ['writer', [expect.stringContaining('can write, such as to orders')]],
  ['postgres', [expect.stringContaining('superuser')]],
])('the role %s is warned of', async (role, warnings) => {
  await using services = openServices({}, 60_000);
  const result = await registered(services, [orders], { address: addressOf(role) });
  const told = result.kind === 'done' ? (result.data as { warnings?: string[] }).warnings : null;
  expect(told ?? []).toEqual(warnings);
});

test.each([
  ['a wrong password', () => addressOf('reader').replace(':none@', ':secret-word@'), /refuses the login/],
  ['no such role', () => addressOf('secret-word'), /refuses the login/],
  ['no such database', () => addressOf('reader').replace('/shop', '/nowhere'), /no database of the registered name/],
  ['no TLS', () => addressOf('reader', ''), /no TLS/],
  ['nobody there', () => `postgres://reader:secret-word@127.0.0.1:1/shop?sslmode=disable`, /refuses connections/],
  ['a parameter that names a file', () => addressOf('reader', '?sslmode=disable&sslrootcert=/etc/passwd'), /only sslmode is known/],
  ['a socket', () => 'postgres://reader:secret-word@%2Fvar%2Frun/shop', /names no host|postgres:/],
  [
    'no login',
    () =>
      addressOf('')
        .replace(':none@', '')
        .replace(/\/\/(?!.*@)/, '//'),
    /no login/,
  ],
])('%s is told, without the login', async (_what, address, message) => {
  await using services = openServices({}, 60_000);
  const result = await registered(services, [orders], { address: address() });
  expect(result).toMatchObject({ kind: 'refused', error: { message: expect.stringMatching(message) } });
  expect(JSON.stringify(result)).not.toContain('secret-word');
});

test('a private address is refused where they are, and so is an unencrypted one', async () => {
  await using services = openServices({ allowPrivate: false }, 60_000);
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '10.0.0.1', '169.254.169.254', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])
    expect(await registered(services, [orders], { address: `postgres://a:b@${host}/c` })).toMatchObject({
      kind: 'refused',
      error: { native_code: 'SERVER_NOT_ALLOWED' },
    });
  expect(await registered(services, [orders], { address: 'postgres://a:b@db.example.com/c?sslmode=disable' })).toMatchObject({
    kind: 'refused',
    error: { message: expect.stringContaining('in clear') },
  });
});

test('what changes in the database suspends its query alone, and a database that is away suspends none', async () => {
  await using services = openServices({}, 0);
  const name = newServer();
  await owner.query('CREATE TABLE moods (id int, mood text); GRANT SELECT ON moods TO reader');
  await registered(services, [orders, { name: 'moods', description: 'Moods.', sql: 'SELECT * FROM moods' }], { name });
  await owner.query('ALTER TABLE moods ADD COLUMN why text');
  expect(await call(services, name, { tool: 'orders', input: { country: 'de' } })).toMatchObject({ kind: 'done' });
  expect(await call(services, name, { tool: 'moods' })).toMatchObject({ kind: 'refused', error: { native_code: 'UPSTREAM_CHANGED' } });
  await owner.query('REVOKE CONNECT ON DATABASE shop FROM PUBLIC; DROP TABLE moods');
  try {
    expect(await call(services, name, { tool: 'orders', input: { country: 'de' } })).toMatchObject({ kind: 'failed' });
  } finally {
    await owner.query('GRANT CONNECT ON DATABASE shop TO PUBLIC');
  }
  expect(await call(services, name, { tool: 'orders', input: { country: 'de' } })).toMatchObject({ kind: 'done' });
});

test('many queries are read by a few connections at a time, and keep their order', async () => {
  await using services = openServices({}, 60_000);
  const queries = Array.from({ length: 70 }, (_, n) => ({
    name: `q${n % 69}`,
    description: `Query ${n}.`,
    sql: n === 40 ? 'SELECT nothing FROM orders' : `SELECT ${n} AS n FROM orders`,
  }));
  // While somebody has the table, no query on it is described.
  await owner.query('BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE');
  const done = registered(services, queries);
  const busy = async (): Promise<unknown> => {
    // A transaction sees one state of it otherwise.
    await owner.query('SELECT pg_stat_clear_snapshot()');
    const waiting = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'invoq' AND wait_event_type = 'Lock'";
    return (await owner.query(waiting)).rows[0].n;
  };
  try {
    await eventually(async () => (await busy()) === 3);
  } finally {
    await owner.query('COMMIT');
  }
  const { data } = z
    .object({ data: z.object({ tools: z.array(z.object({ name: z.string() })), rejected: z.unknown() }) })
    .parse(await done);
  expect(data.tools.map(({ name }) => name.split('__')[1])).toEqual(
    Array.from({ length: 69 }, (_, n) => `q${n}`).filter((name) => name !== 'q40'),
  );
  expect(data.rejected).toEqual([
    { tool: 'q40', reason: expect.stringContaining('nothing') },
    { tool: 'q0', reason: 'another of its queries has this name' },
  ]);
});

test('parameters of other kinds are refused, and a login beside the sealed one', async () => {
  await using services = openServices({}, 60_000);
  for (const [more, message] of [
    [{ base_url: 'https://a.example.com' }, /'base_url' is not for the kind sql/],
    [{ queries: null }, /give 'queries'/],
    [{ url: 'postgres://u:p@db.example.com/c' }, /must not stand here/],
    [{ url: 'https://db.example.com/c' }, /'url' is postgres/],
    [{ kind: 'mcp' }, /'queries' are for the kind sql/],
  ] as const)
    expect(await registered(services, [orders], { more })).toMatchObject({
      kind: 'refused',
      error: { message: expect.stringMatching(message) },
    });
});

test('a port where nobody listens is tried again', async () => {
  await using services = openServices({}, 60_000);
  const name = newServer();
  await registered(services, [orders], { name });
  const away = addressOf('reader').replace(/:\d+\//, `:${await closedPort()}/`);
  await database.mcpServer.update({
    where: { id: `${tenantId}/${name}` },
    data: { headers: sealed(name, away).sealed_headers, approval: 2 },
  });
  expect(await call(services, name, { tool: 'orders', input: { country: 'de' } })).toMatchObject({ kind: 'failed', failure: 'network' });
});
