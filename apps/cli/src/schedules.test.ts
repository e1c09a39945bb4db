import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from './test-command-line.js';

const row = (facts: object = {}) => ({
  id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  name: 'nightly',
  owner: 'acme/u',
  tool: 'get_weather',
  cron: '0 7 * * *',
  every_ms: null,
  time_zone: 'Europe/Berlin',
  state: 'active',
  problem: null,
  next_at: '2030-01-01T06:00:00.000Z',
  ...facts,
});
const page = { has_more: false, next_cursor: null };
const run = (server: ScriptedServer, ...args: readonly string[]) =>
  runCommandLine(args, { INVOQ_URL: server.url, INVOQ_API_KEY: 'user', INVOQ_ADMIN_KEY: 'admin' });

test('schedules are listed, those of the tenant with the key of an administrator', async () => {
  const stopped = row({
    name: 'old',
    state: 'stopped',
    next_at: null,
    cron: null,
    every_ms: 5_000,
    problem: { code: 'UNAUTHORIZED', message: 'x' },
  });
  await using server = await startScriptedServer(
    jsonAnswer(200, { schedules: [row(), stopped], pagination: page }),
    jsonAnswer(200, { schedules: [row()], pagination: page }),
  );
  const { stdout } = await run(server, 'schedules', 'list');
  expect(stdout.split('\n').slice(1, 3)).toEqual([
    expect.stringMatching(/^nightly +active +0 7 \* \* \* Europe\/Berlin +2030-01-01T06:00:00\.000Z +get_weather +-$/),
    expect.stringMatching(/^old +stopped +every 5000 ms +- +get_weather +UNAUTHORIZED$/),
  ]);
  expect((await run(server, 'schedules', 'list', '--all')).stdout).toContain('acme/u');
  expect(server.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/schedules?limit=100', 'Bearer user'],
    ['/schedules?scope=tenant&limit=100', 'Bearer admin'],
  ]);
});

test('one is made, and called by hand', async () => {
  await using server = await startScriptedServer(
    jsonAnswer(201, row()),
    jsonAnswer(202, { schedule_id: row().id, job_id: 'inv_1', state: 'waiting', tool_name: 'get_weather', trace_id: 't' }),
  );
  const options = [
    '--cron',
    '0 7 * * *',
    '--zone',
    'Europe/Berlin',
    '--overlap',
    'queue',
    '--jitter',
    '500',
    '--arguments',
    '{"location":"Berlin"}',
  ];
  const made = await run(server, 'schedules', 'create', 'nightly', 'get_weather', ...options);
  expect(made).toEqual({ code: 0, stdout: 'Made nightly; the first call is at 2030-01-01T06:00:00.000Z\n', stderr: '' });
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    name: 'nightly',
    tool: 'get_weather',
    arguments: { location: 'Berlin' },
    cron: '0 7 * * *',
    time_zone: 'Europe/Berlin',
    overlap: 'queue',
    jitter_ms: 500,
  });
  expect((await run(server, 'schedules', 'run', 'nightly')).stdout).toBe('inv_1\n');
  expect(server.requests[1]).toMatchObject({ method: 'POST', url: '/schedules/nightly/run' });
});

test.each([
  ['pause', { paused: true }, 'Paused nightly\n'],
  ['resume', { paused: false }, 'Resumed nightly; the next call is at 2030-01-01T06:00:00.000Z\n'],
])('one is %sd', async (command, body, said) => {
  await using server = await startScriptedServer(jsonAnswer(200, row()));
  expect((await run(server, 'schedules', command, 'nightly')).stdout).toBe(said);
  expect(server.requests[0]).toMatchObject({ method: 'PATCH', url: '/schedules/nightly' });
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(body);
});

test('one is deleted, and its runs are listed', async () => {
  const runs = [
    {
      at: '2030-01-01T06:00:00.000Z',
      manual: true,
      state: 'failed',
      job_id: null,
      job_state: null,
      error: { code: 'TOOL_NOT_FOUND', message: 'x' },
    },
  ];
  await using server = await startScriptedServer(jsonAnswer(200, row()), jsonAnswer(200, { runs, pagination: page }));
  expect((await run(server, 'schedules', 'delete', 'nightly')).stdout).toBe('Deleted nightly\n');
  expect((await run(server, 'schedules', 'runs', 'nightly')).stdout).toMatch(
    /2030-01-01T06:00:00\.000Z +failed, by hand +- +- +TOOL_NOT_FOUND/,
  );
});

test.each([
  [['create', 'n', 't'], '--cron or --every'],
  [['create', 'n', 't', '--cron', '* * * * *', '--every', '5000'], '--cron or --every'],
  [['create', 'n', 't', '--every', '5000', '--arguments', '[]'], '--arguments must be a JSON object'],
  [['create', 'n', 't', '--every', '5000', '--overlap', 'x'], '--overlap must be one of'],
])('%j is refused before anything is sent', async (args, why) => {
  await using server = await startScriptedServer();
  expect(await run(server, 'schedules', ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
  expect(server.requests).toHaveLength(0);
});
