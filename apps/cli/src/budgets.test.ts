import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from './test-command-line.js';

const spent = {
  micros: 1_000_000,
  calls: 4,
  reserved_micros: 250_000,
  reserved_calls: 1,
  since: '',
  resets_at: '2026-12-01T00:00:00.000Z',
};
const row = {
  name: 'all',
  user: 'anna',
  key: null,
  tool: null,
  period: 'month',
  time_zone: 'UTC',
  limit_micros: 12_500_000,
  limit_calls: null,
  spent,
};
const run = (server: ScriptedServer, ...args: readonly string[]) =>
  runCommandLine(args, { INVOQ_URL: server.url, INVOQ_API_KEY: 'user', INVOQ_ADMIN_KEY: 'admin' });

test('a budget is made, listed with what is spent, and deleted with the key of an administrator', async () => {
  await using server = await startScriptedServer(jsonAnswer(201, row), jsonAnswer(200, { budgets: [row] }), jsonAnswer(200, row));
  const made = await run(server, 'budgets', 'put', 'all', '--period', 'month', '--dollars', '12.5', '--user', 'anna', '--warn-at', '0.5');
  expect(made.stdout.trim()).toBe('all: $12.50 a month for user anna');
  expect((await run(server, 'budgets', 'list')).stdout).toMatch(/^all +user anna +month UTC +\$1\.25 +\$12\.50 +5 +- +2026-12-01T/m);
  expect((await run(server, 'budgets', 'delete', 'all')).stdout).toContain('Deleted all');
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['PUT /budgets/all', 'GET /budgets', 'DELETE /budgets/all']);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ period: 'month', limit_micros: 12_500_000, user: 'anna', warn_at: 0.5 });
  expect(server.requests[0]?.headers.authorization).toBe('Bearer admin');
});

test.each([
  [['--period', 'day'], '--dollars or --calls'],
  [['--dollars', '5'], '--period is needed'],
  [['--period', 'day', '--dollars', '1.0000001'], 'at most six decimals'],
  [['--period', 'week', '--calls', '1'], '--period'],
])('what is wrong with %j is told', async (options, why) => {
  await using server = await startScriptedServer();
  expect((await run(server, 'budgets', 'put', 'all', ...options)).stderr).toContain(why);
  expect(server.requests).toEqual([]);
});
