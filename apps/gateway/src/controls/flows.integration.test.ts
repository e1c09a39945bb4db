// Flows: calls that wait for each other in the line of their key; of workers that a test's own tenant has, through two gateways.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { auditPage, callPage, flow, flowList, userScopes } from '#lib/contracts';
import { acceptedShape, eventually, HttpCaller, startTimeoutMs, Tenant, givenStores, type Reply } from '#lib/testing';
import { Failure, handle, type ServedWorker } from '#lib/serve';
import { FlowKeeper } from '../rules/flow/flow-keeper.js';
import { contractOf } from '../serving/test-contract.js';
import { startOwnWorker } from '../serving/test-own-worker.js';
import { TestHttpGateway } from '../test-http-gateway.js';

let gateway: TestHttpGateway;
let second: TestHttpGateway;
let admin: HttpCaller;
let user: HttpCaller;
let elsewhere: HttpCaller;
let operator: HttpCaller;
let workerKey: string;
const workers: ServedWorker[] = [];

beforeAll(async () => {
  gateway = await TestHttpGateway.start();
  second = await gateway.another();
  const { tenant } = gateway;
  const at = ({ port }: TestHttpGateway, key: string) => new HttpCaller(`http://127.0.0.1:${port}`, key);
  workerKey = await tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
  admin = at(gateway, await tenant.key({ userId: null, tier: 'vip', scopes: ['tenant:admin', ...userScopes] }));
  const key = await tenant.key({ tier: 'vip' });
  user = at(gateway, key);
  elsewhere = at(second, key);
  operator = at(gateway, await tenant.key({ userId: null, tier: 'vip', scopes: ['admin', ...userScopes] }));
  // The first contract of a gateway starts a process that checks it.
  await served();
}, startTimeoutMs);

afterEach(async () => {
  for (const { name, by } of (await admin.get('/flows')).as(flowList).flows)
    await (by === 'operator' ? operator : admin).delete(`/flows/${name}`);
  await Promise.all(workers.splice(0).map((worker) => worker.stop().catch(() => undefined)));
});
afterAll(async () => {
  await second?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

let used = 0;
/** A tool of the tenant: what of it runs, how many ran at a time of each text, and when each began. */
async function served(run: (text: string, attempt: number) => Promise<void> = async () => sleep(20), more: object = {}) {
  const name = `flow_tool_${++used}`;
  const [running, most] = [new Map<string, number>(), new Map<string, number>()];
  const begun: number[] = [];
  const tool = handle({ ...contractOf(name, more), retry: { service: { times: 2, baseMs: 50 } } }, async ({ text }, { attempt }) => {
    begun.push(performance.now());
    const now = (running.get(text) ?? 0) + 1;
    running.set(text, now);
    most.set(text, Math.max(most.get(text) ?? 0, now));
    try {
      await run(text, attempt);
    } finally {
      running.set(text, (running.get(text) ?? 1) - 1);
    }
    return { said: text };
  });
  workers.push(await startOwnWorker(gateway, { key: workerKey, tool, concurrency: 50 }));
  await eventually(async () => (await elsewhere.get(`/tools/${name}`)).status === 200, { withinMs: 30_000 });
  return { name, running, most, begun };
}

const put = async (by: HttpCaller, name: string, json: object) => by.request(`/flows/${name}`, { method: 'PUT', json });
const call = async (tool: string, text: string, by = user, headers = {}) =>
  by.post(`/tools/${tool}`, { text }, { prefer: 'respond-async', ...headers });
const begun = async (tool: string, text: string, by = user) => (await call(tool, text, by)).as(acceptedShape).job_id;
const job = z.looseObject({
  state: z.string(),
  attempts_made: z.number(),
  rest: z
    .looseObject({ reason: z.string(), flow: z.looseObject({ name: z.string(), text: z.string(), place: z.number() }).optional() })
    .nullable(),
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
const allCompleted = async (ids: readonly string[]) => {
  for (const id of ids) await inState(id, 'completed');
};
const errorOf = (reply: Reply) => reply.as(z.looseObject({ error: z.looseObject({ code: z.string(), message: z.string() }) })).error;

describe('A flow', () => {
  test('lets so many calls of a key run at a time, through every gateway, and no key waits for another', async () => {
    const { name, most } = await served();
    expect((await put(admin, 'accounts', { tool: name, key: 'args.text', concurrency: 2 })).status).toBe(201);
    const ids = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => begun(name, n % 4 === 3 ? '18' : '17', n % 2 === 0 ? user : elsewhere)),
    );
    await allCompleted(ids);
    expect(Object.fromEntries(most)).toEqual({ '17': 2, '18': 2 });
  });

  test('says in words what a call waits for; who waits for its answer gets it', async () => {
    const held = Promise.withResolvers<void>();
    const { name, running } = await served(async () => held.promise);
    await put(admin, 'accounts', { tool: name, key: 'args.text', concurrency: 2 });
    const first = [await begun(name, '17'), await begun(name, '17')];
    await eventually(() => running.get('17') === 2, { withinMs: 30_000 });
    const third = (await call(name, '17')).as(acceptedShape);
    expect(third).toMatchObject({
      state: 'resting',
      rest: { reason: 'flow', flow: { name: 'accounts', text: 'waits for 2 others of text 17', place: 1 } },
    });
    const waits = user.post(`/tools/${name}`, { text: '17' });
    await eventually(
      async () =>
        (
          await gateway.app
            .get(FlowKeeper)
            .look()
            .then(() => admin.get('/flows/accounts'))
        ).as(flow).waiting === 2,
    );
    const listed = (await user.get('/jobs?state=resting&limit=100')).as(z.looseObject({ jobs: z.array(job) })).jobs;
    expect(listed.map(({ rest }) => rest?.flow?.text)).toEqual(['waits for 3 others of text 17', 'waits for 2 others of text 17']);
    expect((await user.get(`/jobs/${third.job_id}`)).body).toMatchObject({ rest: { flow: { place: 1 } } });
    const paged = async () => (await admin.get('/jobs?scope=tenant&state=resting')).as(callPage).jobs.map(({ rest }) => rest?.flow?.text);
    await eventually(async () => (await paged()).join() === 'waits for 3 others of text 17,waits for 2 others of text 17');
    expect((await user.get('/jobs?scope=mine&limit=1')).as(callPage).jobs).toMatchObject([{ state: 'resting', rest: { reason: 'flow' } }]);
    expect((await user.post(`/tools/${name}`, { text: 'other' }, { prefer: 'respond-async' })).body).toMatchObject({ state: 'waiting' });
    held.resolve();
    expect(await waits).toMatchObject({ status: 200, body: { data: { said: '17' } } });
    await allCompleted([...first, third.job_id]);
    const stream = await user.get(`/jobs/${third.job_id}/events`, { accept: 'text/event-stream' });
    expect(stream.text).toMatch(/event: tool_resting[^]*"reason":"flow"[^]*waits for 2 others of text 17[^]*event: tool_resumed/);
    await eventually(
      async () =>
        (
          await gateway.app
            .get(FlowKeeper)
            .look()
            .then(() => admin.get('/flows/accounts'))
        ).as(flow).waiting === 0,
    );
  });

  test('keeps the place of a call between its attempts, and gives it up when the call is cancelled, in line or while it runs', async () => {
    const held = Promise.withResolvers<void>();
    const { name, most, running } = await served(async (text, attempt) => {
      if (text === 'again' && attempt < 3) throw new Failure('service', 'not yet');
      if (text === 'again') return sleep(20);
      return held.promise;
    });
    await put(admin, 'one', { tool: name, concurrency: 1 });
    await allCompleted([await begun(name, 'again'), await begun(name, 'again')]);
    expect(most.get('again')).toBe(1);
    const [first, inLine, last] = [await begun(name, 'x'), await begun(name, 'x'), await begun(name, 'x')];
    await eventually(() => running.get('x') === 1, { withinMs: 30_000 });
    expect((await user.delete(`/jobs/${inLine}`)).status).toBe(202);
    expect(await read(last)).toMatchObject({ rest: { flow: { text: 'waits for 1 other of flow one', place: 1 } } });
    expect((await user.delete(`/jobs/${first}`)).status).toBe(202);
    held.resolve();
    await inState(last, 'completed');
  });

  test('that is changed or deleted lets those go that need not wait any more', async () => {
    const held = Promise.withResolvers<void>();
    const { name, running } = await served(async () => held.promise);
    await put(admin, 'one', { tool: name, key: 'args.text', concurrency: 1 });
    const ids = await Promise.all(Array.from({ length: 8 }, async (_, n) => begun(name, '17', n % 2 === 0 ? user : elsewhere)));
    await eventually(() => running.get('17') === 1, { withinMs: 30_000 });
    await put(admin, 'one', { tool: name, key: 'args.text', concurrency: 3 });
    await eventually(() => running.get('17') === 3, { withinMs: 30_000 });
    await sleep(300);
    expect(running.get('17')).toBe(3);
    expect((await admin.delete('/flows/one')).status).toBe(200);
    await eventually(() => running.get('17') === 8, { withinMs: 30_000 });
    held.resolve();
    await allCompleted(ids);
  });

  test('with a rate lets so many begin in a time', async () => {
    const { name, begun: starts } = await served(async () => sleep(1));
    await put(admin, 'rate', { tool: name, key: 'args.text', rate: { max: 3, per_ms: 500 } });
    await allCompleted(await Promise.all(Array.from({ length: 10 }, async (_, n) => begun(name, '17', n % 2 === 0 ? user : elsewhere))));
    expect(starts).toHaveLength(10);
    // Ten are three windows of 500 ms apart. A process that was held up starts the calls of two at once: only the whole is the rate's.
    const took = (starts[9] ?? 0) - (starts[0] ?? 0);
    expect(took).toBeGreaterThan(900);
    expect(took).toBeLessThan(3_500);
  });

  test('is passed by calls that come out of a rest, and during a pause nothing holds a place', async () => {
    const { name, most } = await served();
    await put(admin, 'one', { tool: name, concurrency: 1 });
    const later = await Promise.all(
      Array.from({ length: 6 }, async () => (await user.post(`/tools/${name}?delay_ms=300`, { text: 'later' })).as(acceptedShape).job_id),
    );
    await allCompleted(later);
    expect(most.get('later')).toBe(1);
    await admin.request('/pauses/down', { method: 'PUT', json: { tool: name, reason: 'down' } });
    const paused = await Promise.all(Array.from({ length: 5 }, async () => begun(name, 'paused')));
    expect(await read(paused[0] ?? '')).toMatchObject({ rest: { reason: 'paused' } });
    await admin.delete('/pauses/down');
    await allCompleted(paused);
    expect(most.get('paused')).toBe(1);
  });

  test('is not held up by a gateway that is gone: another one finds what it accepted', async () => {
    const held = Promise.withResolvers<void>();
    const { name, running } = await served(async (text) => (text === 'first' ? held.promise : undefined));
    await put(admin, 'one', { tool: name, concurrency: 1 });
    const third = await gateway.another();
    const there = user.at(`http://127.0.0.1:${third.port}`);
    await eventually(async () => (await there.get(`/tools/${name}`)).status === 200, { withinMs: 30_000 });
    const first = await begun(name, 'first', there);
    await eventually(() => running.get('first') === 1, { withinMs: 30_000 });
    const next = await begun(name, 'next');
    await third[Symbol.asyncDispose]();
    held.resolve();
    await inState(first, 'completed');
    await inState(next, 'completed');
  }, 60_000);

  test('of the operator is passed by the calls of every tenant, which see it and cannot change it', async () => {
    const { name } = await served();
    expect((await put(operator, 'all', { tool: name, concurrency: 5 })).body).toMatchObject({ by: 'operator', waiting: 0 });
    expect((await admin.get('/flows')).as(flowList).flows).toMatchObject([{ name: 'all', by: 'operator', waiting: null }]);
    expect((await admin.get('/flows/all')).status).toBe(200);
    expect((await admin.delete('/flows/all')).status).toBe(404);
    await put(admin, 'mine', { tool: name, concurrency: 1 });
    await using stranger = await Tenant.create(givenStores().databaseUrl);
    const theirs = new HttpCaller(
      `http://127.0.0.1:${gateway.port}`,
      await stranger.key({ userId: null, scopes: ['tenant:admin', ...userScopes] }),
    );
    expect((await theirs.get('/flows')).as(flowList).flows).toMatchObject([{ name: 'all' }]);
    expect((await theirs.get('/flows/mine')).status).toBe(404);
    expect((await theirs.delete('/flows/mine')).status).toBe(404);
    expect(await (await fetch(`http://127.0.0.1:${gateway.port}/readyz`)).json()).toMatchObject({ flows: expect.any(Number) });
  });

  test('of a contract is passed by the calls of its tool, and those of administrators besides', async () => {
    const held = Promise.withResolvers<void>();
    const { name, running } = await served(async () => held.promise, { flow: { key: 'args.text', concurrency: 2 } });
    for (let n = 0; n < 2; n++) await begun(name, 'a');
    expect((await call(name, 'a', elsewhere)).body).toMatchObject({ rest: { flow: { name, text: 'waits for 2 others of text a' } } });
    await put(admin, 'all', { tool: name, concurrency: 3 });
    await Promise.all(Array.from({ length: 4 }, async () => begun(name, 'b')));
    await eventually(() => running.get('b') === 2, { withinMs: 30_000 });
    held.resolve();
    await eventually(async () => (await user.get('/jobs?state=resting')).as(z.looseObject({ jobs: z.array(job) })).jobs.length === 0);
  });

  test('gives calls whose key cannot be worked out a line of their own, and shows no long one', async () => {
    const held = Promise.withResolvers<void>();
    const { name, running } = await served(async () => held.promise);
    await put(admin, 'none', { tool: name, key: 'args.account', concurrency: 1 });
    await begun(name, 'a');
    const waiting = (await call(name, 'b')).as(acceptedShape);
    expect(waiting).toMatchObject({ rest: { flow: { text: 'waits for 1 other of no account' } } });
    await admin.delete('/flows/none');
    await eventually(() => running.get('b') === 1, { withinMs: 30_000 });
    await put(admin, 'long', { tool: name, key: 'args.text + args.text', concurrency: 1 });
    const long = 'y'.repeat(50_000);
    await begun(name, long);
    const text = JSON.stringify((await call(name, long)).body);
    expect(text).toContain('waits for 1 other of key yyyy');
    expect(text.length).toBeLessThan(1_500);
    held.resolve();
  });

  test('is in the audit, made, changed and deleted', async () => {
    const { name } = await served();
    await put(admin, 'seen', { tool: name, concurrency: 1 });
    expect((await put(admin, 'seen', { tool: name, concurrency: 2, rate: { max: 1, per_ms: 1_000 } })).status).toBe(200);
    await admin.delete('/flows/seen');
    const { events } = (await admin.get('/audit?subject=seen')).as(auditPage);
    expect(events.map(({ action }) => action)).toEqual(['flow.delete', 'flow.update', 'flow.insert']);
  });

  test.each([
    [{ concurrency: 1, tool: 'no_such_tool' }, 404, 'no_such_tool'],
    [{ concurrency: 1, domain: 'nowhere' }, 400, 'domain'],
    [{ key: 'args.x' }, 400, 'concurrency or rate'],
    [{ concurrency: 0 }, 400, 'concurrency'],
    [{ concurrency: 1.5 }, 400, 'concurrency'],
    [{ rate: { max: 1 } }, 400, 'per_ms'],
    [{ rate: { max: 1_000_000, per_ms: 1 } }, 400, 'max'],
    [{ concurrency: 1, key: 'args.' }, 400, 'key'],
    [{ concurrency: 1, key: '[1, 2]' }, 400, 'must be a text, a number or true or false'],
    [{ concurrency: 1, key: 'nobody.knows' }, 400, 'key'],
    [{ concurrency: 1, key: "args.x.matches('(a+)+$')" }, 400, 'matches'],
    [{ concurrency: 1, key: 'x'.repeat(3_000) }, 400, 'key'],
    [{ concurrency: 1, until: 'then' }, 400, 'until'],
  ])('%j is refused with %i, and the fault is named', async (json, status, words) => {
    const reply = await put(admin, 'wrong', json);
    expect([reply.status, errorOf(reply).message.includes(words) || reply.text.includes(words)]).toEqual([status, true]);
  });

  test('is no matter of ordinary users', async () => {
    expect((await put(user, 'mine', { concurrency: 1 })).status).toBe(403);
    expect((await user.get('/flows')).status).toBe(403);
    expect((await user.delete('/flows/mine')).status).toBe(403);
  });
});
