// A call that names who is told of its end: an address of the origin of a webhook of its tenant, which signs it.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { WebhookWithSecret } from '#lib/contracts';
import { acceptedShape, eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { TestReceiver } from './test-receiver.js';
import { deliveriesOf, makeWebhook, startHooking, webhookScopes, type Hooking } from './test-webhooks.js';

let gateway: Hooking;
let other: Hooking;
let caller: HttpCaller;
let receiver: TestReceiver;
let hook: WebhookWithSecret;

beforeAll(async () => {
  gateway = await startHooking();
  other = await startHooking(gateway.namespace);
  caller = await gateway.caller({ scopes: webhookScopes });
  receiver = await TestReceiver.start();
  // It asks for nothing that calls do, and lets nothing through.
  hook = await makeWebhook(caller, { url: `${receiver.url}/own`, events: ['webhook.disabled'], filter: 'false' });
}, startTimeoutMs);
afterEach(() => {
  receiver.received.length = 0;
});
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

const address = (path: string) => `${receiver.url}${path}`;
const queryOf = (url: string, more = '') => `?${new URLSearchParams({ callback_url: url }).toString()}${more}`;
const async = { prefer: 'respond-async' };

/** Calls, and gives the id of the job. */
async function call(path: string, { by = caller, tool = 'test_plain', order = randomUUID() as string, more = '' } = {}): Promise<string> {
  const reply = await by.post(`/tools/${tool}${queryOf(address(path), more)}`, { order }, async);
  if (reply.status !== 202) throw new Error(reply.text);
  return reply.as(acceptedShape).job_id;
}

const came = async (path: string, count = 1) =>
  eventually(async () => {
    const found = receiver.received.filter((one) => one.path === path);
    return found.length >= count && found;
  });

test('is told of its end, signed by the webhook of that origin, whichever gateway takes the call', async () => {
  for (const [path, by, order] of [
    ['/a?n=1', caller, randomUUID()],
    ['/b', caller.at(other.url), `bad-${randomUUID()}`],
  ] as const) {
    const jobId = await call(path, { by, order });
    const [received] = await came(path);
    if (!received) throw new Error('nothing came');
    expect(TestReceiver.verify(hook.secret, received)).toMatchObject({ data: { job_id: jobId } });
    expect(received.type).toBe(order.startsWith('bad') ? 'call.failed' : 'call.completed');
  }
  const deliveries = await deliveriesOf(caller, hook.id);
  expect(new Set(deliveries.map(({ url }) => url))).toEqual(new Set([address('/a?n=1'), address('/b')]));
});

test('has a run of its own: neither the cache nor another’s run answers it', async () => {
  const order = `cached-${randomUUID()}`;
  for (const tool of ['test_cached', 'test_shared']) {
    await caller.post(`/tools/${tool}`, { order });
    const jobs = [await call(`/${tool}`, { tool, order }), await call(`/${tool}`, { tool, order })];
    expect(new Set(jobs).size).toBe(2);
    expect(new Set((await came(`/${tool}`, 2)).map(({ data }) => data['job_id']))).toEqual(new Set(jobs));
  }
});

test('that also has a webhook of its events is told at both addresses, each by a message of its own', async () => {
  const both = await makeWebhook(caller, { url: address('/events'), events: ['call.completed'] });
  const jobId = await call('/callback');
  const [event] = await came('/events');
  const [callback] = await came('/callback');
  expect([event?.data['job_id'], callback?.data['job_id']]).toEqual([jobId, jobId]);
  expect(event?.id).not.toBe(callback?.id);
  await caller.delete(`/webhooks/${both.id}`);
});

test.each(['test_plain?delay_ms=50', 'test_plain'])('may have a time, and an idempotency key: %s', async (path) => {
  const [tool = '', more] = path.split('?');
  const target = `/timed-${randomUUID()}`;
  const send = async () =>
    caller.post(
      `/tools/${tool}${queryOf(address(target), more ? `&${more}` : '')}`,
      { order: target },
      { ...async, 'idempotency-key': target },
    );
  const [one, two] = [(await send()).as(acceptedShape), (await send()).as(acceptedShape)];
  expect(one.job_id).toBe(two.job_id);
  if (more) {
    const { store } = gateway.stores;
    const record = await store.read(one.job_id);
    expect(record?.head.callback).toEqual({ url: address(target), webhook: expect.any(String) });
    await caller.delete(`/jobs/${one.job_id}`);
  }
  expect(await came(target)).toHaveLength(1);
});

test.each([
  ['https://elsewhere.example/', 'must have the origin'],
  ['http://127.0.0.1:1/', 'must have the origin'],
  ['http://user:pass@127.0.0.1/', 'must have the origin'],
  ['nowhere', 'must be an address'],
  ['file:///etc/passwd', 'must be an address'],
])('%s is refused', async (url, why) => {
  const refused = await caller.post(`/tools/test_plain${queryOf(url)}`, { order: 'a' }, async);
  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
    400,
    { error: { code: 'INVALID_PARAMS', message: expect.stringContaining(why), details: [{ path: 'callback_url' }] } },
  ]);
});

test('The origin is that of a webhook of the own tenant, of the same scheme and port, without a credential', async () => {
  await using stranger = await startHooking(gateway.namespace);
  const theirs = await stranger.caller({ scopes: webhookScopes });
  expect((await theirs.post(`/tools/test_plain${queryOf(address('/x'))}`, { order: 'a' }, async)).status).toBe(400);
  const { port } = new URL(receiver.url);
  for (const url of [`https://127.0.0.1:${port}/`, `http://a:b@127.0.0.1:${port}/`, `http://localhost:${port}/`])
    expect((await caller.post(`/tools/test_plain${queryOf(url)}`, { order: 'a' }, async)).status).toBe(400);
  // Whoever waits has the answer.
  expect((await caller.post(`/tools/test_plain${queryOf(address('/x'))}`, { order: 'a' })).status).toBe(400);
});

test('A webhook that moved away, or was disabled, since the call began signs nothing for its old address', async () => {
  await using second = await TestReceiver.start();
  const moving = await makeWebhook(caller, { url: second.url, events: ['webhook.disabled'] });
  const target = `${second.url}/moved`;
  const began = await caller.post(`/tools/test_plain${queryOf(target)}`, { order: `open-${randomUUID()}` }, async);
  const { job_id: jobId } = began.as(acceptedShape);
  await caller.request(`/webhooks/${moving.id}`, { method: 'PATCH', json: { url: receiver.url } });
  await caller.delete(`/jobs/${jobId}`);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect([second.received, await deliveriesOf(caller, moving.id)]).toEqual([[], []]);
  await caller.delete(`/webhooks/${moving.id}`);
});
