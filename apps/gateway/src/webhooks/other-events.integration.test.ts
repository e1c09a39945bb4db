// What else is told: rests, what people are asked and decide, moments that nobody was there for.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { inputRequest, schedule } from '#lib/contracts';
import { acceptedShape, eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { Outbox } from '../outbox/outbox.js';
import { missedEvent } from '../outbox/told-events.js';
import { firingOf } from '../later/schedules/test-schedules.js';
import { TestReceiver } from './test-receiver.js';
import { deliveriesOf, makeWebhook, startHooking, webhookScopes, type Hooking } from './test-webhooks.js';

const events = ['call.completed', 'call.failed', 'call.cancelled', 'call.resting', 'input.requested', 'input.decided', 'schedule.missed'];

let gateway: Hooking;
let other: Hooking;
let caller: HttpCaller;
let boss: HttpCaller;
let receiver: TestReceiver;
let id: string;

beforeAll(async () => {
  gateway = await startHooking();
  other = await startHooking(gateway.namespace);
  caller = await gateway.caller({ scopes: [...webhookScopes, 'schedules'] });
  boss = await gateway.caller({ userId: 'boss', scopes: [...webhookScopes, 'approvals'] });
  receiver = await TestReceiver.start();
  ({ id } = await makeWebhook(caller, { url: receiver.url, events }));
}, startTimeoutMs);
afterEach(() => {
  receiver.received.length = 0;
});
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

const told = async (jobId: string, count: number) =>
  eventually(async () => {
    const found = receiver.received.filter(({ data }) => data['job_id'] === jobId);
    return found.length >= count && found;
  });
const types = async (jobId: string, count: number) => (await told(jobId, count)).map(({ type }) => type);

async function ask(by = caller) {
  const { job_id, rest } = (await by.post('/tools/test_approved', { order: randomUUID() })).as(acceptedShape);
  return { jobId: job_id, input: rest?.input_request ?? '' };
}

test('A call that is approved is told from its rest to its end, in order, also where it is decided at once', async () => {
  const { jobId, input } = await ask();
  expect((await boss.post(`/input-requests/${input}`, { action: 'accept', reason: 'fine' })).status).toBe(200);
  const found = await told(jobId, 4);
  expect(found.map(({ type }) => type)).toEqual(['call.resting', 'input.requested', 'input.decided', 'call.completed']);
  const [resting, requested, decided] = found.map(({ data }) => data);
  expect(resting).toMatchObject({ state: 'resting', tool_name: 'test_approved', rest: { reason: 'approval', input_request: input } });
  expect(requested).toMatchObject({
    id: input,
    kind: 'approval',
    message: 'May this be made?',
    requested_by: expect.stringContaining('user_001'),
    links: { self: expect.stringMatching(new RegExp(`^http.*/input-requests/${input}$`)) },
  });
  expect(requested).not.toHaveProperty('arguments');
  expect(decided).toMatchObject({ id: input, state: 'accepted', reason: 'fine', decided_by: expect.stringContaining('boss') });
});

test('A call that is declined fails after it was decided, and one that is cancelled at rest is told as cancelled', async () => {
  const [declined, cancelled] = [await ask(), await ask()];
  await boss.post(`/input-requests/${declined.input}`, { action: 'decline' });
  await caller.delete(`/jobs/${cancelled.jobId}`);
  expect(await types(declined.jobId, 4)).toEqual(['call.resting', 'input.requested', 'input.decided', 'call.failed']);
  expect((await types(cancelled.jobId, 4)).toSorted()).toEqual(['call.cancelled', 'call.resting', 'input.decided', 'input.requested']);
});

test('A decision is told once, whoever notes it and however often', async () => {
  const { jobId, input } = await ask();
  const decisions = await Promise.all(
    ['accept', 'decline', 'accept'].map(async (action) => boss.post(`/input-requests/${input}`, { action })),
  );
  expect(decisions.filter(({ status }) => status === 200)).toHaveLength(1);
  const { state } = decisions.find(({ status }) => status === 200)?.as(inputRequest) ?? {};
  await told(jobId, 4);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const found = receiver.received.filter(({ type }) => type === 'input.decided');
  expect(found).toMatchObject([{ data: { state } }]);
});

test('A call that begins later is told as resting, whichever gateway takes it', async () => {
  const reply = await caller.at(other.url).post('/tools/test_plain?delay_ms=3600000', { order: randomUUID() });
  const { job_id: jobId } = reply.as(acceptedShape);
  expect((await told(jobId, 1))[0]).toMatchObject({ type: 'call.resting', data: { rest: { reason: 'scheduled' } } });
  await caller.delete(`/jobs/${jobId}`);
  expect(await types(jobId, 2)).toEqual(['call.resting', 'call.cancelled']);
});

test('A moment of a schedule at which nobody was there is told once', async () => {
  const made = await caller.post('/schedules', {
    name: `m-${randomUUID()}`.slice(0, 40),
    tool: 'test_plain',
    arguments: { order: 'open' },
    cron: '* * * * *',
    missed: 'skip',
    starts_at: '2000-01-01T00:00:00Z',
  });
  const { id: scheduleId } = made.as(schedule);
  // Nobody was there for ten minutes. Gateways of other tests, which have no webhooks of this one, leave it alone.
  const data = { plannedUntil: new Date(Date.now() - 600_000), lookAt: null };
  const row = await gateway.stores.database.schedule.update({ where: { id: scheduleId }, data });
  await firingOf(gateway, Date.now()).handle(row);
  const missed = await eventually(async () => receiver.received.find(({ data }) => data['schedule_id'] === scheduleId));
  expect(missed).toMatchObject({ type: 'schedule.missed', data: { tool_name: 'test_plain', owner: expect.stringContaining('user_001') } });
  await caller.delete(`/schedules/${scheduleId}`);
});

test('An event that is stored twice is told once, and one whose change is taken back is not told', async () => {
  const { database } = gateway.stores;
  const row = await database.schedule.create({
    data: {
      tenantId: gateway.tenant.id,
      owner: 'o',
      name: randomUUID(),
      tool: 't',
      arguments: 'a',
      timeZone: 'UTC',
      overlap: 'skip',
      missed: 'skip',
      jitterMs: 0,
      paused: true,
      maker: {},
      credentialId: 'k',
      plannedUntil: new Date(),
    },
  });
  const outbox = gateway.app.get(Outbox);
  const [kept, lost] = [missedEvent(row, new Date(1_000)), missedEvent(row, new Date(2_000))];
  for (let again = 0; again < 3; again++) await database.$transaction(async (transaction) => outbox.add(transaction, [kept, kept]));
  const taken = database.$transaction(async (transaction) => {
    await outbox.add(transaction, [lost]);
    throw new Error('taken back');
  });
  await expect(taken).rejects.toThrow('taken back');
  const stored = (await deliveriesOf(caller, id)).filter(({ event }) => event.data['schedule_id'] === row.id);
  expect(stored.map(({ event }) => event.data['missed_at'])).toEqual([new Date(1_000).toISOString()]);
});
