import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { consoleSession } from '#lib/contracts';
import { Stores } from '../stores.js';
import { TestHttpGateway, type TestAnswer } from '../test-http-gateway.js';
import { ConsoleSessions, idleMs, longestMs } from './console-sessions.js';

/** A sweep a second, and what the machine of a test may add to it. */
const soonMs = 2_500;
const page = { 'sec-fetch-site': 'same-origin', 'x-invoq-console': '1' };

let gateway: TestHttpGateway;
beforeAll(async () => {
  gateway = await TestHttpGateway.start();
});
afterAll(async () => gateway[Symbol.asyncDispose]());

const ticketIn = ({ body }: TestAnswer) => z.object({ ticket: z.string() }).parse(JSON.parse(body)).ticket;
const idOf = (key: string) => /^invoq_([^_]+)/.exec(key)?.[1] ?? '';
const signIn = async (body: object, headers: Readonly<Record<string, string>> = page): Promise<TestAnswer> =>
  gateway.send('/console/session', { method: 'POST', headers, body: JSON.stringify(body) });
const ticketOf = async (authorization: string): Promise<string> => {
  const answer = await gateway.post('/console/tickets', {}, authorization);
  return ticketIn(answer);
};

function cookieIn({ headers }: TestAnswer): string {
  const [cookie = ''] = [headers['set-cookie'] ?? ''].flat();
  return cookie.split(';')[0] ?? '';
}

async function session(key?: string) {
  const used = key ?? (await gateway.tenant.key());
  const cookie = cookieIn(await signIn({ key: used }));
  const send: TestHttpGateway['send'] = async (path, request) =>
    gateway.send(path, { ...request, headers: { ...page, cookie, ...request?.headers } });
  return { key: used, cookie, send };
}

describe('Signing in', () => {
  test('turns a key into a cookie that scripts and other sites cannot use, and never repeats the key', async () => {
    const key = await gateway.tenant.key();
    const answer = await signIn({ key: ` ${key}\n` });
    expect(answer.status).toBe(201);
    expect(String(answer.headers['set-cookie'])).toMatch(/^invoq_console=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    expect(consoleSession.parse(JSON.parse(answer.body))).toMatchObject({ user_id: 'user_001', credential_id: idOf(key) });
    expect(JSON.stringify([answer.body, answer.headers])).not.toContain(key);
    const held = await heldSessions();
    expect(held.join()).toContain(idOf(key));
    expect(held.join()).not.toContain(cookieIn(answer).slice('invoq_console='.length));
  });

  test('by HTTPS sets a cookie that only this host can set', async () => {
    await using proxied = await TestHttpGateway.start({ TRUSTED_PROXIES: '1' });
    const headers = { ...page, 'x-forwarded-proto': 'https' };
    const key = await proxied.tenant.key();
    const answer = await proxied.send('/console/session', { method: 'POST', headers, body: JSON.stringify({ key }) });
    expect(String(answer.headers['set-cookie'])).toMatch(/^__Host-invoq_console=[\w-]{43}; Path=\/; .*; Secure$/);
    const cookie = cookieIn(answer);
    expect((await proxied.send('/tools', { headers: { ...headers, cookie } })).status).toBe(200);
    const plain = cookie.replace('__Host-', '');
    expect((await proxied.send('/tools', { headers: { ...headers, cookie: plain } })).status).toBe(401);
  });

  test('by the ticket of an address works once, of many who come at once', async () => {
    const ticket = await ticketOf(gateway.admin);
    const answers = await Promise.all(Array.from({ length: 10 }, async () => signIn({ ticket })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(9);
    expect((await signIn({ ticket })).status).toBe(401);
  });

  test('by a ticket is over after a minute, and with the key of the ticket', async () => {
    const { redis, keys } = gateway.app.get(Stores);
    const old = await ticketOf(gateway.admin);
    expect(await redis.ttl(keys.consoleTicket(old))).toBeLessThanOrEqual(60);
    await redis.pexpire(keys.consoleTicket(old), 0);
    expect((await signIn({ ticket: old })).status).toBe(401);
    const key = await gateway.tenant.key();
    const ticket = await ticketOf(`Bearer ${key}`);
    await gateway.send(`/keys/${idOf(key)}`, { method: 'DELETE', authorization: gateway.admin });
    expect((await signIn({ ticket })).status).toBe(401);
  });

  test.each([
    ['no key', {}, 400],
    ['both', { key: 'a', ticket: 'b' }, 400],
    ['a key of another type', { key: 1 }, 400],
    ['a wrong key', { key: `invoq_${'a'.repeat(12)}_${'b'.repeat(38)}` }, 401],
    ['a text that is no key', { key: 'hello' }, 401],
    ['a made-up ticket', { ticket: `con_${'a'.repeat(43)}` }, 401],
    ['a ticket for an EventSource', null, 401],
  ])('is refused with %s', async (_, body, status) => {
    const given = body ?? { ticket: ticketIn(await gateway.post('/tickets', {})) };
    const answer = await signIn(given);
    expect([answer.status, answer.headers['set-cookie']]).toEqual([status, undefined]);
  });

  test('is refused from a page of another site, and from a form', async () => {
    const key = await gateway.tenant.key();
    expect((await signIn({ key }, { ...page, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' })).status).toBe(403);
    expect((await signIn({ key }, { 'sec-fetch-site': 'same-origin' })).status).toBe(403);
  });

  test('counts wrong keys of an address', async () => {
    await using strict = await TestHttpGateway.start({ AUTH_FAILURES_PER_MINUTE: '3' });
    const wrong = { method: 'POST', headers: page, body: JSON.stringify({ key: 'invoq_wrong' }) };
    for (let n = 0; n < 3; n++) expect((await strict.send('/console/session', wrong)).status).toBe(401);
    expect((await strict.send('/console/session', wrong)).status).toBe(429);
  });
});

describe('The cookie of a session', () => {
  test('is a credential for the pages of the console', async () => {
    const { send } = await session();
    expect((await send('/tools')).status).toBe(200);
    expect((await send('/tools/test', { method: 'POST', body: '{}' })).status).toBe(404);
    const told = consoleSession.parse(JSON.parse((await send('/console/session')).body));
    expect(told.session).toMatchObject({ started_at: expect.any(String), ends_at: expect.any(String) });
  });

  test.each([
    ['a page of another site', '/tools', 'GET', { 'sec-fetch-site': 'cross-site' }],
    ['a page of a sibling host', '/tools', 'GET', { 'sec-fetch-site': 'same-site' }],
    ['an address that was typed', '/tools', 'GET', { 'sec-fetch-site': 'none' }],
    ['a change without the header', '/tickets', 'POST', { 'x-invoq-console': '0' }],
    ['MCP', '/mcp', 'POST', {}],
    ['MCP, listening', '/mcp', 'GET', {}],
    ['MCP, spelled otherwise', '/%6dcp', 'POST', {}],
  ])('does not count for %s', async (_, path, method, headers) => {
    const { send } = await session();
    const answer = await send(path, { method, headers, ...(method === 'POST' && { body: '{}' }) });
    expect(answer.status).toBe(401);
  });

  test('does not count beside a credential, even a wrong one', async () => {
    const { send } = await session();
    expect((await send('/tools', { authorization: 'Bearer invoq_wrong' })).status).toBe(401);
    const told = await send('/console/session', { authorization: gateway.admin });
    expect(JSON.parse(told.body)).toMatchObject({ user_id: null, session: null });
  });

  test('has the rights of its key and no others', async () => {
    const { send } = await session();
    expect((await send('/keys')).status).toBe(403);
    const admin = await session(gateway.admin.slice('Bearer '.length));
    expect((await admin.send('/keys')).status).toBe(200);
  });

  test.each(['', 'x', 'a'.repeat(43), '*'.repeat(43)])('cannot be made up: %j', async (id) => {
    expect((await gateway.send('/tools', { headers: { ...page, cookie: `invoq_console=${id}` } })).status).toBe(401);
  });

  test('gets no ticket for another session', async () => {
    const { send } = await session();
    expect((await send('/console/tickets', { method: 'POST', body: '{}' })).status).toBe(403);
  });
});

describe('A session ends', () => {
  test('by signing out, and its cookie is taken back', async () => {
    const { send } = await session();
    const answer = await send('/console/session', { method: 'DELETE' });
    expect([answer.status, String(answer.headers['set-cookie'])]).toEqual([
      204,
      expect.stringContaining('invoq_console=; Path=/; Max-Age=0'),
    ]);
    expect((await send('/tools')).status).toBe(401);
  });

  test('with its key', async () => {
    const { key, send } = await session();
    await gateway.send(`/keys/${idOf(key)}`, { method: 'DELETE', authorization: gateway.admin });
    expect((await send('/tools')).status).toBe(401);
  });

  test('30 minutes after the last request, and 12 hours after its start', async () => {
    const stores = gateway.app.get(Stores);
    const { redis, keys } = stores;
    let now = Date.now();
    const caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' } as const;
    const known = { callerOfId: async () => caller };
    const sessions = new ConsoleSessions(stores, known, { callerAgain: (one) => one }, { now: () => now });
    const { id, caller: started } = await sessions.start('k');
    const name = keys.consoleSession(started.consoleSession ?? '');
    expect(await redis.pttl(name)).toBeLessThanOrEqual(idleMs);
    await redis.pexpire(name, 1_000);
    // Being open is no use of it.
    await sessions.check(started.consoleSession ?? '');
    expect(await redis.pttl(name)).toBeLessThanOrEqual(1_000);
    await sessions.callerOf(id);
    expect(await redis.pttl(name)).toBeGreaterThan(idleMs - 60_000);
    now += longestMs - 60_000;
    await sessions.callerOf(id);
    expect(await redis.pttl(name)).toBeLessThanOrEqual(60_000);
    now += 60_000;
    await redis.persist(name);
    await expect(sessions.callerOf(id)).rejects.toThrow('has ended');
    await expect(sessions.check(started.consoleSession ?? '')).rejects.toThrow('has ended');
    await redis.del(name);
  });

  test.each(['signing out', 'the revocation of its key'])('and its streams and tickets with it, within a second: %s', async (how) => {
    const { key, send } = await session();
    const other = await session(key);
    const body = JSON.stringify({ height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' });
    const started = await send('/tools/calc_metrics', { method: 'POST', headers: { prefer: 'respond-async' }, body });
    const { job_id } = z.object({ job_id: z.string() }).parse(JSON.parse(started.body));
    const ticket = ticketIn(await send('/tickets', { method: 'POST', body: '{}' }));
    const stream = send(`/jobs/${job_id}/events`);
    const others = other.send(`/jobs/${job_id}/events`);
    let isOver = false;
    void others.then(() => (isOver = true));
    await send('/tools');
    const begun = performance.now();
    if (how === 'signing out') await send('/console/session', { method: 'DELETE' });
    else await gateway.send(`/keys/${idOf(key)}`, { method: 'DELETE', authorization: gateway.admin });
    expect((await stream).status).toBe(200);
    expect(performance.now() - begun).toBeLessThan(soonMs);
    expect((await gateway.send(`/jobs/${job_id}/events?ticket=${ticket}`)).status).toBe(401);
    if (how === 'signing out') {
      expect(isOver).toBe(false);
      await other.send('/console/session', { method: 'DELETE' });
    }
    await others;
  });
});

async function heldSessions(): Promise<readonly string[]> {
  const { redis, keys } = gateway.app.get(Stores);
  const names = await redis.keys(keys.consoleSession('*'));
  return [...names, ...(await Promise.all(names.map(async (name) => (await redis.get(name)) ?? '')))];
}
