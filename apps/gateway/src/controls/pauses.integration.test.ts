// Pauses: calls that wait in the queue, that come meanwhile, that are tried again; of workers that a test's own tenant has.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { auditPage, pause, pauseList, servedDomainName, userScopes } from '#lib/contracts';
import { acceptedShape, eventually, HttpCaller, startTimeoutMs, Tenant, givenStores, type Reply } from '#lib/testing';
import { Failure, handle, type ServedWorker } from '#lib/serve';
import { partitionOf } from '#lib/transport';
import { PauseKeeper } from '../rules/flow/pause-keeper.js';
import { contractOf } from '../serving/test-contract.js';
import { startOwnWorker } from '../serving/test-own-worker.js';
import { Stores } from '../stores.js';
import { TestHttpGateway } from '../test-http-gateway.js';

let gateway: TestHttpGateway;
let url: string;
let admin: HttpCaller;
let user: HttpCaller;
let operator: HttpCaller;
let workerKey: string;
const workers: ServedWorker[] = [];

beforeAll(async () => {
  gateway = await TestHttpGateway.start();
  url = `http://127.0.0.1:${gateway.port}`;
  const { tenant } = gateway;
  workerKey = await tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
  admin = new HttpCaller(url, await tenant.key({ userId: null, tier: 'vip', scopes: ['tenant:admin', ...userScopes] }));
  user = new HttpCaller(url, await tenant.key({ tier: 'vip' }));
  operator = new HttpCaller(url, await tenant.key({ userId: null, tier: 'vip', scopes: ['admin', ...userScopes] }));
}, startTimeoutMs);

afterEach(async () => {
  for (const { name, by } of (await admin.get('/pauses')).as(pauseList).pauses)
    await (by === 'operator' ? operator : admin).delete(`/pauses/${name}`);
  await Promise.all(workers.splice(0).map((worker) => worker.stop().catch(() => undefined)));
});
afterAll(async () => gateway?.[Symbol.asyncDispose]());

let used = 0;
/** A tool of the tenant whose calls note that they ran. */
async function served(options: { readonly concurrency?: number; readonly run?: (text: string, attempt: number) => Promise<void> } = {}) {
  const name = `paused_tool_${++used}`;
  const ran: string[] = [];
  const contract = { ...contractOf(name), retry: { service: { times: 2, baseMs: 300 } } };
  const tool = handle(contract, async ({ text }, { attempt }) => {
    ran.push(text);
    await options.run?.(text, attempt);
    return { said: text };
  });
  workers.push(await startOwnWorker(gateway, { key: workerKey, tool, ...(options.concurrency && { concurrency: options.concurrency }) }));
  return { name, ran };
}

const put = async (by: HttpCaller, name: string, json: object) => by.request(`/pauses/${name}`, { method: 'PUT', json });
const call = async (tool: string, text: string, headers = {}) =>
  user.post(`/tools/${tool}`, { text }, { prefer: 'respond-async', ...headers });
const begun = async (tool: string, text: string) => (await call(tool, text)).as(acceptedShape).job_id;
const job = z.looseObject({
  state: z.string(),
  attempts_made: z.number(),
  rest: z.looseObject({ reason: z.string(), pause: z.unknown() }).nullable(),
});
const read = async (id: string) => (await user.get(`/jobs/${id}`)).as(job);
const inState = async (id: string, state: string) =>
  eventually(
    async () => {
      const found = await read(id);
      return found.state === state && found;
    },
    { withinMs: 30_000 },
  );
const errorOf = (reply: Reply) => reply.as(z.looseObject({ error: z.looseObject({ code: z.string(), message: z.string() }) })).error;

describe('A pause', () => {
  test('takes what waits in the queue, and what comes, in nobody`s way; its end lets all of it run once, in its order', async () => {
    const held = Promise.withResolvers<void>();
    const { name, ran } = await served({ concurrency: 1, run: async (text) => (text === 'first' ? held.promise : undefined) });
    const first = await begun(name, 'first');
    await eventually(() => ran.length === 1, { withinMs: 30_000 });
    const queued = [await begun(name, 'a'), await begun(name, 'b')];
    const made = await put(admin, 'upstream', { tool: name, reason: 'the upstream is down' });
    expect([made.status, made.headers.get('location')]).toEqual([201, '/pauses/upstream']);
    expect(made.body).toMatchObject({ name: 'upstream', by: 'tenant', tool: name, tenant: gateway.tenant.id, refuse: false });
    const late = (await call(name, 'late')).as(acceptedShape);
    expect(late).toMatchObject({ state: 'resting', rest: { reason: 'paused' } });
    held.resolve();
    expect(await inState(first, 'completed')).toMatchObject({ attempts_made: 1 });
    for (const id of [...queued, late.job_id])
      expect(await inState(id, 'resting')).toMatchObject({
        attempts_made: 0,
        rest: { reason: 'paused', pause: { name: 'upstream', reason: 'the upstream is down' } },
      });
    const { name: other } = await served();
    expect((await user.post(`/tools/${other}`, { text: 'x' })).status).toBe(200);
    const listed = (await user.get('/jobs?state=resting&limit=100')).as(z.looseObject({ jobs: z.array(job) })).jobs;
    expect(listed.filter(({ rest }) => rest?.reason === 'paused')).toHaveLength(3);
    await gateway.app.get(PauseKeeper).look();
    expect((await admin.get('/pauses/upstream')).as(pause).waiting).toBe(3);
    expect(ran).toEqual(['first']);

    expect((await admin.delete('/pauses/upstream')).status).toBe(200);
    for (const id of [...queued, late.job_id]) expect(await inState(id, 'completed')).toMatchObject({ attempts_made: 1, rest: null });
    expect(ran.toSorted()).toEqual(['a', 'b', 'first', 'late']);
    const { stores } = { stores: gateway.app.get(Stores) };
    const partition = partitionOf(servedDomainName({ tenant: gateway.tenant.id, domain: 'sales' }));
    expect(await stores.redis.hgetall(stores.keys.paused(partition))).toEqual({});
  });

  test('is met by an attempt that is tried again, which counts no further one; the call ends with its own error or result', async () => {
    const paused = Promise.withResolvers<void>();
    const { name, ran } = await served({
      run: async (_text, attempt) => {
        if (attempt > 1) return;
        await paused.promise;
        throw new Failure('service', 'not yet');
      },
    });
    const id = await begun(name, 'again');
    await eventually(() => ran.length === 1, { withinMs: 30_000 });
    await put(admin, 'upstream', { tool: name, reason: 'down' });
    paused.resolve();
    expect(await inState(id, 'resting')).toMatchObject({ attempts_made: 1, rest: { reason: 'paused' } });
    await admin.delete('/pauses/upstream');
    expect(await inState(id, 'completed')).toMatchObject({ attempts_made: 2 });
  });

  test('with `refuse` lets no call in, and answers those whose answer is there', async () => {
    const { name, ran } = await served();
    const again = { 'idempotency-key': 'one' };
    expect((await user.post(`/tools/${name}`, { text: 'a' }, again)).status).toBe(200);
    await put(admin, 'closed', { tool: name, reason: 'a migration', refuse: true });
    const refused = await user.post(`/tools/${name}`, { text: 'b' });
    expect(refused.status).toBe(503);
    expect(errorOf(refused)).toMatchObject({ code: 'OVERLOADED', native_code: 'PAUSED', pause: 'closed', reason: 'a migration' });
    expect(errorOf(refused).message).toContain("paused by 'closed': a migration");
    expect((await user.post(`/tools/${name}`, { text: 'a' }, again)).status).toBe(200);
    expect(ran).toEqual(['a']);
    await put(admin, 'closed', { tool: name, reason: 'a migration' });
    expect((await call(name, 'c')).body).toMatchObject({ state: 'resting' });
  });

  test('a paused call that is cancelled waits for nothing more, and one that is put in the place of another pause stays', async () => {
    const { name, ran } = await served();
    await put(admin, 'one', { tool: name, reason: 'first' });
    const [kept, cancelled] = [await begun(name, 'kept'), await begun(name, 'cancelled')];
    expect((await user.delete(`/jobs/${cancelled}`)).status).toBe(202);
    await put(admin, 'one', { tool: name, reason: 'second' });
    await eventually(async () => {
      const { rest } = await read(kept);
      return JSON.stringify(rest?.pause) === JSON.stringify({ name: 'one', reason: 'second' });
    });
    await gateway.app.get(PauseKeeper).look();
    expect((await admin.get('/pauses/one')).as(pause).waiting).toBe(1);
    await admin.delete('/pauses/one');
    await inState(kept, 'completed');
    expect(ran).toEqual(['kept']);
  });

  test('of a domain, or of the tenant, pauses all of it; the operator pauses for a tenant, which sees that and cannot end it', async () => {
    const { name } = await served();
    await put(admin, 'sales', { domain: 'sales', reason: 'a test' });
    expect((await call(name, 'a')).body).toMatchObject({ state: 'resting' });
    await admin.delete('/pauses/sales');
    expect((await put(operator, 'all', { tenant: gateway.tenant.id, reason: 'unpaid' })).body).toMatchObject({ by: 'operator' });
    expect((await call(name, 'b')).body).toMatchObject({ state: 'resting', rest: { pause: { name: 'all', reason: 'unpaid' } } });
    expect((await admin.get('/pauses')).as(pauseList).pauses).toMatchObject([{ name: 'all', by: 'operator' }]);
    expect((await admin.get('/pauses/all')).status).toBe(200);
    expect((await admin.delete('/pauses/all')).status).toBe(404);
    expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ pauses: expect.any(Number) });
    await using stranger = await Tenant.create(givenStores().databaseUrl);
    const theirs = new HttpCaller(url, await stranger.key({ userId: null, scopes: ['tenant:admin', ...userScopes] }));
    expect((await theirs.get('/pauses')).as(pauseList).pauses).toEqual([]);
    expect((await theirs.get('/pauses/all')).status).toBe(404);
    expect((await put(theirs, 'x', { tenant: gateway.tenant.id, reason: 'spite' })).status).toBe(400);
  });

  test('is in the audit, made, changed and ended', async () => {
    const { name } = await served();
    await put(admin, 'seen', { tool: name, reason: 'first' });
    await put(admin, 'seen', { tool: name, reason: 'second' });
    await admin.delete('/pauses/seen');
    const { events } = (await admin.get('/audit?subject=seen')).as(auditPage);
    expect(events.map(({ action }) => action)).toEqual(['pause.delete', 'pause.update', 'pause.insert']);
    expect(events[1]).toMatchObject({ changed: expect.arrayContaining(['reason']), facts: { reason: 'second', tool: name } });
  });

  test.each([
    [{ tool: 'no_such_tool', reason: 'x' }, 404, 'no_such_tool'],
    [{ domain: 'nowhere', reason: 'x' }, 400, 'domain'],
    [{ reason: 'x' }, 400, 'tool, domain or tenant'],
    [{ tool: 'calc_metrics' }, 400, 'reason'],
    [{ tool: 'calc_metrics', reason: '  ' }, 400, 'reason'],
    [{ tool: 'calc_metrics', reason: 'x', refuse: 'yes' }, 400, 'refuse'],
    [{ tool: 'calc_metrics', reason: 'x', until: 'then' }, 400, 'until'],
  ])('%j is refused with %i, and the fault is named', async (json, status, words) => {
    const reply = await put(admin, 'wrong', json);
    expect([reply.status, errorOf(reply).message.includes(words) || reply.text.includes(words)]).toEqual([status, true]);
  });

  test('is no matter of ordinary users', async () => {
    expect((await put(user, 'mine', { tool: 'calc_metrics', reason: 'x' })).status).toBe(403);
    expect((await user.get('/pauses')).status).toBe(403);
    expect((await user.delete('/pauses/mine')).status).toBe(403);
  });
});
