// Webhooks of the product as it is started: what the gateway process sends, another process verifies.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { webhookDelivery, webhookWithSecret } from '#lib/contracts';
import { acceptedShape, eventually, HttpCaller, startSystem, startTimeoutMs, type System } from '#lib/testing';
import { inProcess } from '../in-process.js';

const started = new AsyncDisposableStack();
const received: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
let system: System;
let url: string;

beforeAll(async () => {
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    received.push({ path: request.url ?? '', headers: request.headers, body: await text(request) });
    response.writeHead(204).end();
  };
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => void take(request, response)).listen(0, '127.0.0.1');
  started.defer(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  system = started.use(await startSystem({ inProcess }));
}, startTimeoutMs);
afterAll(() => started.disposeAsync());

test('a test, the end of a call and a callback arrive, each signed', async () => {
  const caller = new HttpCaller(system.gateway.url, await system.tenant.key({ scopes: ['tools:read', 'webhooks'] }));
  const { id, secret } = (await caller.post('/webhooks', { url: `${url}/events`, events: ['call.completed'] })).as(webhookWithSecret);
  const tested = (await caller.post(`/webhooks/${id}/test`, {})).as(webhookDelivery);
  expect(tested).toMatchObject({ state: 'succeeded', last_status: 204 });
  const body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
  const query = new URLSearchParams({ callback_url: `${url}/callback` }).toString();
  const { job_id } = (await caller.post(`/tools/calc_metrics?${query}`, body, { prefer: 'respond-async' })).as(acceptedShape);
  await eventually(() => received.length >= 3, { withinMs: 20_000, what: 'three deliveries' });
  const events = received.map(({ headers, body: sent, path }) => {
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    return [path, new Webhook(secret).verify(sent, given)] as const;
  });
  expect(events.toSorted(([a], [b]) => (a < b ? -1 : 1))).toMatchObject([
    ['/callback', { type: 'call.completed', data: { job_id, tool_name: 'calc_metrics' } }],
    ['/events', { type: 'webhook.test' }],
    ['/events', { type: 'call.completed', data: { job_id } }],
  ]);
  expect(received.map(({ body: sent }) => sent).join('')).not.toMatch(/bmi|22\.86/);
});
