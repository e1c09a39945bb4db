// What the console is made from, over two gateways and real workers: whichever answers, it is the same.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { activitySchema, replayedCall, callPage, callRow, workerList } from '#lib/contracts';
import { eventually, HttpCaller, startTimeoutMs, type System } from '#lib/testing';
import { startLabSystem, type LabSystem } from '../lab-system.js';

/** A sweep a second, and what a busy machine may add to it. */
const soonMs = 5_000;
const page = { 'sec-fetch-site': 'same-origin', 'x-invoq-console': '1' };

let lab: LabSystem;
let system: System;
let user: HttpCaller;
let admin: HttpCaller;
let urls: readonly string[] = [];

beforeAll(async () => {
  lab = await startLabSystem({ gateways: 2 });
  ({ system } = lab);
  urls = system.gateways.map(({ url }) => url);
  user = await system.caller();
  admin = await system.caller({ userId: null, scopes: ['*'] });
}, startTimeoutMs);
afterAll(async () => lab?.[Symbol.asyncDispose]());

const urlOf = (gateway: number): string => urls[gateway] ?? '';

/** Signs in at the first gateway, as a page does. */
async function signIn(key: string): Promise<{ readonly at: (gateway: number) => HttpCaller }> {
  const answer = await new HttpCaller(urlOf(0), null, page).post('/console/session', { key });
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  return { at: (gateway) => new HttpCaller(urlOf(gateway), null, { ...page, cookie }) };
}

async function start(tool: string, params: object, caller = user): Promise<string> {
  const answer = await caller.post(`/tools/${tool}`, params, { prefer: 'respond-async' });
  return (answer.headers.get('location') ?? '').replace('/jobs/', '');
}

let weights = 50;
/** Each time others: an answer from the cache would make no job. */
const metrics = () => ({ height_cm: 175, weight_kg: (weights += 0.5), age: 30, gender: 'male', activity_level: 'moderate' });
const listed = async (gateway: number, id: string) =>
  eventually(async () =>
    (await admin.at(urlOf(gateway)).get('/jobs?scope=all'))
      .as(callPage)
      .jobs.find(({ job_id, finished_at }) => job_id === id && finished_at),
  );

describe('A session of the console', () => {
  test('is good at every gateway, and its end at one ends its stream at the other', async () => {
    const session = await signIn(await system.tenant.key());
    expect((await session.at(1).get('/tools')).status).toBe(200);
    const id = await start('lab_steps', { order: crypto.randomUUID(), steps: 100, step_ms: 200 }, session.at(0));
    await using stream = await session.at(0).stream(`/jobs/${id}/events`);
    await stream.next();
    const begun = performance.now();
    expect((await session.at(1).request('/console/session', { method: 'DELETE' })).status).toBe(204);
    while (await stream.next().catch(() => null));
    expect(performance.now() - begun).toBeLessThan(soonMs);
    expect((await session.at(0).get('/tools')).status).toBe(401);
    await user.request(`/jobs/${id}`, { method: 'DELETE' });
  });
});

describe('Calls', () => {
  test('are the same in the lists of both gateways, with the end that a worker wrote', async () => {
    const id = await start('calc_metrics', metrics());
    const [one, two] = [await listed(0, id), await listed(1, id)];
    expect(two).toEqual(one);
    expect(one).toMatchObject({ state: 'completed', tool_name: 'calc_metrics', attempts_made: 1 });
  });

  test('are told by both gateways, and go on from one at the other after it was killed', async () => {
    await using first = await admin.at(urlOf(1)).stream('/jobs/feed?scope=all');
    const reset = await first.next();
    expect(reset?.event).toBe('reset');
    const before = await start('calc_metrics', metrics());
    let last = '';
    for (let event = await first.next(); event; event = await first.next()) {
      last = event.id;
      const call = callRow.parse(event.data);
      if (call.job_id === before && call.finished_at !== null) break;
    }
    await system.gateways[1]?.kill();
    const missed = await start('calc_metrics', metrics(), user.at(urlOf(0)));
    await listed(0, missed);
    await using second = await admin.at(urlOf(0)).stream('/jobs/feed?scope=all', { headers: { 'last-event-id': last } });
    for (let event = await second.next(); ; event = await second.next()) {
      expect(event?.event).toBe('run');
      const call = callRow.parse(event?.data);
      if (call.job_id === missed && call.finished_at !== null) break;
    }
    await system.gateways[1]?.start();
    urls = system.gateways.map(({ url }) => url);
  });

  test('are replayed at another gateway than they ran at', async () => {
    const origin = await start('calc_metrics', metrics());
    await listed(0, origin);
    const answer = await user.at(urlOf(1)).post(`/jobs/${origin}/replay`, { input: metrics() });
    const { job_id } = answer.as(replayedCall);
    expect(await listed(0, job_id)).toMatchObject({ replay_of: origin, state: 'completed' });
  });
});

test('activity, queues and workers are the same from every gateway', async () => {
  await user.call('calc_metrics', metrics());
  const seen = async (gateway: number) => {
    const { minutes, queues } = (await admin.at(urlOf(gateway)).get('/admin/activity')).as(activitySchema);
    return { calls: minutes.reduce((sum, { by_tool }) => sum + (by_tool['calc_metrics']?.calls ?? 0), 0), queues };
  };
  await eventually(async () => {
    const [one, two] = [await seen(0), await seen(1)];
    return one.calls > 0 && one.calls === two.calls && one.queues.some(({ domain, workers }) => domain === 'profile' && workers > 0);
  });
  const workers = async (gateway: number) => (await admin.at(urlOf(gateway)).get('/admin/workers')).as(workerList).workers;
  const ids = async (gateway: number) => (await workers(gateway)).map(({ id }) => id);
  expect(await ids(1)).toEqual(await ids(0));
  expect((await workers(0))[0]).toMatchObject({ domain: 'profile', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
});
