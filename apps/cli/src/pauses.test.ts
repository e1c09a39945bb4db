import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from './test-command-line.js';

const row = {
  name: 'get_weather',
  by: 'tenant',
  tool: 'get_weather',
  domain: null,
  tenant: 'demo',
  reason: 'the upstream is down',
  refuse: false,
  waiting: 7,
  updated_at: '2026-11-26T10:00:00.000Z',
};
const run = (server: ScriptedServer, ...args: readonly string[]) =>
  runCommandLine(args, { INVOQ_URL: server.url, INVOQ_API_KEY: 'user', INVOQ_ADMIN_KEY: 'admin' });

test('a tool is paused, listed with its calls that wait, and goes on, with the key of an administrator', async () => {
  await using server = await startScriptedServer(jsonAnswer(201, row), jsonAnswer(200, { pauses: [row] }), jsonAnswer(200, row));
  const made = await run(server, 'pause', 'get_weather', '--reason', 'the upstream is down');
  expect(made.stdout.trim()).toBe('Pauses calls of tool get_weather, tenant demo, until invoq unpause get_weather');
  expect((await run(server, 'pauses')).stdout).toMatch(/^get_weather +calls of tool get_weather, tenant demo +tenant +wait +7 +2026/m);
  expect((await run(server, 'unpause', 'get_weather')).stdout).toContain('Ended get_weather');
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'PUT /pauses/get_weather',
    'GET /pauses',
    'DELETE /pauses/get_weather',
  ]);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ tool: 'get_weather', reason: 'the upstream is down' });
  expect(server.requests[0]?.headers.authorization).toBe('Bearer admin');
});

test('a domain is paused under a name of its own', async () => {
  await using server = await startScriptedServer(jsonAnswer(201, { ...row, tool: null, domain: 'stripe', refuse: true }));
  await run(server, 'pause', '--domain', 'stripe', '--name', 'migration', '--reason', 'x', '--refuse');
  expect(server.requests[0]?.url).toBe('/pauses/migration');
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ domain: 'stripe', reason: 'x', refuse: true });
});

test.each([
  [['get_weather'], '--reason is needed'],
  [['--reason', 'x'], 'What is paused?'],
])('what is wrong with %j is told', async (options, why) => {
  await using server = await startScriptedServer();
  expect((await run(server, 'pause', ...options)).stderr).toContain(why);
  expect(server.requests).toEqual([]);
});
