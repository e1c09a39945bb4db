// What was derived from a credential ends with it: open requests of every kind, and the credential of a turn.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { userScopes, type Caller } from '#lib/contracts';
import { eventually, type HttpCaller, startTimeoutMs } from '#lib/testing';
import { mintTurnToken } from '#lib/transport';
import { startTestGateway, type TestGateway } from '../test-gateway.js';

/** A sweep a second, and what the machine of a test may add to it. */
const soonMs = 2_500;
const secret = 'a secret of at least thirty-two characters';
const issuer = 'https://id.example';

let gateway: TestGateway;
let admin: HttpCaller;

beforeAll(async () => {
  gateway = await startTestGateway({
    settings: { JWT_ISSUER: issuer, JWT_AUDIENCE: 'invoq', JWT_SECRET: secret },
    // Every call stays open.
    handler: () => null,
  });
  admin = await gateway.caller({ userId: null, scopes: ['*'] });
}, startTimeoutMs);

afterAll(async () => gateway?.[Symbol.asyncDispose](), startTimeoutMs);

const idOf = (key: string) => /^invoq_([^_]+)/.exec(key)?.[1] ?? '';
const revoke = async (key: string) => admin.request(`/keys/${idOf(key)}`, { method: 'DELETE' });
const json = { 'content-type': 'application/json' };

async function startCall(key: string): Promise<string> {
  const response = await fetch(`${gateway.url}/tools/test_plain`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, prefer: 'respond-async', ...json },
    body: JSON.stringify({ order: crypto.randomUUID() }),
  });
  return z.object({ job_id: z.string() }).parse(await response.json()).job_id;
}

type Opened = (key: string) => Promise<{ readonly path: string; readonly init?: RequestInit }>;

const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const older = { 'mcp-protocol-version': '2025-06-18', accept: 'application/json, text/event-stream', ...json };
const modern = (method: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  accept: 'application/json, text/event-stream',
  ...json,
});
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const streams: readonly (readonly [string, Opened])[] = [
  ['a call as an event stream', async () => ({ path: `/tools/test_plain/sse?order=${crypto.randomUUID()}` })],
  ['the events of a job', async (key) => ({ path: `/jobs/${await startCall(key)}/events` })],
  [
    'the events of a job by a ticket',
    async (key) => {
      const jobId = await startCall(key);
      const issued = await fetch(`${gateway.url}/tickets`, { method: 'POST', headers: { authorization: `Bearer ${key}` } });
      const { ticket } = z.object({ ticket: z.string() }).parse(await issued.json());
      return { path: `/jobs/${jobId}/events?ticket=${ticket}`, init: { headers: {} } };
    },
  ],
  ['what MCP has to tell clients of older revisions', async () => ({ path: '/mcp', init: { headers: older } })],
  [
    'a call by MCP with progress',
    async () => ({
      path: '/mcp',
      init: {
        method: 'POST',
        headers: older,
        body: rpc('tools/call', { name: 'test_plain', arguments: { order: crypto.randomUUID() }, _meta: { progressToken: 1 } }),
      },
    }),
  ],
  [
    'what MCP has to tell',
    async () => ({
      path: '/mcp',
      init: {
        method: 'POST',
        headers: modern('subscriptions/listen'),
        body: rpc('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: meta }),
      },
    }),
  ],
];

async function open(opened: Opened, key: string): Promise<Response> {
  const { path, init = {} } = await opened(key);
  const { authorization, ...headers } = { authorization: `Bearer ${key}`, ...Object.fromEntries(new Headers(init.headers)) };
  const isByTicket = path.includes('ticket=');
  return fetch(gateway.url + path, { ...init, headers: isByTicket ? headers : { ...headers, authorization } });
}

/** Reads to the end, however it comes. @returns after how many ms */
async function endOf(response: Response): Promise<number> {
  const begun = performance.now();
  await response.text().catch(() => undefined);
  return performance.now() - begun;
}

describe.each(streams)('A stream: %s', (_, opened) => {
  test('ends within a second of the revocation of its key, and no other does', async () => {
    const [key, other] = [await gateway.tenant.key(), await gateway.tenant.key()];
    const [mine, theirs] = await Promise.all([open(opened, key), open(opened, other)]);
    expect([mine.status, mine.headers.get('content-type'), theirs.status]).toEqual([
      200,
      expect.stringContaining('text/event-stream'),
      200,
    ]);
    let isOver = false;
    const rest = endOf(theirs).then((ms) => {
      isOver = true;
      return ms;
    });
    expect((await revoke(key)).status).toBe(200);
    expect(await endOf(mine)).toBeLessThan(soonMs);
    expect(isOver).toBe(false);
    await revoke(other);
    expect(await rest).toBeLessThan(3 * soonMs);
  });
});

describe('A request that waits', () => {
  test.each(['a call', 'a job'])('is answered by 401 when its key is revoked: %s', async (kind) => {
    const key = await gateway.tenant.key();
    const headers = { authorization: `Bearer ${key}`, ...json };
    const jobId = await startCall(key);
    const waiting =
      kind === 'a job'
        ? fetch(`${gateway.url}/jobs/${jobId}?wait=60`, { headers })
        : fetch(`${gateway.url}/tools/test_plain`, { method: 'POST', headers, body: JSON.stringify({ order: crypto.randomUUID() }) });
    // The request has arrived when the next one of the same client has been answered.
    await fetch(`${gateway.url}/tools`, { headers });
    await revoke(key);
    const answer = await waiting;
    expect([answer.status, await answer.json()]).toEqual([
      401,
      expect.objectContaining({ error: expect.objectContaining({ code: 'UNAUTHORIZED' }) }),
    ]);
  });
});

test('A call that waits is cancelled with its request when its key is revoked, and one that may be asked for again is not', async () => {
  const key = await gateway.tenant.key();
  const other = await gateway.caller();
  const headers = { authorization: `Bearer ${key}`, ...json };
  const begun = (more: Readonly<Record<string, string>>) => {
    const traceId = `trace_20261129_${crypto.randomUUID().slice(-12)}`;
    const body = JSON.stringify({ order: crypto.randomUUID() });
    const waiting = fetch(`${gateway.url}/tools/test_plain`, {
      method: 'POST',
      headers: { ...headers, ...more, 'x-trace-id': traceId },
      body,
    });
    const isIn = async (state: string) => (await other.get(`/jobs?tool=test_plain&state=${state}&limit=100`)).text.includes(traceId);
    return { waiting, isIn };
  };
  const [plain, kept] = [begun({}), begun({ 'idempotency-key': crypto.randomUUID() })];
  for (const { isIn } of [plain, kept]) await eventually(async () => (await isIn('queued')) || isIn('active'), { what: 'a call' });
  await revoke(key);
  expect([(await plain.waiting).status, (await kept.waiting).status]).toEqual([401, 401]);
  await eventually(async () => plain.isIn('cancelled'), { what: 'the end of the plain call' });
  expect((await kept.isIn('queued')) || (await kept.isIn('active'))).toBe(true);
});

test('A stream that a token opened ends with the token', async () => {
  const endsInSeconds = 4;
  const token = await new SignJWT({ tenant_id: gateway.tenant.id, sub: 'user_001' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer)
    .setAudience('invoq')
    // Tokens are accepted for 5 s after their end.
    .setExpirationTime(Math.floor(Date.now() / 1_000) + endsInSeconds - 5)
    .sign(new TextEncoder().encode(secret));
  const response = await fetch(`${gateway.url}/tools/test_plain/sse?order=x`, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  expect(await endOf(response)).toBeLessThan(endsInSeconds * 1_000 + soonMs);
});

describe('The credential of a chat turn', () => {
  async function turnOf(key: string): Promise<{ readonly authorization: string; readonly jobId: string }> {
    const jobId = await startCall(key);
    const caller: Caller = { tenantId: gateway.tenant.id, userId: 'user_001', tier: 'pro', scopes: userScopes, credentialId: idOf(key) };
    const authority = { jobId, caller, expiresAt: Date.now() + 60_000 };
    return { authorization: `Bearer ${mintTurnToken(gateway.stores.sealer, authority)}`, jobId };
  }

  test.each(['Bearer ', 'bearer   ', 'BEARER '])('gets no tickets, however it is spelled: %j', async (scheme) => {
    const { authorization } = await turnOf(await gateway.tenant.key());
    const headers = { authorization: authorization.replace('Bearer ', scheme) };
    const answer = await fetch(`${gateway.url}/tickets`, { method: 'POST', headers });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ error: { code: 'PERMISSION_DENIED', message: expect.stringContaining('no tickets') } });
  });

  test('ends at once with the key that began the turn', async () => {
    const key = await gateway.tenant.key();
    const { authorization } = await turnOf(key);
    expect((await fetch(`${gateway.url}/tools`, { headers: { authorization } })).status).toBe(200);
    await revoke(key);
    const answer = await fetch(`${gateway.url}/tools`, { headers: { authorization } });
    expect([answer.status, await answer.text()]).toEqual([401, expect.stringContaining('revoked')]);
  });

  test('ends with its turn', async () => {
    const key = await gateway.tenant.key();
    const { authorization, jobId } = await turnOf(key);
    await fetch(`${gateway.url}/jobs/${jobId}`, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } });
    await eventually(async () => (await fetch(`${gateway.url}/tools`, { headers: { authorization } })).status === 401);
  });
});
