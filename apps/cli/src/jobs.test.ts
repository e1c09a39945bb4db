import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, streamAnswer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from './test-command-line.js';
import { envelope, event, failure, metadata } from './test-gateway.js';

const run = (server: ScriptedServer, line: string) => runCommandLine(line.split(' '), { INVOQ_URL: server.url });
const job = { job_id: 'inv_1', state: 'active', tool_name: 't', created_at: '2026-01-01T00:00:00.000Z', trace_id: 'trace_1', result: null };
const page = jsonAnswer(200, { jobs: [job], pagination: { has_more: false, next_cursor: null } });

test('jobs are listed one a line, by state, tool and number', async () => {
  await using server = await startScriptedServer(page, page);
  expect((await run(server, 'jobs list --state active --tool t --limit 100')).stdout).toMatch(
    /^inv_1 {2}active +t +2026-\S+ {2}trace_1\n$/,
  );
  expect(JSON.parse((await run(server, 'jobs list --json')).stdout)).toEqual([job]);
  expect(server.requests.map(({ url }) => url)).toEqual(['/jobs?state=active&tool=t&limit=100', '/jobs']);
});

test.each([
  ['jobs list --state running', /--state must be one of waiting, active, .*, not 'running'/],
  ['jobs list --limit 101', /--limit must be a whole number from 1 to 100, not '101'/],
  ['jobs show', /<job> is missing/],
  ['jobs cancel inv_1 inv_2', /Unexpected argument 'inv_2'/],
  ['jobs cancel', /Name either one job, or filters of many/],
  ['jobs cancel inv_1 --tool t', /Name either one job, or filters of many/],
  ['jobs cancel inv_1 --dry-run', /Name either one job, or filters of many/],
  ['jobs cancel --dry-run', /Name either one job, or filters of many/],
  ['jobs cancel --state completed', /--state must be one of waiting, active, delayed, resting/],
])('%s is wrong usage and asks nothing', async (line, message) => {
  await using server = await startScriptedServer();
  expect(await run(server, line)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
  expect(server.requests).toEqual([]);
});

test('a job is shown as it is', async () => {
  await using server = await startScriptedServer(jsonAnswer(200, job));
  expect(JSON.parse((await run(server, 'jobs show inv_1')).stdout)).toEqual(job);
});

test('a job is followed: progress to standard error, the data to standard output', async () => {
  const frames = [
    event('tool_progress', 1, { progress: 40, message: 'Reading', metadata }),
    event('tool_result', 2, envelope({ pages: 3 })),
  ];
  await using server = await startScriptedServer(streamAnswer(frames), streamAnswer(frames));
  expect(await run(server, 'jobs follow inv_1')).toEqual({ code: 0, stdout: '{\n  "pages": 3\n}\n', stderr: '40 % Reading\n' });
  const { stdout } = await run(server, 'jobs follow inv_1 --json');
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { event: 'tool_progress', id: 'evt_1' },
    { event: 'tool_result', id: 'evt_2', data: { data: { pages: 3 } } },
  ]);
});

test('a job that failed fails the command that follows it', async () => {
  const frames = [event('tool_error', 1, failure('TIMEOUT', 'It took too long'))];
  await using server = await startScriptedServer(streamAnswer(frames), streamAnswer(frames));
  expect(await run(server, 'jobs follow inv_1')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^error: TIMEOUT: It took too long/),
  });
  expect(await run(server, 'jobs follow inv_1 --json')).toMatchObject({ code: 1, stdout: expect.stringContaining('tool_error') });
});

test('many jobs are counted and cancelled by filters, to the last', async () => {
  await using server = await startScriptedServer(
    jsonAnswer(200, { count: 7 }),
    jsonAnswer(200, { cancelled: 5, next_to: '2026-01-01T00:00:00.000Z' }),
    jsonAnswer(200, { cancelled: 2, next_to: null }),
    jsonAnswer(200, { cancelled: 0, next_to: null }),
  );
  expect((await run(server, 'jobs cancel --tool t --state resting --dry-run')).stdout).toBe('7 calls have not ended\n');
  expect((await run(server, 'jobs cancel --tool t --state resting')).stdout).toBe('Cancelled 7 calls\n');
  expect((await run(server, 'jobs cancel --all')).stdout).toBe('Cancelled 0 calls\n');
  expect(server.requests.map(({ method, url, body }) => [method, url, JSON.parse(body)])).toEqual([
    ['POST', '/jobs/cancel?dry_run=true', { tool: 't', state: 'resting' }],
    ['POST', '/jobs/cancel', { tool: 't', state: 'resting' }],
    ['POST', '/jobs/cancel', { tool: 't', state: 'resting', to: '2026-01-01T00:00:00.000Z' }],
    ['POST', '/jobs/cancel', {}],
  ]);
});

test('a job is cancelled; one that has ended says so', async () => {
  await using server = await startScriptedServer(
    jsonAnswer(202, { job_id: 'inv_1' }),
    jsonAnswer(409, failure('CONFLICT', 'The job has already ended')),
  );
  expect(await run(server, 'jobs cancel inv_1')).toMatchObject({ code: 0, stdout: 'Cancelled inv_1\n' });
  expect(await run(server, 'jobs cancel inv_1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('CONFLICT: The job has already ended'),
  });
  expect(server.requests[0]).toMatchObject({ method: 'DELETE', url: '/jobs/inv_1' });
});
