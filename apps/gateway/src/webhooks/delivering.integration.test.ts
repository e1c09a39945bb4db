// What becomes of calls is told: once stored, in order, again and again until somebody takes it, whoever dies.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { webhook, webhookDelivery, type WebhookWithSecret } from '#lib/contracts';
import { eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { partitionOf } from '#lib/transport';
import { TestReceiver } from './test-receiver.js';
import { deliveriesOf, makeWebhook, senderOf, startHooking, webhookScopes, type Hooking } from './test-webhooks.js';

const secondMs = 1_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

let gateway: Hooking;
let other: Hooking;
let caller: HttpCaller;
let receiver: TestReceiver;
const made: WebhookWithSecret[] = [];

beforeAll(async () => {
  gateway = await startHooking();
  other = await startHooking(gateway.namespace);
  caller = await gateway.caller({ scopes: webhookScopes });
  receiver = await TestReceiver.start();
}, startTimeoutMs);
afterEach(async () => {
  for (const { id } of made.splice(0)) await caller.delete(`/webhooks/${id}`);
  receiver.answer = () => ({ status: 204 });
  receiver.received.length = 0;
});
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

async function hook(body: object = {}): Promise<WebhookWithSecret> {
  const one = await makeWebhook(caller, { url: receiver.url, events: ['call.completed', 'call.failed', 'call.cancelled'], ...body });
  made.push(one);
  return one;
}

/** Calls, and gives the id of the job. */
async function call(order: string = randomUUID(), by = caller): Promise<string> {
  const reply = await by.post('/tools/test_plain', { order }, { prefer: 'respond-async' });
  const { job_id } = JSON.parse(reply.text);
  return String(job_id);
}

const came = async (jobId: string, count = 1) =>
  eventually(async () => {
    const found = receiver.received.filter(({ data }) => data['job_id'] === jobId);
    return found.length >= count && found;
  });
const settled = async (id: string, state: string, count = 1) =>
  eventually(async () => {
    const found = await deliveriesOf(caller, id, `&state=${state}`);
    return found.length >= count && found;
  });
const shown = async (id: string) => (await caller.get(`/webhooks/${id}`)).as(webhook);
const rowOf = async (id: string) => gateway.stores.database.webhook.findUniqueOrThrow({ where: { id } });

/** When the gateways' own senders have given it back after a first try. */
const triedOnce = async (id: string) =>
  eventually(async () => {
    const [delivery] = await deliveriesOf(caller, id);
    return delivery?.attempts === 1 && (await rowOf(id)).claimedUntil === null && delivery;
  });

describe('The end of a call', () => {
  test('is told with facts and links, without parameters and results', async () => {
    const { id, secret } = await hook();
    const order = `made-${randomUUID()}`;
    const jobId = await call(order);
    const [received] = await came(jobId);
    if (!received) throw new Error('nothing came');
    const event = TestReceiver.verify(secret, received);
    expect(event).toMatchObject({
      type: 'call.completed',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        job_id: jobId,
        tool_name: 'test_plain',
        state: 'completed',
        error: null,
        tenant_id: gateway.tenant.id,
        user_id: 'user_001',
        links: { self: expect.stringMatching(new RegExp(`^http://127\\.0\\.0\\.1:\\d+/jobs/${jobId}$`)) },
      },
    });
    expect(received.body).not.toContain(order);
    expect((await settled(id, 'succeeded'))[0]).toMatchObject({ job_id: jobId, attempts: 1, last_status: 204, event_id: received.id });
  });

  test('is told to those who ask for it, once each, and to no other tenant', async () => {
    const [failed, some, none] = [
      await hook({ events: ['call.failed'] }),
      await hook({ filter: 'data.state == "completed" && data.user_id == "user_001"' }),
      await hook({ filter: 'data.user_id == "user_other"' }),
    ];
    await using stranger = await startHooking(gateway.namespace);
    const theirs = await stranger.caller({ scopes: webhookScopes });
    const foreign = await makeWebhook(theirs, { url: `${receiver.url}/theirs`, events: ['call.completed', 'call.failed'] });
    const [fine, bad] = [await call(), await call(`bad-${randomUUID()}`)];
    await came(fine);
    await came(bad);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(receiver.received.map(({ type, data }) => [type, data['job_id']])).toEqual(
      expect.arrayContaining([
        ['call.failed', bad],
        ['call.completed', fine],
      ]),
    );
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received.find(({ type }) => type === 'call.failed')?.data['error']).toMatchObject({ code: 'EXECUTION_ERROR' });
    const counts = await Promise.all([failed, some, none].map(async ({ id }) => (await deliveriesOf(caller, id)).length));
    expect([...counts, (await deliveriesOf(theirs, foreign.id)).length]).toEqual([1, 1, 0, 0]);
  });

  test('that was cancelled is told as that', async () => {
    await hook();
    const jobId = await call(`open-${randomUUID()}`);
    await caller.delete(`/jobs/${jobId}`);
    expect((await came(jobId)).map(({ type }) => type)).toEqual(['call.cancelled']);
  });
});

describe('A delivery that does not arrive', () => {
  test('is sent again with the same id and another timestamp, until it does', async () => {
    const { id, secret } = await hook();
    receiver.answer = () => ({ status: 500 });
    const jobId = await call();
    const [first] = await came(jobId);
    const waiting = await triedOnce(id);
    expect(waiting).toMatchObject({ state: 'waiting', last_status: 500, last_error: 'it answered 500' });
    const pause = Date.parse(waiting.next_at ?? '') - Date.parse(waiting.last_at ?? '');
    expect([pause >= 4_900, pause < 6_000]).toEqual([true, true]);
    expect((await shown(id)).failing_since).not.toBeNull();
    receiver.answer = () => ({ status: 200 });
    await senderOf(gateway, Date.now() + 6 * secondMs).sweep();
    const [, second] = await came(jobId, 2);
    if (!first || !second) throw new Error('it came once');
    expect([second.id, second.body]).toEqual([first.id, first.body]);
    expect(Number(second.headers['webhook-timestamp'])).toBeGreaterThan(Number(first.headers['webhook-timestamp']));
    expect(TestReceiver.verify(secret, first)).toMatchObject({ data: { job_id: jobId } });
    expect(await settled(id, 'succeeded')).toMatchObject([{ attempts: 2 }]);
    expect((await shown(id)).failing_since).toBeNull();
  });

  test('for more than a day has failed, and is sent again by hand', async () => {
    const { id } = await hook();
    receiver.answer = () => ({ status: 500 });
    await came(await call());
    await triedOnce(id);
    let now = Date.now();
    for (const ms of [6 * secondMs, 6 * minuteMs, 34 * minuteMs, 2.3 * hourMs, 5.6 * hourMs, 11.1 * hourMs, 15.5 * hourMs])
      await senderOf(gateway, (now += ms)).sweep();
    const [failed] = await settled(id, 'failed');
    expect(failed).toMatchObject({ attempts: 8, next_at: null });
    expect(receiver.received).toHaveLength(8);
    await senderOf(gateway, now + 2 * dayMs).sweep();
    expect(receiver.received).toHaveLength(8);
    receiver.answer = () => ({ status: 204 });
    const again = await caller.post(`/webhooks/${id}/deliveries/${failed?.id}/retry`, {});
    expect([again.status, again.as(webhookDelivery).state]).toEqual([202, 'waiting']);
    expect(await settled(id, 'succeeded')).toMatchObject([{ attempts: 9, event_id: receiver.received[0]?.id }]);
    expect((await caller.post(`/webhooks/${id}/deliveries/${randomUUID()}/retry`, {})).status).toBe(404);
  });

  test('is not sent before Retry-After, nor is anything else', async () => {
    const { id } = await hook();
    receiver.answer = () => ({ status: 429, headers: { 'retry-after': '600' } });
    const jobId = await call();
    await came(jobId);
    await triedOnce(id);
    receiver.answer = () => ({ status: 204 });
    const next = await call();
    await eventually(async () => (await deliveriesOf(caller, id)).length === 2);
    await senderOf(gateway, Date.now() + 9 * minuteMs).sweep();
    expect(receiver.received).toHaveLength(1);
    await senderOf(gateway, Date.now() + 11 * minuteMs).sweep();
    expect(receiver.received.slice(1).map(({ data }) => data['job_id'])).toEqual(expect.arrayContaining([jobId, next]));
  });
});

describe('A webhook', () => {
  test('that answers 410 is disabled, another of its tenant is told, and it can be taken up again', async () => {
    const gone = await hook({ url: `${receiver.url}/gone` });
    await hook({ events: ['webhook.disabled'], url: `${receiver.url}/watch` });
    receiver.answer = ({ path }) => ({ status: path === '/gone' ? 410 : 204 });
    await call();
    const notice = await eventually(async () => receiver.received.find(({ type }) => type === 'webhook.disabled'));
    expect(notice).toMatchObject({ path: '/watch', data: { webhook_id: gone.id, reason: 'The receiver has answered 410 Gone' } });
    expect(await shown(gone.id)).toMatchObject({ enabled: false, disabled_reason: 'The receiver has answered 410 Gone' });
    const [failed] = await settled(gone.id, 'failed');
    expect((await caller.post(`/webhooks/${gone.id}/deliveries/${failed?.id}/retry`, {})).status).toBe(409);
    // Nothing is stored for it meanwhile.
    await came(await call(), 0);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await deliveriesOf(caller, gone.id)).toHaveLength(1);
    receiver.answer = () => ({ status: 204 });
    await caller.request(`/webhooks/${gone.id}`, { method: 'PATCH', json: { enabled: true } });
    const later = await call();
    expect(await came(later)).toMatchObject([{ path: '/gone' }]);
  });

  test('whose every try has failed for five days is disabled at the next one; what waits stays', async () => {
    const { id } = await hook();
    receiver.answer = () => ({ status: 500 });
    await came(await call());
    await triedOnce(id);
    const since = new Date(Date.now() - 5 * dayMs + 2 * hourMs);
    await gateway.stores.database.webhook.update({ where: { id }, data: { failingSince: since } });
    await senderOf(gateway, Date.now() + hourMs).sweep();
    expect((await shown(id)).enabled).toBe(true);
    await senderOf(gateway, Date.now() + 3 * hourMs).sweep();
    expect(await shown(id)).toMatchObject({ enabled: false, disabled_reason: 'Every try has failed for five days' });
    expect(await settled(id, 'waiting')).toHaveLength(1);
    receiver.answer = () => ({ status: 204 });
    await caller.request(`/webhooks/${id}`, { method: 'PATCH', json: { enabled: true } });
    await gateway.stores.database.webhookDelivery.updateMany({ where: { webhookId: id }, data: { dueAt: new Date() } });
    await gateway.stores.database.webhook.update({ where: { id }, data: { lookAt: new Date() } });
    expect(await settled(id, 'succeeded')).toHaveLength(1);
  });

  test('that hangs delays nobody else’s deliveries', async () => {
    const slow = await Promise.all(Array.from({ length: 5 }, async (_, n) => hook({ url: `${receiver.url}/slow/${n}` })));
    await using quick = await TestReceiver.start();
    await hook({ url: quick.url });
    receiver.answer = () => ({ status: 204, afterMs: 14_000 });
    const jobs = await Promise.all(Array.from({ length: 20 }, async () => call()));
    const started = performance.now();
    await eventually(async () => new Set(quick.received.map(({ data }) => data['job_id'])).size === jobs.length);
    expect(performance.now() - started).toBeLessThan(6_000);
    // Each has four at once.
    await eventually(async () => receiver.received.length === 4 * slow.length);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(receiver.mostOpen).toBe(4 * slow.length);
    for (const { id } of slow) await caller.delete(`/webhooks/${id}`);
    made.length = 0;
  }, 60_000);
});

describe('A gateway that dies', () => {
  const dead = async (): Promise<never> => Promise.reject(new Error('killed'));

  test('between a try and its note leaves it to the next, under the same id', async () => {
    const { id } = await hook();
    // Nobody sends it but the test.
    await gateway.stores.database.webhook.update({ where: { id }, data: { claimedUntil: new Date(Date.now() + hourMs) } });
    const jobId = await call();
    await eventually(async () => (await deliveriesOf(caller, id)).length === 1);
    await senderOf(gateway, Date.now() + hourMs + minuteMs, { settle: dead, rest: dead }).sweep();
    expect(receiver.received).toHaveLength(1);
    // Its claim is not over.
    await senderOf(other, Date.now() + hourMs + 1.5 * minuteMs).sweep();
    expect(receiver.received).toHaveLength(1);
    await senderOf(other, Date.now() + hourMs + 2.1 * minuteMs).sweep();
    const [first, second] = await came(jobId, 2);
    expect([first?.id, first?.body]).toEqual([second?.id, second?.body]);
    expect(await settled(id, 'succeeded')).toMatchObject([{ attempts: 1 }]);
  });

  test('while two work at the same moment, one sends', async () => {
    const { id } = await hook();
    await gateway.stores.database.webhook.update({ where: { id }, data: { claimedUntil: new Date(Date.now() + hourMs) } });
    const jobs = await Promise.all(Array.from({ length: 10 }, async () => call()));
    await eventually(async () => (await deliveriesOf(caller, id)).length === jobs.length);
    const now = Date.now() + hourMs + minuteMs;
    await Promise.all([gateway, other, gateway, other].map(async (one) => senderOf(one, now).sweep()));
    expect(new Set(receiver.received.map(({ data }) => data['job_id']))).toEqual(new Set(jobs));
    expect(receiver.received).toHaveLength(jobs.length);
    expect(new Set(receiver.received.map((one) => one.id)).size).toBe(jobs.length);
  });

  test('after the history was written, and before Redis was told, stores nothing twice', async () => {
    const { id } = await hook();
    const jobId = await call();
    await came(jobId);
    const { redis, keys } = gateway.stores;
    const [kept] = await gateway.stores.database.callHistory.findMany({ where: { jobId } });
    expect(kept).toBeDefined();
    const entry = {
      job_id: jobId,
      tenant_id: gateway.tenant.id,
      user_id: 'user_001',
      caller: kept?.caller,
      credential_id: kept?.credentialId,
      domain: kept?.domain,
      tool_name: 'test_plain',
      tool_version: kept?.toolVersion,
      state: 'completed',
      code: null,
      native_code: null,
      attempts_made: 1,
      max_attempts: 1,
      created_at: Date.now(),
      started_at: null,
      finished_at: kept?.finishedAt.getTime(),
      execution_ms: 1,
      network_ms: 0,
      input_tokens: null,
      output_tokens: null,
      trace_id: kept?.traceId,
      replay_of: null,
    };
    const key = keys.endedCalls(partitionOf('profile'));
    await redis.xadd(key, '*', 'calls', JSON.stringify([entry]));
    await eventually(async () => (await redis.xlen(key)) === 0);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await deliveriesOf(caller, id)).toHaveLength(1);
    expect(receiver.received).toHaveLength(1);
  });
});
