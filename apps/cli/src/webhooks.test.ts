import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from './test-command-line.js';

const row = (facts: object = {}) => ({
  id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  url: 'https://hooks.example/',
  events: ['call.failed', 'call.completed'],
  filter: null,
  enabled: true,
  failing_since: null,
  ...facts,
});
const delivery = (facts: object = {}) => ({
  id: 'd1',
  created_at: '2030-01-01T06:00:00.000Z',
  type: 'call.failed',
  job_id: 'inv_1',
  state: 'failed',
  attempts: 8,
  next_at: null,
  last_status: 500,
  last_error: 'it answered 500',
  last_duration_ms: 12,
  event_id: 'evt_1',
  ...facts,
});
const run = (server: ScriptedServer, ...args: readonly string[]) =>
  runCommandLine(['webhooks', ...args], { INVOQ_URL: server.url, INVOQ_API_KEY: 'user' });

test('webhooks are listed', async () => {
  const webhooks = [row(), row({ failing_since: '2030-01-01T06:00:00.000Z' }), row({ enabled: false })];
  await using server = await startScriptedServer(jsonAnswer(200, { webhooks }), jsonAnswer(200, { webhooks }));
  const { stdout } = await run(server, 'list');
  const [, ...lines] = stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.split(/ {2,}/).slice(1))).toEqual(
    ['active', 'failing', 'disabled'].map((state) => [state, 'call.failed call.completed', 'https://hooks.example/']),
  );
  expect(JSON.parse((await run(server, 'list', '--json')).stdout)).toEqual(webhooks);
});

test('one is made, and its secret alone is what a pipe gets', async () => {
  await using server = await startScriptedServer(
    jsonAnswer(201, { ...row(), secret: 'whsec_a' }),
    jsonAnswer(200, { ...row(), secret: 'whsec_b', previous_secret_until: '2030-01-02T06:00:00.000Z' }),
  );
  const made = await run(
    server,
    'create',
    'https://hooks.example/',
    '--event',
    'call.failed',
    '--event',
    'input.requested',
    '--filter',
    'true',
  );
  expect([made.code, made.stdout]).toEqual([0, 'whsec_a\n']);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    url: 'https://hooks.example/',
    events: ['call.failed', 'input.requested'],
    filter: 'true',
  });
  const rotated = await run(server, 'rotate', row().id);
  expect([rotated.stdout, rotated.stderr]).toEqual(['whsec_b\n', expect.stringContaining('2030-01-02')]);
});

test('a test says what came of it', async () => {
  await using server = await startScriptedServer(
    jsonAnswer(200, delivery({ state: 'succeeded', last_status: 204 })),
    jsonAnswer(200, delivery()),
  );
  expect(await run(server, 'test', row().id)).toMatchObject({ code: 0, stdout: 'evt_1 has arrived: 204 in 12 ms\n' });
  expect(await run(server, 'test', row().id)).toMatchObject({ code: 1, stderr: expect.stringContaining('it answered 500') });
});

test('deliveries are listed and sent again, and a webhook is deleted', async () => {
  await using server = await startScriptedServer(
    jsonAnswer(200, { deliveries: [delivery()], pagination: { has_more: false, next_cursor: null } }),
    jsonAnswer(202, delivery({ state: 'waiting' })),
    jsonAnswer(200, row()),
  );
  expect((await run(server, 'deliveries', 'w', '--state', 'failed')).stdout).toMatch(
    /d1 +2030-\S+ +call\.failed +inv_1 +failed +8 +- +it answered 500/,
  );
  expect((await run(server, 'retry', 'w', 'd1')).stdout).toBe('evt_1 is sent again\n');
  expect((await run(server, 'delete', 'w')).stdout).toContain('Deleted');
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /webhooks/w/deliveries?state=failed&limit=100',
    'POST /webhooks/w/deliveries/d1/retry',
    'DELETE /webhooks/w',
  ]);
});

test.each([
  [['create', 'https://hooks.example/'], '--event is needed'],
  [['create', 'https://hooks.example/', '--event', 'call.started'], '--event must be one of'],
  [['deliveries', 'w', '--state', 'lost'], '--state must be one of'],
])('%j is refused before anything is sent', async (args, why) => {
  await using server = await startScriptedServer();
  expect(await run(server, ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
  expect(server.requests).toHaveLength(0);
});
