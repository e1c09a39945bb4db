// Where webhooks may lead in production: to nothing in a private network, whatever its spelling, and whatever its name says later.
import { hostname } from 'node:os';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { webhookDelivery } from '#lib/contracts';
import { startTimeoutMs, type HttpCaller } from '#lib/testing';
import { GuardedPosts } from './guarded-post.js';
import { TestReceiver } from './test-receiver.js';
import { makeWebhook, startHooking, webhookScopes, type Hooking } from './test-webhooks.js';

let gateway: Hooking;
let caller: HttpCaller;

beforeAll(async () => {
  gateway = await startHooking(undefined, { WEBHOOK_PRIVATE: 'refuse' });
  caller = await gateway.caller({ scopes: webhookScopes });
}, startTimeoutMs);
afterAll(async () => gateway?.[Symbol.asyncDispose]());

test.each([
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f.0.0.1/',
  'https://0177.0.0.1/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://a.localhost/',
  'https://10.0.0.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://metadata.google.internal/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[fd00::1]/',
  'https://[fe80::1]/',
  'https://[2002:7f00:1::]/',
  'https://１２７.0.0.1/',
  'http://example.com/',
])('%s is refused', async (url) => {
  const made = await caller.post('/webhooks', { url, events: ['call.failed'] });
  expect([made.status, JSON.parse(made.text)]).toMatchObject([400, { error: { details: [{ path: 'url' }] } }]);
  const { id } = await makeWebhook(caller, { url: 'https://example.com/' });
  expect((await caller.request(`/webhooks/${id}`, { method: 'PATCH', json: { url } })).status).toBe(400);
  await caller.delete(`/webhooks/${id}`);
});

test('An address that was let in before is looked at again at every try', async () => {
  await using receiver = await TestReceiver.start();
  const { id } = await makeWebhook(caller, { url: 'https://example.com/' });
  // A rule that was laxer then, or a row from elsewhere.
  await gateway.stores.database.webhook.update({ where: { id }, data: { url: receiver.url } });
  const delivery = (await caller.post(`/webhooks/${id}/test`, {})).as(webhookDelivery);
  expect(delivery).toMatchObject({ state: 'failed', last_error: 'the host 127.0.0.1 is in a private network' });
  expect(receiver.received).toEqual([]);
});

test('A name that resolves to a private address at the moment of a try is not connected to', async () => {
  await using receiver = await TestReceiver.start();
  const posts = new GuardedPosts({ allowedHosts: [], allowPrivate: false });
  // The name of this machine looks like any other.
  const url = `https://${hostname()}.:${new URL(receiver.url).port}/`;
  const answer = await posts.send({ url, headers: {}, body: '{}' });
  expect(answer).toMatchObject({ status: null, error: expect.stringMatching(/private network|ENOTFOUND|EAI_AGAIN/) });
  expect(receiver.received).toEqual([]);
  await posts.onApplicationShutdown();
});
