// A schedule calls with the rights that its maker has when it calls, and belongs to its owner.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { schedule, schedulePage } from '#lib/contracts';
import { startTimeoutMs, type HttpCaller } from '#lib/testing';
import { ScheduleSweeper } from './schedule-sweeper.js';
import {
  create,
  firingOf,
  makeSchedule,
  minuteMs,
  patch,
  reread,
  runsOf,
  scheduleScopes,
  shownOf,
  startScheduling,
  type Scheduling,
} from './test-schedules.js';

const secret = 'a secret of at least thirty-two characters';
const issuer = 'https://id.example';
/** A whole minute in the future: the gateway's own sweeper leaves it alone. */
const start = Math.floor(Date.now() / minuteMs) * minuteMs + 600 * minuteMs;

let gateway: Scheduling;
let caller: HttpCaller;
let admin: HttpCaller;

beforeAll(async () => {
  gateway = await startScheduling(undefined, { JWT_ISSUER: issuer, JWT_AUDIENCE: 'invoq', JWT_SECRET: secret });
  caller = await gateway.caller({ scopes: scheduleScopes });
  admin = await gateway.caller({ userId: null, scopes: ['*'] });
}, startTimeoutMs);

afterAll(async () => gateway?.[Symbol.asyncDispose]());

describe('The rights', () => {
  test('to have any need the scope', async () => {
    const ordinary = await gateway.caller();
    for (const reply of [await create(ordinary), await ordinary.get('/schedules'), await ordinary.post('/schedules/x/run', undefined)])
      expect(reply.status).toBe(403);
  });

  test('to make one are those to call its tool', async () => {
    const reader = await gateway.caller({ scopes: ['tools:write', 'schedules'] });
    expect((await create(reader)).status).toBe(403);
    const narrow = await gateway.caller({ scopes: scheduleScopes, tools: ['test_cached'] });
    expect((await create(narrow)).status).toBe(404);
  });

  test('of another user end where it begins, and an administrator may pause and delete alone', async () => {
    const { id, name } = (await create(caller)).as(schedule);
    const somebody = await gateway.caller({ userId: 'user_other', scopes: scheduleScopes });
    for (const path of [id, name]) {
      expect((await somebody.get(`/schedules/${path}`)).status).toBe(404);
      expect((await patch(somebody, path, { paused: true })).status).toBe(404);
      expect((await somebody.post(`/schedules/${path}/run`, undefined)).status).toBe(404);
      expect((await somebody.get(`/schedules/${path}/runs`)).status).toBe(404);
      expect((await somebody.delete(`/schedules/${path}`)).status).toBe(404);
    }
    expect((await somebody.get('/schedules?scope=tenant')).status).toBe(403);
    const listed = (await admin.get('/schedules?scope=tenant&limit=100')).as(schedulePage).schedules;
    expect(listed.map((one) => one.id)).toContain(id);
    expect((await patch(admin, id, { arguments: { order: 'mine' } })).status).toBe(403);
    expect((await patch(admin, id, { paused: false })).status).toBe(403);
    expect((await admin.post(`/schedules/${id}/run`, undefined)).status).toBe(403);
    expect((await patch(admin, id, { paused: true })).as(schedule)).toMatchObject({
      state: 'paused',
      owner: `${gateway.tenant.id}/user_001`,
    });
    expect((await admin.delete(`/schedules/${id}`)).status).toBe(200);
  });

  test('are those that the key has when it calls, and without them it stops and says so', async () => {
    const key = await gateway.tenant.key({ scopes: scheduleScopes });
    const maker = (await gateway.caller()).with({ authorization: `Bearer ${key}` });
    const row = await makeSchedule({ gateway, caller: maker }, start);
    const keyId = /^invoq_([^_]+)/.exec(key)?.[1];
    expect((await admin.delete(`/keys/${keyId}`)).status).toBe(200);
    await firingOf(gateway, start + minuteMs).handle(row);
    // The gateway's own sweeper may have stopped it first: then there is no run.
    for (const run of await runsOf(caller, row.id)) expect(run).toMatchObject({ state: 'failed', error: { code: 'UNAUTHORIZED' } });
    expect(await shownOf(caller, row.id)).toMatchObject({
      state: 'stopped',
      next_at: null,
      problem: { message: 'The API key has been revoked' },
    });
    // Its owner comes with another key.
    expect((await patch(caller, row.id, {})).as(schedule)).toMatchObject({ state: 'active', problem: null });
    await firingOf(gateway, start + 2 * minuteMs).handle(await reread(gateway, row));
    expect((await runsOf(caller, row.id)).map(({ state }) => state)).toContain('called');
  });

  test('of a key that has ended stop what is due much later, too', async () => {
    const key = await gateway.tenant.key({ scopes: scheduleScopes });
    const maker = (await gateway.caller()).with({ authorization: `Bearer ${key}` });
    const { id } = (await create(maker)).as(schedule);
    await admin.delete(`/keys/${/^invoq_([^_]+)/.exec(key)?.[1]}`);
    const { stores } = gateway;
    const firing = firingOf(gateway, Date.now());
    await new ScheduleSweeper(stores, gateway.store, firing, { now: () => 0 }).sweep();
    expect(await shownOf(caller, id)).toMatchObject({ state: 'stopped', problem: { message: 'The API key has been revoked' } });
  });

  test('of a key that has lost the scope are none', async () => {
    const key = await gateway.tenant.key({ scopes: scheduleScopes });
    const maker = (await gateway.caller()).with({ authorization: `Bearer ${key}` });
    const row = await makeSchedule({ gateway, caller: maker }, start);
    const id = /^invoq_([^_]+)/.exec(key)?.[1] ?? '';
    await gateway.stores.database.apiKey.update({ where: { id }, data: { scopes: ['tools:read', 'tools:write'] } });
    // A key is read once a second.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await firingOf(gateway, start + minuteMs).handle(row);
    expect((await shownOf(caller, row.id)).state).toBe('stopped');
  });

  test('of a user for whom a key acts are those of that user', async () => {
    const acting = await gateway.caller({ userId: null, scopes: ['act-as', ...scheduleScopes] });
    const row = await makeSchedule({ gateway, caller: acting.with({ 'x-user-id': 'user_other' }) }, start);
    await firingOf(gateway, start + minuteMs).handle(row);
    const [run] = await runsOf(acting.with({ 'x-user-id': 'user_other' }), row.id);
    const record = await gateway.stores.store.read(run?.job_id ?? '');
    expect(record?.head.caller).toMatchObject({ userId: 'user_other', scopes: scheduleScopes });
    expect((await acting.get(`/schedules/${row.id}`)).status).toBe(404);
  });

  test('of a token outlive it, within what tokens may have', async () => {
    const token = await new SignJWT({ tenant_id: gateway.tenant.id, scope: 'tools:read schedules' })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(issuer)
      .setAudience('invoq')
      .setSubject('by-token')
      .setExpirationTime('2s')
      .sign(new TextEncoder().encode(secret));
    const maker = (await gateway.caller()).with({ authorization: `Bearer ${token}` });
    const row = await makeSchedule({ gateway, caller: maker }, start);
    await firingOf(gateway, start + minuteMs).handle(row);
    const [run] = await gateway.store.runs(row, null, 1);
    const record = await gateway.stores.store.read(run?.jobId ?? '');
    expect(record?.head.caller).toMatchObject({ userId: 'by-token', scopes: ['tools:read', 'schedules'] });
    expect(record?.head.caller.credentialEndsAt).toBeUndefined();
  });
});
