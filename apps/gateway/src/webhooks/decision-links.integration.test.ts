// A link that a webhook brings decides one approval, once.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { auditPage, inputRequest } from '#lib/contracts';
import { acceptedShape, eventually, HttpCaller, startTimeoutMs } from '#lib/testing';
import { TestReceiver } from './test-receiver.js';
import { deliveriesOf, makeWebhook, startHooking, webhookScopes, type Hooking } from './test-webhooks.js';

let gateway: Hooking;
let other: Hooking;
let caller: HttpCaller;
let boss: HttpCaller;
let anybody: HttpCaller;
let receiver: TestReceiver;

beforeAll(async () => {
  gateway = await startHooking();
  other = await startHooking(gateway.namespace);
  caller = await gateway.caller({ scopes: webhookScopes });
  boss = await gateway.caller({ userId: 'boss', scopes: [...webhookScopes, 'approvals', 'tenant:admin'] });
  anybody = new HttpCaller(gateway.url, null);
  receiver = await TestReceiver.start();
}, startTimeoutMs);
afterEach(() => {
  receiver.received.length = 0;
});
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

const requested = ['input.requested'];

/** A call that waits, and the path of the link that was told of it; undefined where there was none. */
async function asked() {
  const { job_id: jobId, rest } = (await caller.post('/tools/test_approved', { order: randomUUID() })).as(acceptedShape);
  const { data } = await eventually(() => receiver.received.find((event) => event.data['job_id'] === jobId));
  const links: Record<string, string> = JSON.parse(JSON.stringify(data['links']));
  const path = links['decide'] === undefined ? '' : new URL(links['decide']).pathname;
  return { jobId, input: rest?.input_request ?? '', path };
}

test('Looking decides nothing; a decision is made once, by the link of whoever may approve, at any gateway', async () => {
  await using hook = await webhookOf(boss);
  const { jobId, input, path } = await asked();
  const page = await anybody.get(path, { accept: 'text/html' });
  expect([page.status, page.headers.get('cache-control'), page.headers.get('content-security-policy')]).toEqual([
    200,
    'no-store',
    expect.stringContaining("default-src 'none'"),
  ]);
  expect(page.text).toContain('May this be made?');
  expect((await anybody.get(path)).as(inputRequest)).toMatchObject({ id: input, state: 'open' });
  const answers = await Promise.all(
    [gateway.url, other.url, gateway.url].map(async (url) => anybody.at(url).post(path, { action: 'accept', reason: 'fine' })),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
  expect((await caller.get(`/jobs/${jobId}?wait=10`)).text).toContain('"completed"');
  const decided = (await anybody.get(path)).as(inputRequest);
  expect(decided).toMatchObject({ state: 'accepted', reason: 'fine', decided_by: expect.stringContaining(`webhook:${hook.id}`) });
  const { events } = (await boss.get('/audit?action=input_request.update&limit=5')).as(auditPage);
  expect(JSON.stringify(events)).toContain(`webhook:${hook.id}`);
  const shown = await anybody.get(path, { accept: 'text/html' });
  expect([shown.text.includes('This is accepted'), shown.text.includes('<button')]).toEqual([true, false]);
});

test('Whoever may not approve gets no link, and nobody finds one among the deliveries', async () => {
  await using plain = await webhookOf(caller);
  expect((await asked()).path).toBe('');
  expect(plain.approves).toBe(false);
  await using hook = await webhookOf(boss);
  receiver.received.length = 0;
  const { job_id: jobId } = (await caller.post('/tools/test_approved', { order: randomUUID() })).as(acceptedShape);
  await eventually(() => receiver.received.filter(({ data }) => data['job_id'] === jobId).length === 2);
  const bodies = JSON.stringify([await deliveriesOf(caller, plain.id), await deliveriesOf(caller, hook.id)]);
  expect(bodies).not.toContain('/decide/');
});

test('A link of an address that somebody else gave, of a webhook that is gone, or that was forged, is none', async () => {
  const hook = await webhookOf(boss);
  const { path } = await asked();
  const [said = '', signature = ''] = path.slice('/decide/'.length).split('.');
  const forged = Buffer.from(JSON.stringify([randomUUID(), hook.id])).toString('base64url');
  for (const token of ['x', `${said}.`, `${said}.${signature}x`, `${forged}.${signature}`, `${said}.${signature}.`, '..%2Fkeys']) {
    expect((await anybody.get(`/decide/${token}`)).status).toBe(404);
    expect((await anybody.post(`/decide/${token}`, { action: 'accept' })).status).toBe(404);
  }
  for (const body of [{}, { action: 'cancel' }, { action: 'accept', content: { arguments: {} } }])
    expect((await anybody.post(path, body)).status).toBe(400);
  await caller.request(`/webhooks/${hook.id}`, { method: 'PATCH', json: { url: `${receiver.url}?moved` } });
  expect((await anybody.post(path, { action: 'accept' })).status).toBe(404);
  await boss.request(`/webhooks/${hook.id}`, { method: 'PATCH', json: { url: receiver.url } });
  expect((await anybody.get(path)).status).toBe(200);
  await hook[Symbol.asyncDispose]();
  expect((await anybody.post(path, { action: 'accept' })).status).toBe(404);
});

async function webhookOf(by: HttpCaller) {
  const made = await makeWebhook(by, { url: receiver.url, events: requested });
  return Object.assign(made, { [Symbol.asyncDispose]: async () => void (await boss.delete(`/webhooks/${made.id}`)) });
}
