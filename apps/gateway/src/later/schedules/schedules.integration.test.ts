import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { auditPage, schedule, schedulePage, schedulePreview, startedRun } from '#lib/contracts';
import { eventually, startTimeoutMs, type HttpCaller, type Reply } from '#lib/testing';
import { Outbox } from '../../outbox/outbox.js';
import { mostSchedules, ScheduleStore } from './schedule-store.js';
import {
  create,
  firingOf,
  makeSchedule,
  minuteMs,
  patch,
  reread,
  runsOf,
  shownOf,
  scheduleScopes,
  startScheduling,
  type Scheduling,
} from './test-schedules.js';

/** A whole minute in the future: the gateways' own sweepers leave it alone. */
const start = Math.floor(Date.now() / minuteMs) * minuteMs + 600 * minuteMs;

let gateway: Scheduling;
let other: Scheduling;
let caller: HttpCaller;
let admin: HttpCaller;

beforeAll(async () => {
  gateway = await startScheduling();
  other = await startScheduling(gateway.namespace);
  caller = await gateway.caller({ scopes: scheduleScopes });
  admin = await gateway.caller({ userId: null, scopes: ['*'] });
}, startTimeoutMs);

afterAll(async () => {
  await other?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

const codeOf = (reply: Reply) => reply.as(z.object({ error: z.looseObject({ code: z.string(), message: z.string() }) })).error;

describe('A schedule', () => {
  test('is made, found by name and id, changed and deleted', async () => {
    const made = await create(caller, {
      name: 'nightly',
      cron: '30 2 * * *',
      time_zone: 'Europe/Berlin',
      starts_at: '2030-03-30T23:00:00Z',
    });
    const first = made.as(schedule);
    expect([made.status, made.headers.get('location')]).toEqual([201, '/schedules/nightly']);
    // 31 March 2030 has 23 hours in Berlin.
    expect(first).toMatchObject({
      state: 'active',
      next_at: '2030-03-31T01:30:00.000Z',
      last_at: null,
      last_job_id: null,
      overlap: 'skip',
      missed: 'once',
      arguments: { order: 'open' },
      problem: null,
    });
    expect([await shownOf(caller, 'nightly'), await shownOf(caller, first.id)]).toEqual([first, first]);
    const changed = (await patch(caller, 'nightly', { every_ms: 60_000, starts_at: null, paused: true })).as(schedule);
    expect(changed).toMatchObject({ cron: null, every_ms: 60_000, starts_at: null, state: 'paused', next_at: null });
    const resumed = (await patch(caller, 'nightly', { paused: false })).as(schedule);
    expect([resumed.state, Date.parse(resumed.next_at ?? '') > Date.now()]).toEqual(['active', true]);
    expect((await caller.delete('/schedules/nightly')).status).toBe(200);
    expect((await caller.get('/schedules/nightly')).status).toBe(404);
  });

  test.each([
    ['neither cron nor every_ms', { cron: undefined }, 400, 'cron'],
    ['both', { every_ms: 5_000 }, 400, 'cron'],
    ['a cron of four fields', { cron: '* * * *' }, 400, 'cron'],
    ['a day that never comes', { cron: '0 0 31 4 *' }, 400, 'cron'],
    ['a zone that is none', { time_zone: 'Mars/Olympus' }, 400, 'time_zone'],
    ['an end before the start', { starts_at: '2031-01-01T00:00:00Z', ends_at: '2030-01-01T00:00:00Z' }, 400, 'ends_at'],
    ['an end that has passed', { ends_at: '2020-01-01T00:00:00Z' }, 400, 'moment'],
    ['more jitter than period', { cron: undefined, every_ms: 5_000, jitter_ms: 5_000 }, 400, 'jitter_ms'],
    ['a name with a stroke', { name: 'a/b' }, 400, 'name'],
    ['a name like an id', { name: randomUUID() }, 400, 'name'],
    ['a field that there is not', { every: 5 }, 400, 'every'],
    ['arguments that the contract refuses', { arguments: { order: 5 } }, 400, 'order'],
    ['a tool that there is not', { tool: 'no_such_tool' }, 404, 'no_such_tool'],
    ['an internal tool', { tool: 'chat_turn' }, 404, 'chat_turn'],
  ])('with %s is refused', async (_, changes, status, said) => {
    const refused = await create(caller, changes);
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(said)]);
  });

  test('is previewed: checked, its first moments told, and none made', async () => {
    const body = { name: 'preview', tool: 'test_plain', arguments: { order: 'open' }, cron: '30 2 * * *', time_zone: 'Europe/Berlin' };
    const dry = '/schedules?dry_run=true';
    const told = await caller.post(dry, { ...body, starts_at: '2030-03-29T23:00:00Z', ends_at: '2030-04-01T12:00:00Z' });
    // 31 March 2030 has 23 hours in Berlin.
    expect([told.status, told.as(schedulePreview).next]).toEqual([
      200,
      ['2030-03-30T01:30:00.000Z', '2030-03-31T01:30:00.000Z', '2030-04-01T00:30:00.000Z'],
    ]);
    expect((await caller.post(dry, { ...body, cron: '* * * * *' })).as(schedulePreview).next).toHaveLength(5);
    expect(codeOf(await caller.post(dry, { ...body, cron: 'soon' }))).toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringContaining('cron'),
    });
    expect(codeOf(await caller.post(dry, { ...body, ends_at: '2020-01-01T00:00:00Z' })).code).toBe('INVALID_PARAMS');
    expect(codeOf(await caller.post(dry, { ...body, tool: 'no_such_tool' })).code).toBe('TOOL_NOT_FOUND');
    expect(codeOf(await caller.post('/schedules?dry_run=yes', body)).code).toBe('INVALID_PARAMS');
    expect((await caller.get('/schedules/preview')).status).toBe(404);
  });

  test('has a name that is its own for its owner alone', async () => {
    expect((await create(caller, { name: 'twice' })).status).toBe(201);
    expect((await create(caller, { name: 'twice' })).status).toBe(409);
    const somebody = await gateway.caller({ userId: 'user_other', scopes: scheduleScopes });
    expect((await create(somebody, { name: 'twice' })).status).toBe(201);
    const own = await create(caller, { name: 'thrice' });
    expect([own.status, (await patch(caller, 'thrice', { name: 'twice' })).status]).toEqual([201, 409]);
  });

  test('is listed in pages, by name', async () => {
    const lister = await gateway.caller({ userId: 'lister', scopes: scheduleScopes });
    for (const name of ['c', 'a', 'e', 'b', 'd']) await create(lister, { name });
    const names: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: z.output<typeof schedulePage> = (
        await lister.get(`/schedules?limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
      ).as(schedulePage);
      names.push(...page.schedules.map(({ name }) => name));
      cursor = page.pagination.next_cursor;
    }
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
    const [page] = [(await lister.get('/schedules?limit=2')).as(schedulePage)];
    const foreign = await caller.get(`/schedules?limit=2&cursor=${encodeURIComponent(page.pagination.next_cursor ?? '')}`);
    expect(foreign.status).toBe(400);
  });

  test('is called by hand, under a key of the caller once, and told in the runs', async () => {
    const { id } = (await create(caller)).as(schedule);
    const byHand = async () => caller.post(`/schedules/${id}/run`, undefined, { 'idempotency-key': `hand-${id}` });
    const [one, again] = [await byHand(), await byHand()];
    expect([one.status, again.as(startedRun).job_id]).toEqual([202, one.as(startedRun).job_id]);
    expect(await runsOf(caller, id)).toMatchObject([
      { manual: true, state: 'called', job_id: one.as(startedRun).job_id, job_state: expect.any(String) },
    ]);
    expect((await shownOf(caller, id)).last_job_id).toBe(one.as(startedRun).job_id);
  });

  test('is one of a thousand of a tenant at most', async () => {
    const row = await makeSchedule({ gateway, caller }, start);
    const { schedule: table } = gateway.stores.database;
    const rows = Array.from({ length: mostSchedules }, (_, index) => ({
      ...row,
      maker: {},
      id: randomUUID(),
      tenantId: gateway.tenant.id,
      owner: 'filler',
      name: `f${index}`,
    }));
    await table.createMany({ data: rows });
    const refused = await create(caller);
    await table.deleteMany({ where: { owner: 'filler' } });
    expect([refused.status, codeOf(refused).code]).toEqual([429, 'QUOTA_EXCEEDED']);
    expect((await create(caller)).status).toBe(201);
  });
});

test('Arguments are stored sealed, and masked for administrators', async () => {
  const { id } = (
    await create(caller, {
      tool: 'calc_metrics',
      arguments: { height_cm: 176.25, weight_kg: 71.375, age: 37, gender: 'male', activity_level: 'moderate' },
    })
  ).as(schedule);
  const row = await gateway.store.byId(id);
  expect(JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value))).not.toContain('71.375');
  expect((await shownOf(caller, id)).arguments).toMatchObject({ weight_kg: 71.375 });
  expect(JSON.stringify(await shownOf(admin, id))).not.toContain('71.375');
});

test('The audit has what people did, and that a schedule stopped', async () => {
  const { id } = (await create(caller)).as(schedule);
  await patch(caller, id, { cron: '0 4 1 1 *' });
  await caller.post(`/schedules/${id}/run`, undefined);
  const row = await reread(gateway, { id });
  await firingOf(gateway, Date.now()).stop(row, 'a test');
  await admin.delete(`/schedules/${id}`);
  const { events } = (await admin.get(`/audit?subject=${id}`)).as(auditPage);
  const me = `${gateway.tenant.id}/user_001`;
  expect(events.toReversed().map(({ action, actor }) => [action, actor])).toEqual([
    ['schedule.insert', me],
    ['schedule.update', me],
    ['schedule_run.insert', me],
    ['schedule.update', null],
    ['schedule.delete', expect.stringContaining('key:')],
  ]);
  expect(events.find(({ action }) => action === 'schedule.insert')?.facts).not.toHaveProperty('arguments');
});

test('Two gateways call what is due by themselves, each moment once', async () => {
  const order = randomUUID();
  const { id } = (await create(caller, { cron: undefined, every_ms: 1_000, overlap: 'allow', arguments: { order } })).as(schedule);
  const runs = await eventually(
    async () => {
      const found = await runsOf(caller, id);
      return found.filter(({ state }) => state === 'called').length >= 4 && found;
    },
    { withinMs: 15_000 },
  );
  await patch(caller, id, { paused: true });
  const moments = runs.map(({ at }) => Date.parse(at));
  expect(moments.slice(1).map((at, index) => at - (moments[index] ?? 0))).toEqual(moments.slice(1).map(() => 1_000));
  const jobs = runs.map(({ job_id }) => job_id).filter(Boolean);
  expect(new Set(jobs).size).toBe(jobs.length);
});

test('A schedule is called by gateways of its own Redis alone', async () => {
  const made = (await create(caller)).as(schedule);
  const dueIn = async (namespace: string) => {
    const store = new ScheduleStore(
      { database: gateway.stores.database, settings: { INVOQ_NAMESPACE: namespace } },
      gateway.app.get(Outbox),
    );
    return (await store.dueAt(new Date('2200-01-01'), 10_000)).some(({ id }) => id === made.id);
  };
  expect([await dueIn(gateway.namespace), await dueIn('another')]).toEqual([true, false]);
  await caller.delete(`/schedules/${made.id}`);
});
