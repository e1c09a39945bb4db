import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { auditPage, webhook, webhookDelivery, webhookDeliveryPage, webhookList, webhookWithSecret } from '#lib/contracts';
import { startTimeoutMs, type HttpCaller } from '#lib/testing';
import { Sealer } from '#lib/transport';
import { Outbox } from '../outbox/outbox.js';
import { DeliveryStore } from './delivery-store.js';
import { secretsOf } from './webhook-row.js';
import { WebhookStore } from './webhook-store.js';
import { TestReceiver } from './test-receiver.js';
import { deliveriesOf, makeWebhook, startHooking, webhookScopes, type Hooking } from './test-webhooks.js';

let gateway: Hooking;
let caller: HttpCaller;
let receiver: TestReceiver;
const dayMs = 86_400_000;

beforeAll(async () => {
  gateway = await startHooking();
  caller = await gateway.caller({ scopes: webhookScopes });
  receiver = await TestReceiver.start();
}, startTimeoutMs);
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

const patch = async (id: string, json: object, by = caller) => by.request(`/webhooks/${id}`, { method: 'PATCH', json });

describe('A webhook', () => {
  test('is made with a secret that is told this once, listed, changed and removed', async () => {
    const made = await caller.post('/webhooks', { url: receiver.url, events: ['call.failed'], filter: 'data.tool_name == "x"' });
    const { secret, ...row } = made.as(webhookWithSecret);
    expect([made.status, made.headers.get('location')]).toEqual([201, `/webhooks/${row.id}`]);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(row).toMatchObject({ url: receiver.url, events: ['call.failed'], filter: 'data.tool_name == "x"', enabled: true });
    expect((await caller.get('/webhooks')).as(webhookList).webhooks).toContainEqual(row);
    const one = await caller.get(`/webhooks/${row.id}`);
    expect(one.as(webhook)).toEqual(row);
    expect(one.text).not.toContain(secret);
    const changed = (await patch(row.id, { events: ['call.completed'], filter: null, enabled: false })).as(webhook);
    expect(changed).toMatchObject({ events: ['call.completed'], filter: null, enabled: false, disabled_reason: 'It was disabled by hand' });
    expect((await patch(row.id, { enabled: true })).as(webhook)).toMatchObject({ enabled: true, disabled_reason: null, disabled_at: null });
    expect((await caller.delete(`/webhooks/${row.id}`)).as(webhook).id).toBe(row.id);
    for (const path of ['', '/deliveries']) expect((await caller.get(`/webhooks/${row.id}${path}`)).status).toBe(404);
  });

  test.each<[object, string]>([
    [{ url: 'no-address' }, 'url'],
    [{ url: 'https://example.com/ a' }, 'url'],
    [{ url: 'https://example.com/\r\nHost: b' }, 'url'],
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ url: 'https://user:pass@example.com/' }, 'url'],
    [{ url: `https://example.com/${'x'.repeat(2_048)}` }, 'url'],
    [{ events: [] }, 'events'],
    [{ events: ['call.started'] }, 'events.0'],
    [{ events: ['call.failed', 'call.failed'] }, 'events'],
    [{ filter: 'data.tool_name ==' }, 'filter'],
    [{ filter: 'nothing == 1' }, 'filter'],
    [{ filter: 'data.tool_name.matches("a+")' }, 'filter'],
    [{ filter: '"text"' }, 'filter'],
    [{ filter: `data.a == "${'x'.repeat(2_000)}"` }, 'filter'],
    [{ secret: 'whsec_mine' }, 'secret'],
  ])('with %j is refused, and the field named', async (body, path) => {
    const answer = await caller.post('/webhooks', { url: 'https://example.com/', events: ['call.failed'], ...body });
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([400, { error: { code: 'INVALID_PARAMS', details: [{ path }] } }]);
  });

  test('is the tenant’s: whoever has the scope sees it, and nobody of another tenant', async () => {
    const { id } = await makeWebhook(caller, { url: receiver.url });
    const [same, admin] = await Promise.all([
      gateway.caller({ userId: 'user_other', scopes: ['webhooks'] }),
      gateway.caller({ userId: null, scopes: ['tenant:admin'] }),
    ]);
    for (const by of [same, admin]) expect((await by.get(`/webhooks/${id}`)).status).toBe(200);
    const none = await gateway.caller();
    expect((await none.get('/webhooks')).status).toBe(403);
    expect((await none.post('/webhooks', { url: receiver.url, events: ['call.failed'] })).status).toBe(403);
    expect((await caller.get(`/webhooks/${randomUUID()}`)).status).toBe(404);
    expect((await caller.get('/webhooks/..%2fkeys')).status).toBe(404);
  });

  test('is one of at most fifty of its tenant, also where many are made at once', async () => {
    const before = (await caller.get('/webhooks')).as(webhookList).webhooks.length;
    const made = await Promise.all(
      Array.from({ length: 60 - before }, async () => caller.post('/webhooks', { url: receiver.url, events: ['schedule.missed'] })),
    );
    expect(made.filter(({ status }) => status === 201)).toHaveLength(50 - before);
    expect(JSON.parse(made.find(({ status }) => status !== 201)?.text ?? '{}')).toMatchObject({
      error: { code: 'QUOTA_EXCEEDED', limit: 50 },
    });
    for (const one of made) if (one.status === 201) await caller.delete(`/webhooks/${one.as(webhookWithSecret).id}`);
  });

  test('and each change of it are in the audit, without the address and the secrets', async () => {
    const { id, secret } = await makeWebhook(caller, { url: `${receiver.url}/hidden` });
    await patch(id, { events: ['call.failed'] });
    await caller.post(`/webhooks/${id}/rotate`, {});
    await caller.post(`/webhooks/${id}/test`, {});
    await caller.delete(`/webhooks/${id}`);
    const admin = await gateway.caller({ userId: null, scopes: ['tenant:admin'] });
    const read = await admin.get('/audit?limit=100');
    const events = read.as(auditPage).events.filter(({ subject }) => subject.startsWith(id));
    expect(events.map(({ action }) => action).toReversed()).toEqual([
      'webhook.insert',
      'webhook.update',
      'webhook.update',
      'webhook_delivery.insert',
      'webhook.delete',
    ]);
    expect(events.every(({ actor }) => actor?.endsWith('/user_001'))).toBe(true);
    for (const part of ['hidden', secret.slice(6, 20), 'sealed.']) expect(read.text).not.toContain(part);
  });
});

test('Secrets are sealed with the first key again, also the one before, and open without the old key', async () => {
  const made = await makeWebhook(caller, { url: receiver.url });
  const { secret } = (await caller.post(`/webhooks/${made.id}/rotate`, {})).as(webhookWithSecret);
  const { database, settings } = gateway.stores;
  const fresh = { id: 'k2', key: randomBytes(32) };
  const store = new WebhookStore(gateway.stores);
  expect(await store.reseal(new Sealer([fresh, ...settings.SEALING_KEYS]))).toBeGreaterThan(0);
  expect(await store.reseal(new Sealer([fresh, ...settings.SEALING_KEYS]))).toBe(0);
  const row = await database.webhook.findUniqueOrThrow({ where: { id: made.id } });
  expect(secretsOf(new Sealer([fresh]), row, Date.now())).toEqual([secret, made.secret]);
  // A gateway without the new key says what to do.
  const tried = (await caller.post(`/webhooks/${made.id}/test`, {})).as(webhookDelivery);
  expect(tried).toMatchObject({ state: 'failed', last_error: expect.stringContaining('rotate it') });
  await caller.delete(`/webhooks/${made.id}`);
});

test('Old deliveries are forgotten: those that have arrived after three days, the others after two weeks', async () => {
  const { id } = await makeWebhook(caller, { url: receiver.url });
  for (const status of [204, 500]) {
    receiver.answer = () => ({ status });
    await caller.post(`/webhooks/${id}/test`, {});
  }
  receiver.answer = () => ({ status: 204 });
  const store = new DeliveryStore(gateway.stores, gateway.app.get(Outbox));
  const left: number[] = [];
  for (const days of [2.9, 3.1, 13.9, 14.1]) {
    await store.forget(Date.now() + days * dayMs);
    left.push((await deliveriesOf(caller, id)).length);
  }
  expect(left).toEqual([2, 1, 1, 0]);
});

describe('A test', () => {
  test('is sent at once, and verified by the official library', async () => {
    const { id, secret } = await makeWebhook(caller, { url: `${receiver.url}/path?a=b`, filter: 'false' });
    const delivery = (await caller.post(`/webhooks/${id}/test`, {})).as(webhookDelivery);
    expect(delivery).toMatchObject({ type: 'webhook.test', state: 'succeeded', attempts: 1, last_status: 204, last_error: null });
    const received = receiver.received.at(-1);
    if (!received) throw new Error('nothing came');
    expect(received).toMatchObject({ path: '/path?a=b', type: 'webhook.test', id: delivery.event_id, data: { webhook_id: id } });
    expect(received.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': expect.stringMatching(/^Invoq\//) });
    expect(Object.keys(JSON.parse(received.body))).toEqual(['type', 'timestamp', 'data']);
    expect(Math.abs(Number(received.headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(10);
    expect(TestReceiver.verify(secret, received)).toEqual(delivery.event);
    const forged = { ...received, body: received.body.replace('webhook.test', 'webhook.tes7') };
    expect(() => TestReceiver.verify(secret, forged)).toThrow('No matching signature');
    expect((await deliveriesOf(caller, id)).map(({ id: one }) => one)).toEqual([delivery.id]);
  });

  test('with both secrets for a day after one was given', async () => {
    const first = await makeWebhook(caller, { url: receiver.url });
    const rotated = (await caller.post(`/webhooks/${first.id}/rotate`, {})).as(webhookWithSecret);
    expect(rotated.secret).not.toBe(first.secret);
    expect(Date.parse(rotated.previous_secret_until ?? '') - Date.now()).toBeGreaterThan(dayMs - 60_000);
    await caller.post(`/webhooks/${first.id}/test`, {});
    const received = receiver.received.at(-1);
    if (!received) throw new Error('nothing came');
    expect(received.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    for (const { secret } of [first, rotated]) TestReceiver.verify(secret, received);
    // A day later.
    await gateway.stores.database.webhook.update({ where: { id: first.id }, data: { previousUntil: new Date() } });
    await caller.post(`/webhooks/${first.id}/test`, {});
    const later = receiver.received.at(-1) ?? received;
    TestReceiver.verify(rotated.secret, later);
    expect(() => TestReceiver.verify(first.secret, later)).toThrow('No matching signature');
    expect((await caller.get(`/webhooks/${first.id}`)).as(webhook).previous_secret_until).toBeNull();
  });

  test('that is answered by anything but 2xx has failed; a redirect is not followed', async () => {
    const { id } = await makeWebhook(caller, { url: receiver.url });
    const before = receiver.received.length;
    for (const status of [301, 307, 400, 500]) {
      receiver.answer = () => ({ status, headers: { location: `${receiver.url}/elsewhere` } });
      const delivery = (await caller.post(`/webhooks/${id}/test`, {})).as(webhookDelivery);
      expect(delivery).toMatchObject({ state: 'failed', last_status: status, last_error: `it answered ${status}`, next_at: null });
    }
    receiver.answer = () => ({ status: 204 });
    expect(receiver.received.slice(before).map(({ path }) => path)).toEqual(['/', '/', '/', '/']);
    const states = (await caller.get(`/webhooks/${id}/deliveries?limit=3&state=failed`)).as(webhookDeliveryPage);
    expect([states.deliveries.length, states.pagination.has_more]).toEqual([3, true]);
    const next = await caller.get(`/webhooks/${id}/deliveries?limit=3&state=failed&cursor=${states.pagination.next_cursor}`);
    expect(next.as(webhookDeliveryPage).deliveries).toHaveLength(1);
    expect((await caller.get(`/webhooks/${id}/deliveries?cursor=${states.pagination.next_cursor}`)).status).toBe(400);
  });

  test('of nobody who listens says what was wrong', async () => {
    const { id } = await makeWebhook(caller, { url: 'http://127.0.0.1:1/' });
    const delivery = (await caller.post(`/webhooks/${id}/test`, {})).as(webhookDelivery);
    expect(delivery).toMatchObject({ state: 'failed', last_status: null, last_error: 'no answer: ECONNREFUSED' });
  });
});
