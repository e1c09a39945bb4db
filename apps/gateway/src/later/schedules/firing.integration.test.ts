// A moment of a schedule is one call, whoever dies and whatever the clocks do.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTimeoutMs, type HttpCaller } from '#lib/testing';
import {
  firingOf,
  makeSchedule,
  minuteMs,
  reread,
  runsOf,
  scheduleScopes,
  shownOf,
  startScheduling,
  storeOf,
  type Scheduling,
} from './test-schedules.js';

/** A whole minute in the future: the gateways' own sweepers, which go by the clock of the machine, leave all of it alone. */
const start = Math.floor(Date.now() / minuteMs) * minuteMs + 600 * minuteMs;

let gateway: Scheduling;
let other: Scheduling;
let caller: HttpCaller;

beforeAll(async () => {
  gateway = await startScheduling();
  other = await startScheduling(gateway.namespace);
  caller = await gateway.caller({ scopes: scheduleScopes });
}, startTimeoutMs);

afterAll(async () => {
  await other?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

const jobs = async (id: string): Promise<readonly (string | null)[]> => (await runsOf(caller, id)).map(({ job_id }) => job_id);
const states = async (id: string): Promise<readonly string[]> => (await runsOf(caller, id)).map(({ state }) => state);
/** All jobs of the caller for one order. */
async function jobsOf(order: string): Promise<number> {
  const keys = await gateway.stores.redis.keys('*:invocation:*');
  const heads = await Promise.all(keys.map((key) => gateway.stores.redis.hgetall(key)));
  return heads.filter((head) => JSON.stringify(head).includes(order)).length;
}

test('What is due is called, told, and called no second time', async () => {
  const row = await makeSchedule({ gateway, caller }, start);
  await firingOf(gateway, start + minuteMs + 500).handle(row);
  const [run, ...rest] = await runsOf(caller, row.id);
  expect(rest).toEqual([]);
  expect(run).toMatchObject({ at: new Date(start + minuteMs).toISOString(), state: 'called', manual: false, error: null });
  expect(await shownOf(caller, row.id)).toMatchObject({
    last_at: run?.at,
    last_job_id: run?.job_id,
    next_at: new Date(start + 2 * minuteMs).toISOString(),
  });
  await firingOf(gateway, start + minuteMs + 900).handle(await reread(gateway, row));
  expect(await jobs(row.id)).toEqual([run?.job_id]);
});

test('Two gateways at the same moment make one call', async () => {
  for (let again = 0; again < 10; again++) {
    const row = await makeSchedule({ gateway, caller }, start);
    const now = start + minuteMs;
    await Promise.all([firingOf(gateway, now).handle(row), firingOf(other, now).handle(row), firingOf(gateway, now).handle(row)]);
    await firingOf(other, now).handle(await reread(gateway, row));
    expect(await states(row.id)).toEqual(['called']);
    expect(await jobsOf(row.name.slice(2))).toBe(1);
  }
});

describe('A gateway that is killed', () => {
  const dead = async (): Promise<never> => Promise.reject(new Error('killed'));

  test.each([
    ['before anything is written', 'plan'],
    ['after the plan was written', 'tried'],
    ['after the call, before it is written down', 'settle'],
    ['at the very end', 'rest'],
  ] as const)('%s leaves one call', async (_, step) => {
    const row = await makeSchedule({ gateway, caller }, start);
    const now = start + minuteMs;
    const store = Object.assign(storeOf(gateway), { [step]: dead });
    await expect(firingOf(gateway, now, { store }).handle(row)).rejects.toThrow('killed');
    await firingOf(other, now + 2_000).handle(await reread(gateway, row));
    expect(await states(row.id)).toEqual(['called']);
    expect(await jobsOf(row.name.slice(2))).toBe(1);
  });

  test('while another changes what is called leaves the call that was made', async () => {
    const row = await makeSchedule({ gateway, caller }, start);
    const now = start + minuteMs;
    const store = Object.assign(storeOf(gateway), { settle: dead });
    await expect(firingOf(gateway, now, { store }).handle(row)).rejects.toThrow('killed');
    await caller.request(`/schedules/${row.id}`, { method: 'PATCH', json: { arguments: { order: 'another' } } });
    await firingOf(other, now + 2_000).handle(await reread(gateway, row));
    expect(await runsOf(caller, row.id)).toMatchObject([{ state: 'called', job_id: null }]);
    expect(await jobsOf(row.name.slice(2))).toBe(1);
  });

  test('and not followed for a day leaves what may have been called alone', async () => {
    const row = await makeSchedule({ gateway, caller }, start);
    const now = start + minuteMs;
    const store = Object.assign(storeOf(gateway), { settle: dead });
    await expect(firingOf(gateway, now, { store }).handle(row)).rejects.toThrow('killed');
    await gateway.stores.database.schedule.update({ where: { id: row.id }, data: { endsAt: new Date(now) } });
    await firingOf(other, now + 23.5 * 60 * minuteMs).handle(await reread(gateway, row));
    expect(await states(row.id)).toEqual(['failed']);
    expect(await jobsOf(row.name.slice(2))).toBe(1);
  });
});

test('A clock that is set back over a moment brings no second call', async () => {
  const row = await makeSchedule({ gateway, caller }, start);
  await firingOf(gateway, start + 2 * minuteMs + 500, {}).handle({ ...row, plannedUntil: row.plannedUntil });
  const called = await states(row.id);
  for (const now of [start - minuteMs, start + minuteMs, start + 2 * minuteMs])
    await firingOf(other, now).handle(await reread(gateway, row));
  expect(await states(row.id)).toEqual(called);
  await firingOf(other, start + 3 * minuteMs).handle(await reread(gateway, row));
  expect(await states(row.id)).toEqual([...called, 'called']);
});

describe('Moments that were missed', () => {
  test.each([
    ['skip', ['missed', 'called']],
    ['once', ['called', 'skipped']],
    ['all', ['called']],
  ])('with %s', async (missed, expected) => {
    const row = await makeSchedule({ gateway, caller }, start, { missed, arguments: { order: `open-${missed}` } });
    await firingOf(gateway, start + 5 * minuteMs + 500).handle(row);
    expect((await states(row.id)).filter((state) => state !== 'due')).toEqual(expected);
  });

  test('with all are called one after the other, as each ends', async () => {
    const row = await makeSchedule({ gateway, caller }, start, { missed: 'all' });
    for (let again = 0; again < 40; again++) {
      await firingOf(gateway, start + 5 * minuteMs + 500 + again * 1_000).handle(await reread(gateway, row));
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    expect((await states(row.id)).slice(0, 4)).toEqual(['called', 'called', 'called', 'called']);
    expect(new Set(await jobs(row.id)).size).toBeGreaterThanOrEqual(4);
  });

  test('of a long time are the newest hundred', async () => {
    const row = await makeSchedule({ gateway, caller }, start - 400 * minuteMs, {
      missed: 'all',
      overlap: 'allow',
      arguments: { order: 'long' },
    });
    for (let again = 0; again < 3; again++) await firingOf(gateway, start).handle(await reread(gateway, row));
    const { scheduleRun } = gateway.stores.database;
    const called = await scheduleRun.findMany({ where: { scheduleId: row.id, state: 'called' }, orderBy: { at: 'asc' } });
    // Those of the last minute were not missed.
    expect([called.length, called[0]?.at]).toEqual([102, new Date(start - 101 * minuteMs)]);
  });
});

describe('A call while the one before still runs', () => {
  const first = start + minuteMs;
  test.each([
    ['skip', ['called', 'skipped']],
    ['queue', ['called', 'due']],
    ['allow', ['called', 'called']],
  ])('with %s', async (overlap, expected) => {
    const row = await makeSchedule({ gateway, caller }, start, { overlap, arguments: { order: `open-${overlap}` } });
    await firingOf(gateway, first).handle(row);
    await firingOf(gateway, first + minuteMs).handle(await reread(gateway, row));
    expect(await states(row.id)).toEqual(expected);
  });

  test('waits with queue, and comes when the one before has ended', async () => {
    const row = await makeSchedule({ gateway, caller }, start, { overlap: 'queue', arguments: { order: 'open-then-ended' } });
    await firingOf(gateway, first).handle(row);
    await firingOf(gateway, first + minuteMs).handle(await reread(gateway, row));
    const [jobId] = await jobs(row.id);
    expect((await caller.delete(`/jobs/${jobId}`)).status).toBeLessThan(300);
    await firingOf(other, first + minuteMs + 1_000).handle(await reread(gateway, row));
    expect(await states(row.id)).toEqual(['called', 'called']);
  });
});

test('Jitter moves a call, always by the same, and never its key', async () => {
  const row = await makeSchedule({ gateway, caller }, start, { jitter_ms: 50_000 });
  const at = start + minuteMs;
  await firingOf(gateway, at).handle(row);
  const { lookAt } = (await gateway.store.byId(row.id)) ?? row;
  const delay = Number(lookAt) - at;
  expect([delay > 0, delay <= 50_000, await states(row.id)]).toEqual([true, true, []]);
  await firingOf(gateway, at + delay - 1).handle(await reread(gateway, row));
  expect(await states(row.id)).toEqual([]);
  await firingOf(gateway, at + delay).handle(await reread(gateway, row));
  expect(await runsOf(caller, row.id)).toMatchObject([{ at: new Date(at).toISOString(), state: 'called' }]);
});

test('After its end a schedule calls nothing and has ended', async () => {
  const row = await makeSchedule({ gateway, caller }, start, {});
  await gateway.stores.database.schedule.update({ where: { id: row.id }, data: { endsAt: new Date(start + minuteMs) } });
  await firingOf(gateway, start + 1.5 * minuteMs).handle(await reread(gateway, row));
  expect([await states(row.id), (await shownOf(caller, row.id)).state]).toEqual([['called'], 'ended']);
});

describe('What is refused', () => {
  test('for the moment is tried again under the same key', async () => {
    const row = await makeSchedule({ gateway, caller }, start);
    const now = start + minuteMs;
    const away = { start: async () => Promise.reject(new Error('away')) };
    await firingOf(gateway, now, { calls: away }).handle(row);
    expect(await states(row.id)).toEqual(['due']);
    expect(Number((await gateway.store.byId(row.id))?.lookAt)).toBeGreaterThan(now);
    await firingOf(gateway, now + 1_000).handle(await reread(gateway, row));
    expect(await states(row.id)).toEqual(['called']);
  });

  test('for minutes has failed, and the next moment is called', async () => {
    const row = await makeSchedule({ gateway, caller }, start, { overlap: 'queue' });
    const now = start + minuteMs;
    const calls = { start: async () => Promise.reject(new Error('away')) };
    await firingOf(gateway, now, { calls }).handle(row);
    await firingOf(gateway, now + 6 * minuteMs, { calls }).handle({ ...(await reread(gateway, row)), missed: 'skip' });
    expect((await runsOf(caller, row.id))[0]).toMatchObject({ state: 'failed', error: { code: 'EXECUTION_ERROR' } });
  });

  test('because the tool is gone is told, and the schedule stays', async () => {
    const row = await makeSchedule({ gateway, caller }, start);
    await gateway.stores.database.schedule.update({ where: { id: row.id }, data: { tool: 'gone_tool' } });
    await firingOf(gateway, start + minuteMs).handle(await reread(gateway, row));
    expect(await runsOf(caller, row.id)).toMatchObject([{ state: 'failed', error: { code: 'TOOL_NOT_FOUND' } }]);
    expect(await shownOf(caller, row.id)).toMatchObject({ state: 'active', problem: { code: 'TOOL_NOT_FOUND' } });
  });
});
