import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from './test-command-line.js';

const row = {
  name: 'accounts',
  by: 'tenant',
  tool: 'pay',
  domain: null,
  key: 'args.account',
  concurrency: 2,
  rate: { max: 10, per_ms: 1_000 },
  waiting: 7,
  updated_at: '2026-11-26T10:00:00.000Z',
};
const run = (server: ScriptedServer, ...args: readonly string[]) =>
  runCommandLine(args, { INVOQ_URL: server.url, INVOQ_API_KEY: 'user', INVOQ_ADMIN_KEY: 'admin' });

test('a flow is made, listed with its calls that wait, and deleted, with the key of an administrator', async () => {
  await using server = await startScriptedServer(jsonAnswer(201, row), jsonAnswer(200, { flows: [row] }), jsonAnswer(200, row));
  const options = ['--tool', 'pay', '--key', 'args.account', '--concurrency', '2', '--rate', '10/1000'];
  const made = await run(server, 'flows', 'put', 'accounts', ...options);
  expect(made.stdout.trim()).toBe('accounts: 2 at a time, 10 in 1000 ms of calls of tool pay, for each args.account');
  expect((await run(server, 'flows', 'list')).stdout).toMatch(
    /^accounts +calls of tool pay +args.account +2 at a time, 10 in 1000 ms +tenant +7 +2026/m,
  );
  expect((await run(server, 'flows', 'delete', 'accounts')).stdout).toContain('Deleted accounts');
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'PUT /flows/accounts',
    'GET /flows',
    'DELETE /flows/accounts',
  ]);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    tool: 'pay',
    key: 'args.account',
    concurrency: 2,
    rate: { max: 10, per_ms: 1_000 },
  });
  expect(server.requests[0]?.headers.authorization).toBe('Bearer admin');
});

test.each([
  [['--concurrency', 'two'], '--concurrency needs whole numbers from 1'],
  [['--concurrency', '0'], '--concurrency needs whole numbers from 1'],
  [['--rate', '10'], '--rate needs whole numbers from 1'],
  [['--rate', '1/2/3'], '--rate must be <count>/<ms>'],
])('what is wrong with %j is told', async (options, why) => {
  await using server = await startScriptedServer();
  expect((await run(server, 'flows', 'put', 'x', ...options)).stderr).toContain(why);
  expect(server.requests).toEqual([]);
});

test('the lines are listed in which calls wait', async () => {
  const line = { flow: 'accounts', by: 'tenant', of: 'account 17', concurrency: 2, rate: null, running: 2, waiting: 5, first: 'job_1' };
  const lines = { lines: [{ ...line, since: '2026-11-26T10:00:00.000Z' }], total: 3 };
  await using server = await startScriptedServer(jsonAnswer(200, lines), jsonAnswer(200, lines));
  const { stdout } = await run(server, 'flows', 'lines', '--flow', 'accounts');
  expect(stdout).toMatch(/^account 17 +accounts +2 at a time +tenant +2 +5 +2026\S+ +job_1$/m);
  expect(stdout).toContain('The longest 1 of 3');
  expect(JSON.parse((await run(server, 'flows', 'lines', '--json')).stdout)).toEqual(lines);
  expect(server.requests.map(({ url }) => url)).toEqual(['/flow-lines?flow=accounts&limit=100', '/flow-lines?limit=100']);
});
