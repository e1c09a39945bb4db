import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer } from '#lib/testing';
import { Invoq } from './invoq.js';

test('Schedules are asked for by their routes, and a call by hand with a key is sent again', async () => {
  const row = { name: 'nightly' };
  const page = { has_more: false, next_cursor: null };
  await using server = await startScriptedServer(
    jsonAnswer(201, row),
    jsonAnswer(200, { schedules: [row], pagination: page }),
    jsonAnswer(200, row),
    jsonAnswer(200, row),
    jsonAnswer(503, {
      success: false,
      status: 'error',
      error: { code: 'NETWORK_ERROR', message: 'x', retryable: true, retry_after_ms: 1 },
      metadata: {},
    }),
    jsonAnswer(202, { job_id: 'inv_1' }),
    jsonAnswer(200, { runs: [], pagination: page }),
    jsonAnswer(200, row),
  );
  const { schedules } = new Invoq({ url: server.url, key: 'k' });
  await schedules.create({ name: 'nightly', tool: 't', cron: '0 2 * * *' });
  expect((await schedules.list({ scope: 'tenant', limit: 5 })).schedules).toEqual([row]);
  await schedules.get('a/b');
  await schedules.change('nightly', { ends_at: null, paused: true });
  expect((await schedules.run('nightly', { idempotencyKey: 'key' })).job_id).toBe('inv_1');
  await schedules.runs('nightly', { cursor: 'c' });
  await schedules.delete('nightly');
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /schedules',
    'GET /schedules?scope=tenant&limit=5',
    'GET /schedules/a%2Fb',
    'PATCH /schedules/nightly',
    'POST /schedules/nightly/run',
    'POST /schedules/nightly/run',
    'GET /schedules/nightly/runs?cursor=c',
    'DELETE /schedules/nightly',
  ]);
  expect(JSON.parse(server.requests[3]?.body ?? '')).toEqual({ ends_at: null, paused: true });
  expect(server.requests[5]?.headers['idempotency-key']).toBe('key');
});

test('A preview tells moments, and makes none', async () => {
  await using server = await startScriptedServer(jsonAnswer(200, { next: ['2030-01-01T02:00:00.000Z'] }));
  const { schedules } = new Invoq({ url: server.url, key: 'k' });
  expect(await schedules.preview({ name: 'nightly', tool: 't', cron: '0 2 * * *' })).toEqual(['2030-01-01T02:00:00.000Z']);
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /schedules?dry_run=true']);
});
