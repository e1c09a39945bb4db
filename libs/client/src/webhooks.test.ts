import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer } from '#lib/testing';
import { Invoq } from './invoq.js';

test('Webhooks are asked for by their routes', async () => {
  const row = { id: 'w' };
  await using server = await startScriptedServer(
    jsonAnswer(201, { ...row, secret: 'whsec_a' }),
    jsonAnswer(200, { webhooks: [row] }),
    jsonAnswer(200, row),
    jsonAnswer(200, row),
    jsonAnswer(200, { ...row, secret: 'whsec_b' }),
    jsonAnswer(200, { id: 'd', state: 'succeeded' }),
    jsonAnswer(200, { deliveries: [{ id: 'd' }], pagination: { has_more: false, next_cursor: null } }),
    jsonAnswer(202, { id: 'd', state: 'waiting' }),
    jsonAnswer(200, row),
  );
  const { webhooks } = new Invoq({ url: server.url, key: 'k' });
  expect((await webhooks.create({ url: 'https://hooks.example/', events: ['call.failed'], filter: 'true' })).secret).toBe('whsec_a');
  expect(await webhooks.list()).toEqual([row]);
  await webhooks.get('a/b');
  await webhooks.change('w', { filter: null, enabled: true });
  expect((await webhooks.rotate('w')).secret).toBe('whsec_b');
  expect((await webhooks.test('w')).state).toBe('succeeded');
  expect((await webhooks.deliveries('w', { state: 'failed', limit: 5 })).deliveries).toEqual([{ id: 'd' }]);
  expect((await webhooks.retry('w', 'd')).state).toBe('waiting');
  await webhooks.delete('w');
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /webhooks',
    'GET /webhooks',
    'GET /webhooks/a%2Fb',
    'PATCH /webhooks/w',
    'POST /webhooks/w/rotate',
    'POST /webhooks/w/test',
    'GET /webhooks/w/deliveries?state=failed&limit=5',
    'POST /webhooks/w/deliveries/d/retry',
    'DELETE /webhooks/w',
  ]);
  expect(JSON.parse(server.requests[3]?.body ?? '')).toEqual({ filter: null, enabled: true });
});
