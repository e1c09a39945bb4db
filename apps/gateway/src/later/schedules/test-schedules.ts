// Schedules of a gateway in the process of its test, with a clock of the test's own.
import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { schedule, scheduleRunPage, userScopes, type Outcome, type Schedule, type ScheduleRun } from '#lib/contracts';
import { newNamespace, type HttpCaller, type Reply } from '#lib/testing';
import { Authenticator } from '../../callers/authenticator.js';
import { Outbox } from '../../outbox/outbox.js';
import { Calls } from '../../calls/calls.js';
import { startTestGateway, type TestAttempt, type TestGateway } from '../../test-gateway.js';
import { Firing } from './firing.js';
import type { ScheduleRow } from './schedule-row.js';
import { ScheduleStore } from './schedule-store.js';

export const scheduleScopes = [...userScopes, 'schedules'];
export const minuteMs = 60_000;

const sealingKeys = `k1:${randomBytes(32).toString('base64')}`;

/** Jobs of orders that begin with `open` stay open. @param beside the namespace of another gateway, which has the worker */
export async function startScheduling(beside?: string, settings: Readonly<Record<string, string>> = {}) {
  const namespace = beside ?? newNamespace();
  const handler = ({ head }: TestAttempt): Outcome | null => {
    const { order } = z.object({ order: z.string() }).parse(head.input);
    return order.startsWith('open') ? null : { ok: true, data: { made: order } };
  };
  const gateway = await startTestGateway({
    namespace,
    settings: { SEALING_KEYS: sealingKeys, ...settings },
    handler: beside === undefined ? handler : null,
  });
  return Object.assign(gateway, {
    namespace,
    store: storeOf(gateway),
  });
}
export type Scheduling = Awaited<ReturnType<typeof startScheduling>>;

/** A store of the test's own. */
export function storeOf({ app, stores }: Pick<TestGateway, 'app' | 'stores'>): ScheduleStore {
  return new ScheduleStore(stores, app.get(Outbox));
}

/** What a sweeper of this gateway does, at a time of the test's own. */
export function firingOf(
  { app, stores }: TestGateway,
  now: number,
  { store, calls }: { readonly store?: ConstructorParameters<typeof Firing>[1]; readonly calls?: Pick<Calls, 'start'> } = {},
): Firing {
  const { sealer, store: jobs, log } = stores;
  const given = { sealer, store: jobs, log, servedDirectory: { prepare: () => undefined } };
  return new Firing(given, store ?? storeOf({ app, stores }), calls ?? app.get(Calls), app.get(Authenticator), { now: () => now });
}

/** A schedule by the minute that the gateway's own sweeper leaves alone. @param plannedUntil how far its plan has come */
export async function makeSchedule(
  { gateway, caller }: { readonly gateway: Scheduling; readonly caller: HttpCaller },
  plannedUntil: number,
  body: object = {},
): Promise<ScheduleRow> {
  const order = randomUUID();
  const made = await caller.post('/schedules', {
    name: `s-${order}`,
    tool: 'test_plain',
    arguments: { order },
    cron: '* * * * *',
    starts_at: '2000-01-01T00:00:00Z',
    ...body,
  });
  if (made.status !== 201) throw new Error(made.text);
  const { id } = made.as(schedule);
  const data = { lookAt: null, createdAt: new Date(0), plannedUntil: new Date(plannedUntil) };
  return gateway.stores.database.schedule.update({ where: { id }, data });
}

/** The row as it is now, left alone again by the gateway's own sweeper. */
export async function reread(gateway: Scheduling, { id }: Pick<ScheduleRow, 'id'>): Promise<ScheduleRow> {
  return gateway.stores.database.schedule.update({ where: { id }, data: { lookAt: null } });
}

export async function runsOf(caller: HttpCaller, id: string): Promise<readonly ScheduleRun[]> {
  return (await caller.get(`/schedules/${id}/runs?limit=100`)).as(scheduleRunPage).runs.toReversed();
}

export async function shownOf(caller: HttpCaller, id: string): Promise<Schedule> {
  return (await caller.get(`/schedules/${id}`)).as(schedule);
}

/** A schedule of once a year, unless told otherwise. */
export async function create(by: HttpCaller, changes: object = {}): Promise<Reply> {
  return by.post('/schedules', {
    name: `n-${randomUUID()}`,
    tool: 'test_plain',
    arguments: { order: 'open' },
    cron: '0 3 1 1 *',
    ...changes,
  });
}

export async function patch(by: HttpCaller, path: string, json: object): Promise<Reply> {
  return by.request(`/schedules/${path}`, { method: 'PATCH', json });
}
