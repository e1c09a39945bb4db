// Calls that rest for long, on their way to Postgres and back: whoever asks, dies or forgets meanwhile, each runs once.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { userScopes } from '#lib/contracts';
import { eventually } from '#lib/testing';
import { handle, type ServedWorker, type ToolContext } from '#lib/serve';
import { partitionOfJob } from '#lib/transport';
import { contractOf } from '../../serving/test-contract.js';
import { begin, startOwnWorker } from '../../serving/test-own-worker.js';
import { Stores } from '../../stores.js';
import { TestHttpGateway } from '../../test-http-gateway.js';
import { CallArchive } from './call-archive.js';
import { CallMover } from './call-mover.js';

const dayMs = 86_400_000;
let gateway: TestHttpGateway;
let key: string;
let boss: string;
const workers: ServedWorker[] = [];
beforeAll(async () => {
  gateway = await TestHttpGateway.start({ NODE_ENV: 'test' });
  key = await gateway.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
  boss = `Bearer ${await gateway.tenant.key({ userId: 'boss', scopes: [...userScopes, 'approvals'] })}`;
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop().catch(() => undefined)));
});
afterAll(async () => gateway[Symbol.asyncDispose]());

let used = 0;
const shape = z.looseObject({ state: z.string(), rest: z.looseObject({ input_request: z.string().optional() }).nullish() });
const send = async (path: string, method = 'GET', body?: object, authorization = gateway.user) =>
  gateway.send(path, { method, authorization, ...(body && { body: JSON.stringify(body) }) });
const read = async (id: string) => shape.parse(JSON.parse((await send(`/jobs/${id}`)).body));
const until = async (id: string, ...states: string[]) =>
  eventually(async () => {
    const found = await read(id);
    return states.includes(found.state) && found;
  });

/** Serves a tool and calls it. */
async function begun(run: (context: ToolContext) => Promise<string>, more: object = {}): Promise<string> {
  const name = `long_tool_${++used}`;
  const tool = handle(contractOf(name, more), async (_input, context) => ({ said: await run(context) }));
  workers.push(await startOwnWorker(gateway, { key, tool }));
  return begin(gateway, name);
}

/** A call that has done its step, and rests for a hook. */
async function resting(timeoutMs = 30 * dayMs) {
  const done: number[] = [];
  const told = Promise.withResolvers<string>();
  const id = await begun(async ({ hook, step }) => {
    const paid = hook('paid');
    const first = await step('once', () => {
      told.resolve(paid.url);
      return done.push(1);
    });
    return `${first} ${JSON.stringify(await paid.wait({ timeoutMs }))}`;
  });
  const path = new URL(await told.promise).pathname;
  await until(id, 'resting');
  return { id, done, call: async () => (await gateway.send(path, { method: 'POST', body: '{"n":1}' })).status };
}

const stores = () => gateway.app.get(Stores);
const archive = () => gateway.app.get(CallArchive);
const rowOf = async (jobId: string) => stores().database.movedCall.findUnique({ where: { jobId } });
const moved = async (jobId: string) => (await stores().store.peek(jobId))?.isMoved;

/** The same for a gateway whose clock is ahead, or behind. */
function archiveAt(aheadMs: number): CallArchive {
  return new CallArchive(stores(), { now: () => Date.now() + aheadMs });
}

/** As Redis is after a restart without its data, for one call. */
async function forgotten(jobId: string): Promise<void> {
  const { redis, keys } = stores();
  await redis.del(keys.invocation(jobId), keys.events(jobId), keys.steps(jobId));
  await redis.zrem(keys.resting(partitionOfJob(jobId)), jobId);
}

async function completes({ id, done }: { readonly id: string; readonly done: readonly number[] }): Promise<void> {
  expect(await until(id, 'completed', 'failed')).toMatchObject({ state: 'completed', result: { data: { said: '1 {"n":1}' } } });
  expect(done).toHaveLength(1);
  expect(await rowOf(id)).toBeNull();
}

describe('a call that rests for more than a day', () => {
  test('moves, sealed; lists show it; and it goes on under its id once somebody calls its hook', async () => {
    const call = await resting();
    const { redis, keys } = stores();
    const placeBefore = await redis.zscore(keys.resting(partitionOfJob(call.id)), call.id);
    await gateway.app.get(CallMover).sweep();
    expect(await moved(call.id)).toBe(true);
    expect(await redis.exists(keys.events(call.id), keys.steps(call.id))).toBe(0);
    expect(await redis.zscore(keys.resting(partitionOfJob(call.id)), call.id)).toBeNull();
    const row = await rowOf(call.id);
    expect(row).toMatchObject({ state: 'moved', tenantId: gateway.tenant.id });
    expect(row?.data).not.toContain('hello');
    expect((await send('/jobs?state=resting')).body).toContain(call.id);
    expect(await moved(call.id)).toBe(true);
    // Who reads it has it brought back, as it was.
    expect(await read(call.id)).toMatchObject({ state: 'resting', input: { text: 'hello' }, rest: { reason: 'event' } });
    expect(await redis.zscore(keys.resting(partitionOfJob(call.id)), call.id)).toBe(placeBefore);
    expect([await moved(call.id), await rowOf(call.id)]).toEqual([false, null]);
    expect(await archive().move(call.id)).toBe(false);
    expect(await call.call()).toBe(202);
    await completes(call);
    expect(await call.call()).toBe(410);
  });

  test('is woken by its hook where it has moved, and is found after Redis has lost it', async () => {
    const [one, two] = [await resting(), await resting()];
    for (const { id } of [one, two]) expect(await archive().move(id)).toBe(true);
    await forgotten(two.id);
    expect(await one.call()).toBe(202);
    expect(await two.call()).toBe(202);
    await completes(one);
    await completes(two);
  });

  test('comes back by itself before its rest ends, also where Redis has lost it', async () => {
    const [one, two] = [await resting(2 * dayMs), await resting(2 * dayMs)];
    for (const { id } of [one, two]) expect(await archive().move(id)).toBe(true);
    await forgotten(two.id);
    const early = archiveAt(2 * dayMs - 300_000);
    expect((await early.due(1_000)).map(({ jobId }) => jobId)).not.toEqual(expect.arrayContaining([one.id]));
    const soon = archiveAt(2 * dayMs - 60_000);
    for (const row of await soon.due(1_000)) await soon.settle(row);
    for (const call of [one, two]) {
      expect(await moved(call.id)).toBe(false);
      const { jobIds } = await stores().store.resting.due(partitionOfJob(call.id), Date.now() + 3 * dayMs, 10_000);
      expect(jobIds).toContain(call.id);
      await call.call();
      await completes(call);
    }
  });

  test('is cancelled where it has moved, and never comes back', async () => {
    const { id, call } = await resting();
    await archive().move(id);
    expect((await send(`/jobs/${id}`, 'DELETE')).status).toBe(202);
    expect(await read(id)).toMatchObject({ state: 'cancelled' });
    expect(await rowOf(id)).toBeNull();
    expect(await call()).toBe(410);
  });

  test('is decided where it has moved', async () => {
    const id = await begun(async () => 'approved', { approval: { expires_ms: 7 * dayMs } });
    const request = (await read(id)).rest?.input_request ?? '';
    expect(await archive().move(id)).toBe(true);
    expect((await send(`/input-requests/${request}`, 'POST', { action: 'accept' }, boss)).status).toBe(200);
    expect(await until(id, 'completed', 'failed')).toMatchObject({ result: { data: { said: 'approved' } } });
  });

  test('is nobody else’s, wherever it is', async () => {
    const { id } = await resting();
    await archive().move(id);
    expect((await send(`/jobs/${id}`, 'GET', undefined, boss)).status).toBe(404);
    expect((await send(`/jobs/${id}`, 'DELETE')).status).toBe(202);
  });
});

describe('whoever moves a call may die', () => {
  /** A row as it is left. */
  const left = async (jobId: string, state: string, agoMs = 0) =>
    stores().database.movedCall.update({ where: { jobId }, data: { state, lookAt: new Date(Date.now() - agoMs - 1) } });
  const sweep = async () => {
    for (const row of await archive().due(1_000)) await archive().settle(row);
  };

  test('before it has left Redis: then it stays there', async () => {
    const call = await resting();
    // It stores what it has read, and dies.
    await stores().store.moved.move(call.id, async ({ jobId, tenantId, copy, until: ends, data }) => {
      const namespace = stores().settings.INVOQ_NAMESPACE;
      await stores().database.movedCall.create({
        data: { jobId, namespace, tenantId, copy, until: new Date(ends), data, state: 'moving', lookAt: new Date() },
      });
      return false;
    });
    await sweep();
    expect([await moved(call.id), await rowOf(call.id)]).toEqual([false, null]);
    await call.call();
    await completes(call);
  });

  test.each(['moving', 'coming'])('after that, and leaves the row as %s: then it comes back', async (state) => {
    const call = await resting();
    await archive().move(call.id);
    await left(call.id, state);
    await sweep();
    expect([await moved(call.id), await rowOf(call.id)]).toEqual([false, null]);
    await call.call();
    await completes(call);
  });

  test('or sleep: one that goes on after the call came back moves nothing', async () => {
    const call = await resting();
    const isMoved = await stores().store.moved.move(call.id, async (whole) => {
      await stores().store.moved.bringBack(whole);
      return true;
    });
    expect([isMoved, await moved(call.id)]).toEqual([false, false]);
    await call.call();
    await completes(call);
  });

  test('or sleep: what it has read long ago does not come back over what was read since', async () => {
    const call = await resting();
    await archive().move(call.id);
    const old = await rowOf(call.id);
    if (!old) throw new Error('There is no row');
    await read(call.id);
    const { redis, keys } = stores();
    await redis.hdel(keys.invocation(call.id), 'cameAt');
    expect(await archive().move(call.id)).toBe(true);
    await stores().store.moved.bringBack({ ...old, until: old.until.getTime() });
    expect([await moved(call.id), (await rowOf(call.id))?.copy]).toEqual([true, expect.not.stringMatching(old.copy)]);
    await call.call();
    await completes(call);
  });

  test('one that was under way for most of a day, and may have ended since, is not run again', async () => {
    const call = await resting();
    await archive().move(call.id);
    await left(call.id, 'coming', 21 * 3_600_000);
    await forgotten(call.id);
    await sweep();
    expect(await rowOf(call.id)).toBeNull();
    expect((await send(`/jobs/${call.id}`)).status).toBe(404);
  });
});

describe('a call that is moved, at the same moment,', () => {
  const rounds = Array.from({ length: 10 }, (_, round) => round);
  const twice = async (id: string) => Promise.all([archive().move(id), archiveAt(0).move(id)]);
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  });

  test.each(rounds)('is called once (%i)', async () => {
    const call = await resting();
    const [, status] = await Promise.all([twice(call.id), call.call()]);
    expect(status).toBe(202);
    await completes(call);
  });

  test.each(rounds)('is cancelled (%i)', async () => {
    const { id } = await resting();
    const [, { status }] = await Promise.all([twice(id), send(`/jobs/${id}`, 'DELETE')]);
    expect([status, (await read(id)).state]).toEqual([202, 'cancelled']);
    expect(await rowOf(id)).toBeNull();
  });

  test.each(rounds)('is decided (%i)', async () => {
    const id = await begun(async () => 'approved', { approval: { expires_ms: 7 * dayMs } });
    const request = (await read(id)).rest?.input_request ?? '';
    const [, { status }] = await Promise.all([twice(id), send(`/input-requests/${request}`, 'POST', { action: 'accept' }, boss)]);
    expect(status).toBe(200);
    expect(await until(id, 'completed', 'failed')).toMatchObject({ result: { data: { said: 'approved' } } });
  });
});

test('beyond a number, those move that rest longest', async () => {
  const { store, partitions, servedDirectory, log } = stores();
  const [short, long] = [await resting(3_600_000), await resting(7_200_000)];
  const allPartitions = servedDirectory.queues.flatMap((queue) => partitions.all(queue));
  const mover = new CallMover({ store, allPartitions, settings: { RESTING_IN_REDIS: 1 }, log }, archive(), { now: Date.now });
  await mover.sweep();
  expect([await moved(short.id), await moved(long.id)]).toEqual([false, true]);
  for (const call of [short, long]) {
    await call.call();
    await completes(call);
  }
});
